//! Tests: what the table of stages says of kernels is what their texts do.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use super::compose::tests::{METRIC, everything, with_solver};
use super::compose::{Composer, SPLIT_SOLVE};
use super::flags;
use super::namespace::imports;
use super::syntax::items;
use super::tiling::{Tiling, WorkingSetSpace};
use manyworlds_kernels::KERNELS;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::schema::stages::{STAGES, Stage, StageRow};
use manyworlds_model::schema::{Field, Role};
use manyworlds_shaders::LIBRARY;

/// Any tiling.
const TILING: Tiling = Tiling { lanes: 1, tile: 1, placement: WorkingSetSpace::Storage };

/// Composers with every optional block: of each kind of tiling, and of each solver.
fn composers() -> Vec<Composer> {
    use WorkingSetSpace::{Registers, Storage, Tiles, Workgroup};
    let pgs = ["PGS", "DUAL", "DUAL_PYRAMIDAL", "DUAL_ELLIPTIC"];
    let smooth = ["SMOOTH", "DUAL", "DUAL_PYRAMIDAL", "DUAL_ELLIPTIC"];
    let noslip = ["NOSLIP", "DUAL", "DUAL_PYRAMIDAL", "DUAL_ELLIPTIC"];
    let tilings = [(1, Storage), (1, Registers), (8, Storage), (8, Workgroup), (8, Tiles)];
    let solvers = [&["CG"][..], &pgs, &smooth, &noslip].map(|solver| with_solver(8, Storage, solver).0);
    let noslip_tiles = with_solver(8, Tiles, &noslip[..3]).0;
    let metric = [&METRIC[..], &[&METRIC[..], &["CG"]].concat(), &[&METRIC[..], &noslip].concat()]
        .map(|blocks| with_solver(8, Storage, blocks).0);
    let plain = tilings.map(|(lanes, placement)| everything(lanes, placement).0);
    plain.into_iter().chain(solvers).chain(metric).chain([noslip_tiles]).collect()
}

/// Fields that some composer names.
fn fields(composers: &[Composer], of: impl Fn(&Composer) -> BTreeSet<&'static str>) -> Vec<&'static Field> {
    let names: BTreeSet<&str> = composers.iter().flat_map(of).collect();
    Data::<f64>::FIELDS.iter().filter(|f| names.contains(f.name)).collect()
}

/// Names of the fields by their roles, without the stage's own results.
fn by_role<'a>(
    row: &StageRow,
    fields: impl Iterator<Item = &'a &'static Field>,
) -> BTreeMap<String, Vec<&'static str>> {
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for field in fields.filter(|f| !f.is_of(row.stage)) {
        found.entry(format!("{:?}", field.role)).or_default().push(field.name);
    }
    found
}

/// What a row does not say of roles that are found, and what it says of others.
fn differences(
    what: &str,
    row: &StageRow,
    said: &[Role],
    found: &BTreeMap<String, Vec<&str>>,
) -> Vec<String> {
    let said: Vec<String> = said.iter().map(|role| format!("{role:?}")).collect();
    let more = found.iter().filter(|(role, _)| !said.contains(role));
    let more = more.map(|(role, names)| format!("{}: also {what} {role}: {}", row.name, names.join(" ")));
    // memory of other stages may be read on the CPU alone
    let less = said.iter().filter(|role| !found.contains_key(*role) && *role != "Scratch");
    more.chain(less.map(|role| format!("{}: {what} no {role}", row.name))).collect()
}

#[test]
fn kernels_read_and_write_what_the_table_says() {
    let composers = composers();
    let mut faults = Vec::new();
    for row in STAGES {
        let results = fields(&composers, |c| c.writes(row.stage));
        let own = |f: &&Field| f.is_of(row.stage);
        for field in Data::<f64>::FIELDS.iter().filter(|f| own(f) && !results.contains(f)) {
            faults.push(format!("{} does not write its result {}", row.name, field.name));
        }
    }
    // what tasks and formulas of sensors read and write is theirs
    let composers: Vec<Composer> = composers.into_iter().map(Composer::without_task).collect();
    for row in STAGES {
        let of = |set, resets| fields(&composers, |c| c.of_function(row.stage, set, resets));
        let (reads, writes, with_resets) = (of(false, false), of(true, false), of(true, true));
        // scratch memory that the kernel does not write is what another one left
        let found = reads.iter().filter(|f| f.role != Role::Scratch || !writes.contains(f));
        faults.extend(differences("reads", row, row.reads, &by_role(row, found)));
        let found = writes.iter().filter(|f| f.role != Role::Scratch);
        faults.extend(differences("writes", row, row.writes, &by_role(row, found)));
        if row.resets != (with_resets != writes) {
            faults.push(format!("{}: resets: {}", row.name, !row.resets));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A top-level item with all parts of its optional blocks, and the flags of these and of the blocks around it.
struct Item {
    name: String,
    module: &'static str,
    text: String,
    flags: BTreeSet<String>,
}

/// Module of functions that are written for a model.
const GENERATED: &str = "";

/// All sources.
struct Sources {
    /// Items by base name: `f` of a template `f__A__B`.
    items: BTreeMap<String, Vec<Item>>,
    /// Imported names of each module, with the full paths of what they name.
    imports: BTreeMap<&'static str, BTreeMap<String, String>>,
    /// A composer that knows every generated function.
    composer: Composer,
}

impl Sources {
    fn new() -> Self {
        let (composer, _) = everything(1, WorkingSetSpace::Storage);
        let mut sources = Self { items: BTreeMap::new(), imports: BTreeMap::new(), composer };
        for source in LIBRARY.iter().chain(KERNELS) {
            let (names, text) = imports(&source.text().unwrap()).unwrap();
            sources.imports.insert(source.path, names.into_iter().map(|i| (i.name, i.path)).collect());
            sources.add(source.path, &text);
        }
        sources
    }

    /// Adds the items of a module: an item ends where all of its braces and parentheses are closed.
    fn add(&mut self, module: &'static str, text: &str) {
        let (mut around, mut flags) = (Vec::new(), BTreeSet::new());
        let (mut item, mut depth) = (String::new(), 0);
        for line in text.lines() {
            let word = line.trim();
            if let Some(flag) = word.strip_prefix("//#if ") {
                around.push(flag.trim_start_matches('!').to_owned());
            } else if word == "//#endif" {
                around.pop();
            }
            let code = word.split("//").next().unwrap().trim_end();
            if !item.is_empty() || !code.is_empty() {
                flags.extend(around.iter().cloned());
            }
            if code.is_empty() {
                continue;
            }
            item += &format!("{code}\n");
            depth += code.matches(['{', '(']).count() as i32 - code.matches(['}', ')']).count() as i32;
            if depth == 0 && code.ends_with(['}', ';']) {
                let (text, flags) = (std::mem::take(&mut item), std::mem::take(&mut flags));
                let name = items(&text).unwrap()[0].name.split("__").next().unwrap().to_owned();
                self.items.entry(name.clone()).or_default().push(Item { name, module, text, flags });
            }
        }
    }

    /// Flags of the blocks of everything that some functions of a module reach.
    fn flags(&self, entries: &[&str], module: &'static str) -> BTreeSet<String> {
        let (mut seen, mut flags) = (BTreeSet::new(), BTreeSet::new());
        let mut queue: Vec<(String, &str)> = entries.iter().map(|e| ((*e).to_owned(), module)).collect();
        while let Some((name, module)) = queue.pop() {
            if !seen.insert((name.clone(), module)) {
                continue;
            }
            for item in self.items.get(&name).into_iter().flatten().filter(|item| item.module == module) {
                flags.extend(item.flags.iter().cloned());
                queue.extend(self.named(&item.text, module));
            }
            if module == GENERATED {
                queue.extend(self.named(&self.composer.generated(&name).unwrap_or_default(), module));
            }
        }
        flags
    }

    /// The items that a name means in a module, alone or behind the name of a file. A generated text sees those of all
    /// modules.
    fn meaning(&self, module: &'static str, file: Option<&str>, name: &str) -> Vec<&Item> {
        let imported =
            |name: &str| self.imports.get(module).and_then(|names| names.get(name)).map(String::as_str);
        let of = |name: &str| self.items.get(name).into_iter().flatten();
        if let Some(file) = file {
            let is_file = |m: &str| match module {
                GENERATED => m.ends_with(&format!("::{file}")),
                _ => imported(file) == Some(m),
            };
            return of(name).filter(|item| is_file(item.module)).collect();
        }
        // an optional block may hold an item of the name of an imported one
        let own = of(name).filter(|item| module == GENERATED || module == item.module);
        let other = imported(name).and_then(|path| path.rsplit_once("::"));
        let other =
            other.into_iter().flat_map(|(from, name)| of(name).filter(move |item| item.module == from));
        own.chain(other).collect()
    }

    /// The items that a text of a module names, with their modules.
    fn named(&self, text: &str, module: &'static str) -> Vec<(String, &'static str)> {
        let mut found = Vec::new();
        for item in items(text).unwrap() {
            for word in item.references().filter(|word| !word.declares) {
                for part in word.name.split("__") {
                    let all = self.meaning(module, word.module, part).into_iter();
                    let all = all.filter(|item| word.called || !item.text.starts_with("fn "));
                    found.extend(all.map(|item| (item.name.clone(), item.module)));
                }
                if self.composer.generated(word.name).is_some() {
                    found.push((word.name.to_owned(), GENERATED));
                }
            }
        }
        found
    }
}

#[test]
fn blocks_of_kernels_have_the_flags_that_the_table_says() {
    let sources = Sources::new();
    let of_tiling = flags::of_tiling(TILING);
    let is_of_model = |flag: &String| of_tiling.iter().all(|(name, _)| name != flag);
    let mut faults = Vec::new();
    for (row, kernel) in STAGES.iter().zip(KERNELS) {
        let mut entries = vec![row.name];
        entries.extend(SPLIT_SOLVE.iter().filter(|_| row.stage == Stage::solve));
        let found = sources.flags(&entries, kernel.path).into_iter().filter(is_of_model);
        let found: BTreeSet<String> = found.collect();
        if !found.iter().eq(row.flags) {
            faults.push(format!("{}: flags: &{found:?}", row.name));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_flag_that_has_a_condition_has_a_block() {
    let model = Model::<f64>::zeroed(everything(1, WorkingSetSpace::Storage).1.sizes);
    let of_tiling = flags::of_tiling(TILING);
    let conditions = flags::flags(&model, TILING).into_keys();
    let conditions = conditions.filter(|flag| of_tiling.iter().all(|(name, _)| name != flag));
    let blocks: BTreeSet<&str> = STAGES.iter().flat_map(|row| row.flags).copied().collect();
    // the solver that is left where no other has its blocks
    let blocks = blocks.into_iter().chain(["NEWTON"]).collect::<BTreeSet<_>>();
    assert_eq!(conditions.collect::<BTreeSet<_>>(), blocks);
}
