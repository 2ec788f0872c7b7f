//! Namespaces of WGSL files: what a name means in a file, and what it is called in the text of all files.
//!
//! A file sees its own items, those that it imports by name (`import package::room::stem::{a, b as c};`), and by path those of
//! files that it imports (`import package::room::stem;` or `stem::{self, a}`, then `stem::b(x)`), as in WESL. In the
//! linked text an item keeps its name, unless a file uses it by path or files share it: then the stem of its file comes
//! first (`pid_rates`, `dcmotor_rates`), and so where a built-in function of WGSL has it. The function of a stage keeps
//! its name.

use std::collections::{BTreeMap, BTreeSet};

use super::syntax::{self, Item, ItemKind, Reference};

/// Built-in functions of WGSL, whose names an item of the linked text would hide.
const BUILT_IN: &str = " abs acos acosh all any arrayLength asin asinh atan atan2 atanh bitcast ceil clamp cos cosh \
    countLeadingZeros countOneBits countTrailingZeros cross degrees determinant distance dot exp exp2 extractBits faceForward \
    firstLeadingBit firstTrailingBit floor fma fract frexp insertBits inverseSqrt ldexp length log log2 max min mix modf \
    normalize pow quantizeToF16 radians reflect refract reverseBits round saturate select sign sin sinh smoothstep sqrt \
    step storageBarrier tan tanh transpose trunc workgroupBarrier workgroupUniformLoad ";

/// A WGSL file.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Its import path, `package::room::stem`.
    pub path: &'a str,
    /// Its text.
    pub source: &'a str,
    /// What its conditional blocks leave of the text, line for line.
    pub text: &'a str,
}

/// Base name of an item: that of a template is before its parameters, `scale` of `scale__A__B`.
pub(super) fn base(name: &str) -> &str {
    name.split("__").next().unwrap_or(name)
}

/// Last segment of a path.
fn stem(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Base names of the items that a text declares in any of its conditional blocks, each with true for a function.
fn declared(source: &str) -> BTreeMap<&str, bool> {
    let name = |line: &'_ str| -> Option<(usize, bool)> {
        let kinds = ["fn ", "const ", "struct ", "alias ", "override "];
        let kind = kinds.into_iter().find(|kind| line.starts_with(kind));
        let variable = line.starts_with("var<").then(|| line.find("> ").map(|at| at + "> ".len())).flatten();
        Some((kind.map(str::len).or(variable)?, kind == Some("fn ")))
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let items = source.lines().filter_map(|line| {
        // behind attributes
        let line = if line.starts_with('@') {
            &line[line.find(") var<").or(line.find(") fn "))? + 2..]
        } else {
            line
        };
        let (at, function) = name(line)?;
        Some((base(line[at..].split(|c| !is_word(c)).next()?), function))
    });
    items.collect()
}

/// Paths through imported files that a text uses: `(package::room::stem, name)`.
fn used_by_path(source: &str) -> Result<Vec<(String, String)>, String> {
    let (imports, text) = imports(source)?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in text.match_indices("::") {
        let module = text[..at].rsplit(|c| !is_word(c)).next().unwrap_or_default();
        let name = text[at + 2..].split(|c| !is_word(c)).next().unwrap_or_default();
        let file = imports.iter().find(|i| i.name == module);
        found.extend(file.map(|file| (file.path.clone(), base(name).to_owned())));
    }
    Ok(found)
}

/// An imported name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// Name in the file.
    pub(super) name: String,
    /// Full path of what it names.
    pub(super) path: String,
    /// Line of the statement, from 1.
    line: usize,
}

/// Imports of a text, and the text without them, line for line.
///
/// # Errors
/// A malformed import, or a name that is imported twice, with its line.
pub(super) fn imports(text: &str) -> Result<(Vec<Import>, String), String> {
    let (mut found, mut rest): (Vec<Import>, _) = (Vec::new(), String::with_capacity(text.len()));
    let mut left = text;
    // imports start at the beginning of a line
    while let Some(start) =
        if left.starts_with("import ") { Some(0) } else { left.find("\nimport ").map(|at| at + 1) }
    {
        rest.push_str(&left[..start]);
        let line = rest.matches('\n').count() + 1;
        let statement = &left[start..];
        let end = statement.find(';').ok_or_else(|| format!("line {line}: an import without a semicolon"))?;
        let path = statement["import ".len()..end].trim();
        let (head, list) = path.split_once('{').unwrap_or(("", path));
        if !path.contains("::") {
            return Err(format!("line {line}: import {path}: no module"));
        }
        for item in list.trim_end_matches('}').split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (item, name) =
                item.split_once(" as ").map_or((item, stem(item)), |(a, b)| (a.trim(), b.trim()));
            // `stem::{self}` is the file itself
            let path =
                if item == "self" { head.trim_end_matches(':').to_owned() } else { format!("{head}{item}") };
            let name = if item == "self" { stem(&path) } else { name };
            if found.iter().any(|i| i.name == name) {
                return Err(format!("line {line}: {name} is imported twice"));
            }
            let name = name.to_owned();
            found.push(Import { name, path, line });
        }
        rest.extend(statement[..end].chars().filter(|c| *c == '\n'));
        left = &statement[end + 1..];
    }
    rest.push_str(left);
    Ok((found, rest))
}

/// What an item is called.
#[derive(Clone, Debug)]
struct Linked {
    /// Base name in the text of all files.
    name: String,
    function: bool,
}

/// Names of the items of all files.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// By path of the file and base name there.
    linked: BTreeMap<String, BTreeMap<String, Linked>>,
}

/// A file in the names of the linked text.
#[derive(Clone, Debug, Default)]
pub(super) struct Resolved {
    /// Names and texts of its items.
    pub(super) items: Vec<(String, String)>,
    /// Base names of the items of other files that it sees, with the paths of these files.
    pub(super) imports: BTreeMap<String, String>,
}

impl Names {
    /// Names of all files.
    ///
    /// # Errors
    /// A malformed import, or two items that cannot be told apart, with their files.
    pub(super) fn new(files: &[File<'_>]) -> Result<Self, String> {
        let mut owners: BTreeMap<&str, Vec<(&str, bool)>> = BTreeMap::new();
        for file in files {
            for (name, function) in declared(file.source) {
                owners.entry(name).or_default().push((file.path, function));
            }
        }
        let mut by_path = BTreeSet::new();
        for file in files {
            by_path.extend(used_by_path(file.source).map_err(|what| format!("{}: {what}", file.path))?);
        }
        let mut names = Self::default();
        let mut taken: BTreeMap<String, &str> = BTreeMap::new();
        for (short, owners) in &owners {
            for &(path, function) in owners {
                let stage = path.starts_with("package::kernels::") && stem(path) == *short;
                let alone = owners.len() == 1
                    && !BUILT_IN.contains(&format!(" {short} "))
                    && !by_path.contains(&(path.to_owned(), (*short).to_owned()));
                let name =
                    if alone || stage { (*short).to_owned() } else { format!("{}_{short}", stem(path)) };
                if let Some(other) = taken.insert(name.clone(), path) {
                    return Err(format!("{name} is defined in {path} and in {other}"));
                }
                let of_file = names.linked.entry(path.to_owned()).or_default();
                of_file.insert((*short).to_owned(), Linked { name, function });
            }
        }
        Ok(names)
    }

    /// Gives names to the items of one more file, which leave those of the others as they are.
    ///
    /// # Errors
    /// A malformed import or declaration, with its line.
    pub(super) fn add(&mut self, file: &File<'_>) -> Result<(), String> {
        let taken =
            |name: &str| self.linked.values().any(|items| items.values().any(|item| item.name == name));
        let named = |item: &Item<'_>| {
            let (short, function) = (base(item.name), item.kind == ItemKind::Function);
            let clashes = taken(short) || BUILT_IN.contains(&format!(" {short} "));
            let name = if clashes { format!("{}_{short}", stem(file.path)) } else { short.to_owned() };
            (short.to_owned(), Linked { name, function })
        };
        let (_, text) = imports(file.text)?;
        let items = syntax::items(&text).map_err(|e| e.to_string())?.iter().map(named).collect();
        self.linked.insert(file.path.to_owned(), items);
        Ok(())
    }

    /// True if a file has a function of this name.
    pub(super) fn is_function(&self, path: &str, name: &str) -> bool {
        self.linked(path, name).is_some_and(|item| item.function)
    }

    /// What an item of a file is called.
    fn linked(&self, path: &str, name: &str) -> Option<&Linked> {
        self.linked.get(path)?.get(base(name))
    }

    /// A generated text, which imports nothing and names items that files share by path, `stem::a`.
    pub(super) fn qualify(&self, text: &str) -> String {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = rest.find("::") {
            let begin = rest[..at].rfind(|c| !is_word(c)).map_or(0, |k| k + 1);
            let after = &rest[at + 2..];
            let name = &after[..after.find(|c| !is_word(c)).unwrap_or(after.len())];
            let mut files = self.linked.keys().filter(|path| stem(path) == &rest[begin..at]);
            let Some(linked) = files.find_map(|path| self.linked(path, name)) else {
                out.push_str(&rest[..at + 2]);
                rest = after;
                continue;
            };
            out.push_str(&rest[..begin]);
            out.push_str(&linked.name);
            rest = &after[base(name).len()..];
        }
        out + rest
    }

    /// Files that declare a name.
    pub(super) fn owners(&self, name: &str) -> impl Iterator<Item = &str> {
        let of = self.linked.iter().filter(move |(_, names)| names.contains_key(base(name)));
        of.map(|(path, _)| path.as_str())
    }

    /// A file in the names of the linked text.
    ///
    /// # Errors
    /// A malformed import or declaration, an import of what no file declares, or a path through a file that is not
    /// imported, with its line.
    pub(super) fn resolve(&self, file: &File<'_>) -> Result<Resolved, String> {
        let (imports, text) = imports(file.text)?;
        let items = syntax::items(&text).map_err(|e| e.to_string())?;
        let scope = Scope::new(self, file.path, &imports, &items)?;
        let mut resolved = Resolved::default();
        for (linked, path) in scope.items.values() {
            resolved.imports.insert(linked.name.clone(), (*path).to_owned());
        }
        for item in &items {
            let (mut out, mut at) = (String::with_capacity(item.text.len()), item.start);
            let mut own = item.name.to_owned();
            for word in item.references() {
                let Some((linked, path)) = scope.meaning(&word)? else { continue };
                let name = format!("{}{}", linked.name, &word.name[base(word.name).len()..]);
                if word.module.is_some() {
                    resolved.imports.insert(linked.name.clone(), path.to_owned());
                }
                out.push_str(&text[at..word.start]);
                out.push_str(&name);
                at = word.end;
                if word.declares {
                    own = name;
                }
            }
            out.push_str(&text[at..item.start + item.text.len()]);
            resolved.items.push((own, out));
        }
        Ok(resolved)
    }
}

/// What the names of a file mean.
struct Scope<'a> {
    names: &'a Names,
    path: &'a str,
    /// Base names of its own items: a conditional block may leave one out in favour of an imported one.
    own: BTreeSet<&'a str>,
    /// Paths of imported files.
    files: BTreeMap<&'a str, &'a str>,
    /// Imported items, with the paths of their files.
    items: BTreeMap<&'a str, (&'a Linked, &'a str)>,
}

impl<'a> Scope<'a> {
    fn new(names: &'a Names, path: &'a str, imports: &'a [Import], own: &[Item<'a>]) -> Result<Self, String> {
        let (mut files, mut items) = (BTreeMap::new(), BTreeMap::new());
        for import in imports {
            if names.linked.contains_key(&import.path) {
                files.insert(import.name.as_str(), import.path.as_str());
                continue;
            }
            let (from, name) = import.path.rsplit_once("::").unwrap_or(("", &import.path));
            let linked = names
                .linked(from, name)
                .ok_or_else(|| format!("line {}: {from} has no {name}", import.line))?;
            items.insert(import.name.as_str(), (linked, from));
        }
        let own = own.iter().map(|item| base(item.name)).collect();
        Ok(Self { names, path, own, files, items })
    }

    /// Item that a word names, with the path of its file; `None` for variables and what the generator provides.
    fn meaning(&self, word: &Reference<'_>) -> Result<Option<(&'a Linked, &'a str)>, String> {
        if let Some(module) = word.module {
            let wrong = |what: &str| format!("line {}: {module}::{}: {what}", word.line, word.name);
            let path = self.files.get(module).ok_or_else(|| wrong(&format!("{module} is not imported")))?;
            let linked = self
                .names
                .linked(path, word.name)
                .ok_or_else(|| wrong(&format!("{path} has no such item")))?;
            return Ok(Some((linked, path)));
        }
        let own = self.names.linked(self.path, word.name).filter(|_| self.own.contains(base(word.name)));
        let own = own.map(|linked| (linked, self.path));
        let found = own.or_else(|| self.items.get(base(word.name)).copied());
        // a variable may have the name of a function
        Ok(found.filter(|(linked, _)| word.called || word.declares || !linked.function))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// Items of the last of these files, in the names of the linked text.
    fn last(files: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let files: Vec<File<'_>> =
            files.iter().map(|&(path, text)| File { path, source: text, text }).collect();
        let resolved = Names::new(&files)?.resolve(files.last().unwrap())?;
        Ok(resolved.items.into_iter().map(|(_, text)| text).collect())
    }

    #[test]
    fn imports_are_read_and_taken_out() {
        let source = "// a file\nimport package::math::trig::PI;\nimport package::a::b::{\n    c, d as e,\n};\n\nfn f() {}\n";
        let (found, rest) = imports(source).unwrap();
        let found: Vec<_> = found.iter().map(|i| (i.name.as_str(), i.path.as_str(), i.line)).collect();
        let (pi, c, d) = ("package::math::trig::PI", "package::a::b::c", "package::a::b::d");
        assert_eq!(found, [("PI", pi, 2), ("c", c, 3), ("e", d, 3)]);
        assert_eq!(rest, "// a file\n\n\n\n\n\nfn f() {}\n");
        for (wrong, said) in [
            ("\nimport package::a::{b, b};", "line 2: b is imported twice"),
            ("import package::a", "line 1: an import without a semicolon"),
            ("import a;", "line 1: import a: no module"),
        ] {
            assert_eq!(imports(wrong).unwrap_err(), said);
        }
    }

    #[test]
    fn names_of_one_file_stay() {
        let pid = (
            "package::x::pid",
            "struct Pid { rates: f32, }\nfn rates(p: Pid) -> f32 { let near = p.rates; return near; }",
        );
        let text = "import package::x::pid;\nimport package::x::pid::Pid;\nfn f(p: Pid) -> f32 { return pid::rates(p); }";
        assert_eq!(last(&[pid]).unwrap()[1], "fn rates(p: Pid) -> f32 { let near = p.rates; return near; }");
        assert_eq!(
            last(&[pid, ("package::x::f", text)]).unwrap(),
            ["fn f(p: Pid) -> f32 { return pid_rates(p); }"]
        );
    }

    #[test]
    fn shared_names_have_their_files_before_them() {
        let pid = ("package::x::pid", "fn rates() { let rates = 1; }\nfn advance__A() { rates(); A(1u); }");
        let motor = ("package::x::motor", "@group(0) @binding(0) var<storage> N: u32;\nfn rates() {}\n");
        assert_eq!(
            last(&[motor, pid]).unwrap(),
            ["fn pid_rates() { let rates = 1; }", "fn advance__A() { pid_rates(); A(1u); }"]
        );
        let text = "import package::x::motor::{self};\nimport package::x::{pid::rates as other, pid::advance};\nfn f() { motor::rates(); other(motor::N); advance__qpos(); }";
        assert_eq!(
            last(&[motor, pid, ("package::y::f", text)]).unwrap(),
            ["fn f() { motor_rates(); pid_rates(motor_N); advance__qpos(); }"]
        );
    }

    #[test]
    fn what_a_block_leaves_out_may_be_imported() {
        let tiles = ("package::x::tiles", "fn update() {}");
        let source =
            "import package::x::tiles::update;\nfn f() { update(); }\n//#if OWN\nfn update() {}\n//#endif\n";
        for (text, called) in [(source, "solve_update"), (&source[..source.len() - 34], "tiles_update")] {
            let files = [
                File { path: tiles.0, source: tiles.1, text: tiles.1 },
                File { path: "package::x::solve", source, text },
            ];
            let resolved = Names::new(&files).unwrap().resolve(&files[1]).unwrap();
            assert_eq!(resolved.items[0].1, format!("fn f() {{ {called}(); }}"));
        }
    }

    #[test]
    fn built_in_functions_keep_their_names_and_stages_too() {
        let vector = ("package::m::vector", "fn length(x: f32) -> f32 { return length(x); }");
        assert_eq!(
            last(&[vector]).unwrap(),
            ["fn vector_length(x: f32) -> f32 { return vector_length(x); }"]
        );
        let rates = ("package::x::rates", "fn rates() {}");
        let stage = ("package::kernels::rates", "import package::x::rates;\nfn rates() { rates::rates(); }");
        assert_eq!(last(&[rates, stage]).unwrap(), ["fn rates() { rates_rates(); }"]);
    }

    #[test]
    fn errors_say_where() {
        let pid = ("package::x::pid", "fn rates() {}");
        for (text, said) in [
            ("\nimport package::x::pid::rate;", "line 2: package::x::pid has no rate"),
            ("import package::x::pi::rates;", "line 1: package::x::pi has no rates"),
            ("fn f() {\n    pid::rates();\n}", "line 2: pid::rates: pid is not imported"),
            (
                "import package::x::pid;\nfn f() { pid::rate(); }",
                "line 2: pid::rate: package::x::pid has no such item",
            ),
            ("fn f() {\n", "line 1: expected '}', found the end"),
        ] {
            assert_eq!(last(&[pid, ("package::x::f", text)]).unwrap_err(), said);
        }
        let lost = ("package::x::f", "\nimport package::x::pid");
        assert_eq!(last(&[pid, lost]).unwrap_err(), "package::x::f: line 2: an import without a semicolon");
        let twice = [("package::x::a", "fn f() {}"), ("package::y::a", "fn f() {}")];
        assert_eq!(last(&twice).unwrap_err(), "a_f is defined in package::y::a and in package::x::a");
    }
}
