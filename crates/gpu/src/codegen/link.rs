//! A linker for WGSL: collects the items that an entry point needs from modules with explicit imports.
//!
//! Library and kernels are plain `.wgsl` files, each a module. A linked text holds the items (functions, structs,
//! constants, variables) reachable from its roots. A word denotes an item of its own module or an imported one; any
//! other name is resolved by a provider, which generates accessors and constants for the model. `namespace` says what
//! items are called in the linked text.
//!
//! A function named `f__A__B` is a template: `f__qLD__x` is the same text with the accessors of `A` replaced by those
//! of `qLD`, and those of `B` by those of `x`. It is imported as `f`.

use std::collections::{BTreeMap, BTreeSet};

use super::items::{Item, identifiers, locals, references, strip_comments};
use super::namespace::{File, Names, base};

/// Replaces the accessors of each parameter (`A`, `set_A`, `A_vec3`, `f__A`) by those of its argument.
fn substitute(text: &str, params: &[&str], args: &[&str]) -> String {
    let replace = |word: &str| -> String {
        let part = |part: &str| {
            let (set, base) = part.strip_prefix("set_").map_or(("", part), |b| ("set_", b));
            let (name, rest) = base.find('_').map_or((base, ""), |at| base.split_at(at));
            let found = params.iter().position(|p| *p == name);
            found.map_or_else(|| part.to_string(), |k| format!("{set}{}{rest}", args[k]))
        };
        word.split("__").map(part).collect::<Vec<_>>().join("__")
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |n| start + n);
        out.push_str(&rest[..start]);
        out.push_str(&replace(&rest[start..end]));
        rest = &rest[end..];
    }
    out + rest
}

/// An item and its module.
#[derive(Clone, Debug)]
struct Definition {
    item: Item,
    module: usize,
}

/// A file: its import path, and the files of the items that it imports, by their names in the linked text.
#[derive(Clone, Debug)]
struct Module {
    path: String,
    imports: BTreeMap<String, String>,
}

/// Modules, and their items by name in the linked text.
#[derive(Clone, Debug, Default)]
pub struct Library {
    names: Names,
    modules: Vec<Module>,
    items: BTreeMap<String, Definition>,
    /// Full names of templates, by base name and number of parameters.
    templates: BTreeMap<(String, usize), String>,
}

impl Library {
    /// The items of files.
    ///
    /// # Errors
    /// A malformed import or declaration, an import of what there is not, or a name that a file defines twice, with
    /// the file and the line.
    pub fn new(files: &[File<'_>]) -> Result<Self, String> {
        let mut library = Self { names: Names::new(files)?, ..Self::default() };
        for file in files {
            library.insert(file).map_err(|what| format!("{}: {what}", file.path))?;
        }
        Ok(library)
    }

    /// Adds the items of a text, which imports from the files that are here; these do not see it.
    ///
    /// # Errors
    /// As [`Library::new`], with the line.
    pub fn add(&mut self, path: &str, text: &str) -> Result<(), String> {
        let file = File { path, source: text, text };
        self.names.add(&file)?;
        self.insert(&file)
    }

    fn insert(&mut self, file: &File<'_>) -> Result<(), String> {
        let resolved = self.names.resolve(file)?;
        let module = self.modules.len();
        self.modules.push(Module { path: file.path.to_owned(), imports: resolved.imports });
        for (name, text) in resolved.items {
            let parts: Vec<&str> = name.split("__").collect();
            if parts.len() > 1 {
                self.templates.insert((parts[0].to_owned(), parts.len() - 1), name.clone());
            }
            let item = Item { name: name.clone(), text: strip_comments(&text) };
            if self.items.insert(name.clone(), Definition { item, module }).is_some() {
                return Err(format!("{name} is defined twice"));
            }
        }
        Ok(())
    }

    /// Names of all items in the linked text.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.items.keys().map(String::as_str)
    }

    /// True if a file has a function of this name.
    pub(super) fn has_function(&self, path: &str, name: &str) -> bool {
        self.names.is_function(path, name)
    }

    /// Texts of all functions.
    #[cfg(test)]
    pub(super) fn functions(&self) -> impl Iterator<Item = &str> {
        self.items.values().filter(|d| d.item.is_function()).map(|d| d.item.text.as_str())
    }

    /// Global definition of a word: an item, or the template of which it is an instance.
    fn definition(&self, word: &str) -> Option<&Definition> {
        if let Some(found) = self.items.get(word) {
            return Some(found);
        }
        let mut parts = word.split("__");
        let key = (parts.next()?.to_owned(), parts.count());
        self.items.get(self.templates.get(&key)?)
    }

    /// Definition of a word as seen from a set of modules: their own items and imports. An instance of a template
    /// also sees the modules of its arguments. Generated texts belong to no module and see everything.
    fn visible(&self, word: &str, modules: &[usize]) -> Option<&Definition> {
        let found = self.definition(word)?;
        let path = &self.modules[found.module].path;
        let sees = |&m: &usize| found.module == m || self.modules[m].imports.get(base(word)) == Some(path);
        (modules.is_empty() || modules.iter().any(sees)).then_some(found)
    }

    /// Text of an item, or of a template with its arguments substituted.
    fn instantiate(&self, word: &str, definition: &Definition) -> String {
        if definition.item.name == word {
            return definition.item.text.clone();
        }
        let (params, args): (Vec<&str>, Vec<&str>) =
            (definition.item.name.split("__").collect(), word.split("__").collect());
        substitute(&definition.item.text, &params[1..], &args[1..])
    }

    /// Name errors of all modules: items used without an import, and local names that shadow an item.
    pub fn check(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for Definition { item, module } in self.items.values() {
            let path = &self.modules[*module].path;
            let declared: BTreeSet<&str> =
                if item.is_function() { locals(&item.text).collect() } else { BTreeSet::new() };
            for name in &declared {
                if let Some(hidden) = self.visible(name, &[*module]).filter(|d| d.item.name != item.name) {
                    faults.push(format!(
                        "{path}: {name} in {} hides an item of {}",
                        item.name, self.modules[hidden.module].path
                    ));
                }
            }
            for (word, called) in references(&item.text) {
                let Some(found) = self.definition(word).filter(|d| called || !d.item.is_function()) else {
                    let owners: Vec<&str> = self.names.owners(word).filter(|_| called).collect();
                    if owners.len() > 1 {
                        let owners = owners.join(" or ");
                        faults
                            .push(format!("{path}: {} uses {word} of {owners} without an import", item.name));
                    }
                    continue;
                };
                if !declared.contains(word) && self.visible(word, &[*module]).is_none() {
                    faults.push(format!(
                        "{path}: {} uses {word} of {} without an import",
                        item.name, self.modules[found.module].path
                    ));
                }
            }
        }
        faults
    }

    /// Text of a constant's value.
    pub fn constant(&self, name: &str) -> Option<&str> {
        let text = &self.items.get(name)?.item.text;
        text.strip_prefix("const ")?.split_once('=')?.1.strip_suffix(';').map(str::trim)
    }

    /// Parameter and expression of a function of one integer that only returns an expression.
    pub fn pure_function(&self, name: &str) -> Option<(&str, &str)> {
        let (parameters, value) = self.expression_function(name)?;
        let [parameter] = parameters[..] else { return None };
        Some((parameter, value))
    }

    /// Parameters and expression of a function of integers that only returns an expression.
    fn expression_function(&self, name: &str) -> Option<(Vec<&str>, &str)> {
        let text = self.items.get(name)?.item.text.strip_prefix("fn ")?;
        let (_, after) = text.split_once('(')?;
        let (parameters, after) = after.split_once(") -> u32 {")?;
        let value = after.trim().strip_prefix("return ")?.strip_suffix('}')?.trim().strip_suffix(';')?;
        let parameters = parameters.split(", ").map(|parameter| parameter.strip_suffix(": u32"));
        let parameters = parameters.collect::<Option<Vec<&str>>>()?;
        let simple = parameters.iter().all(|parameter| identifiers(parameter).eq([*parameter]));
        (simple && !value.contains(';')).then_some((parameters, value))
    }

    /// Replaces calls of functions of integers whose value does not depend on the arguments by that value.
    pub fn fold_constant_calls(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let found = |rest: &str| {
            let calls = references(rest).filter(|(_, called)| *called);
            calls
                .filter_map(|(word, _)| {
                    let (parameters, value) = self.expression_function(word)?;
                    let constant = identifiers(value).all(|name| !parameters.contains(&name));
                    let start = word.as_ptr() as usize - rest.as_ptr() as usize;
                    constant.then(|| (start, start + word.len(), value.to_owned()))
                })
                .next()
        };
        while let Some((start, end, value)) = found(rest) {
            let close = closing_parenthesis(&rest[end..]);
            out.push_str(&rest[..start]);
            // a definition is not a call
            if out.ends_with("fn ") {
                out.push_str(&rest[start..end]);
                rest = &rest[end..];
            } else {
                out.push_str(&value);
                rest = &rest[end + close..];
            }
        }
        out + rest
    }

    /// All items reachable from `roots`, from the library or else from `provide`, in a stable order; texts of the
    /// library are passed through `write`.
    ///
    /// # Errors
    /// Errors of `write`.
    pub fn link<E>(
        &self,
        roots: &[Item],
        mut provide: impl FnMut(&str) -> Option<String>,
        write: impl Fn(&str) -> Result<String, E>,
    ) -> Result<String, E> {
        let mut done: BTreeSet<String> = roots.iter().map(|i| i.name.clone()).collect();
        let mut queue: Vec<(String, Vec<usize>)> =
            roots.iter().map(|i| (self.names.qualify(&i.text), Vec::new())).collect();
        let mut out = Vec::new();
        while let Some((text, modules)) = queue.pop() {
            for (word, called) in references(&text) {
                if done.contains(word) {
                    continue;
                }
                let found = self.visible(word, &modules);
                // a local variable may have the name of a function
                if !called && found.is_some_and(|d| d.item.is_function()) {
                    continue;
                }
                let found = match found {
                    Some(definition) => {
                        // an instance of a template resolves its arguments in this scope
                        let instance = definition.item.name != word;
                        let mut scope = if instance { modules.clone() } else { Vec::new() };
                        scope.push(definition.module);
                        Some((write(&self.instantiate(word, definition))?, scope))
                    }
                    None => provide(word).map(|text| (self.names.qualify(&text), Vec::new())),
                };
                if let Some(found) = found {
                    done.insert(word.to_string());
                    queue.push(found);
                }
            }
            out.push(text);
        }
        Ok(out.join("\n\n"))
    }
}

/// Length of the parenthesised group at the start of a text, parentheses included.
fn closing_parenthesis(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// Returns a text unchanged.
///
/// # Errors
/// None.
pub fn identity(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// A library of files without conditional blocks.
    fn library(files: &[(&str, &str)]) -> Result<Library, String> {
        let files: Vec<File<'_>> =
            files.iter().map(|&(path, text)| File { path, source: text, text }).collect();
        Library::new(&files)
    }

    #[test]
    fn links_only_what_is_reached() {
        let library = library(&[("package::a", "const A: u32 = 1u;\nfn f() -> u32 { return A; } // uses A\nfn g() {}\nstruct S { x: f32, }\nvar<private> lane: u32;")]).unwrap();
        let root = Item { name: "main".into(), text: "fn main() { let y = f() + made; }".into() };
        let made = |name: &str| (name == "made").then(|| "const made: u32 = 7u;".into());
        let Ok(text) = library.link(&[root], made, identity);
        assert!(text.contains("const A") && text.contains("fn f") && text.contains("const made"));
        assert!(!text.contains("fn g") && !text.contains("struct S") && !text.contains("lane"));
    }

    #[test]
    fn variables_named_like_functions_are_none() {
        let library = library(&[("package::a", "fn gap() -> f32 { return 1.0; }\nfn f() -> f32 { let gap = 2.0; return gap; }\nfn g() -> f32 { return gap(); }")]).unwrap();
        for (root, linked) in [("fn main() { let y = f(); }", false), ("fn main() { let y = g(); }", true)] {
            let Ok(text) =
                library.link(&[Item { name: "main".into(), text: root.into() }], |_| None, identity);
            assert_eq!(text.contains("fn gap"), linked, "{text}");
        }
    }

    #[test]
    fn templates_take_fields_as_arguments() {
        let library = library(&[("package::a", "fn scale__A__B(n: u32) { set_A(n, B_vec3(n).x); turn__A(n); }\nfn turn__C(n: u32) { set_C(n, C(n)); }")]).unwrap();
        let root = Item { name: "main".into(), text: "fn main() { scale__qLD__x(1u); }".into() };
        let Ok(text) = library.link(&[root], |_| None, identity);
        assert!(
            text.contains("fn scale__qLD__x(n: u32) { set_qLD(n, x_vec3(n).x); turn__qLD(n); }"),
            "{text}"
        );
        assert!(text.contains("fn turn__qLD(n: u32) { set_qLD(n, qLD(n)); }"), "{text}");
    }

    #[test]
    fn constants_and_formulas_can_be_read() {
        let library = library(&[("package::a", "const K: u32 = 3u;\nfn f(i: u32) -> u32 {\n    return i * K;\n}\nfn g(i: u32) -> u32 {\n    let a = i;\n    return a;\n}")]).unwrap();
        assert_eq!(library.constant("K"), Some("3u"));
        assert_eq!(library.pure_function("f"), Some(("i", "i * K")));
        assert_eq!(library.pure_function("g"), None);
    }

    #[test]
    fn names_are_defined_once_in_a_file() {
        let wrong = library(&[("package::a", "fn f() {}\nfn f() {}")]).unwrap_err();
        assert_eq!(wrong, "package::a: f is defined twice");
        let wrong = library(&[("package::a", "\nimport package::b::f;\n")]).unwrap_err();
        assert_eq!(wrong, "package::a: line 2: package::b has no f");
    }

    #[test]
    fn files_may_share_a_name() {
        let files = [
            ("package::a", "fn f() { near(); }\nfn near() {}"),
            ("package::b", "import package::a;\nfn f() { a::f(); a::near(); }"),
        ];
        let library = library(&files).unwrap();
        assert_eq!(library.check(), Vec::<String>::new());
        // a text that is added later leaves their names
        let mut more = library.clone();
        more.add("package::own", "import package::b::f as other;\n  fn a_near() { other(); }").unwrap();
        let root = Item { name: "main".into(), text: "fn main() { own::a_near(); }".into() };
        let Ok(text) = more.link(&[root], |_| None, identity);
        assert!(text.contains("fn own_a_near() { b_f(); }") && text.contains("fn a_near() {}"), "{text}");
        // generated texts name them by path
        let root = Item { name: "main".into(), text: "fn main() { b::f(); none::f(); }".into() };
        let Ok(text) = library.link(&[root], |_| None, identity);
        assert!(text.contains("fn main() { b_f(); none::f(); }"), "{text}");
        assert!(
            text.contains("fn b_f() { a_f(); a_near(); }") && text.contains("fn a_f() { a_near(); }"),
            "{text}"
        );
    }

    #[test]
    fn modules_see_what_they_import() {
        let near = ("package::near", "import package::far::g;\nfn f() { g(); }");
        let far = ("package::far", "fn g() { h(); }\nfn h() {}");
        assert_eq!(library(&[near, far]).unwrap().check(), Vec::<String>::new());
        let wrong = ("package::wrong", "import package::far::g;\nfn i() { h(); let g = 1; }");
        let made = library(&[near, far, wrong]).unwrap();
        let said = made.check();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("g in i hides an item of package::far"), "{said:?}");
        assert!(said[1].contains("i uses h of package::far without an import"), "{said:?}");
        // an item without an import is not linked
        let root = Item { name: "main".into(), text: "fn main() { i(); }".into() };
        let Ok(text) = made.link(&[root], |_| None, identity);
        assert!(text.contains("fn i") && !text.contains("fn h"));
        // nor is one of several files
        let other = ("package::other", "fn h() {}");
        let said = library(&[far, wrong, other]).unwrap().check();
        assert!(said[1].contains("i uses h of package::far or package::other without an import"), "{said:?}");
    }

    #[test]
    fn calls_with_one_answer_are_folded() {
        let text = "fn begin(r: u32) -> u32 { return 0u; }\nfn own(i: u32) -> u32 { return lane; }\nfn next(i: u32) -> u32 { return i + 1u; }\nfn stride(r: u32, i: u32) -> u32 { return 1u; }";
        let library = library(&[("package::a", text)]).unwrap();
        let folded = library.fold_constant_calls(
            "for (var i = own(begin(f(r))); i < next(i); i += stride(r, i)) { x(begin(2u)); }",
        );
        assert_eq!(folded, "for (var i = lane; i < next(i); i += 1u) { x(0u); }");
        assert_eq!(library.fold_constant_calls("fn begin(r: u32)"), "fn begin(r: u32)");
    }
}
