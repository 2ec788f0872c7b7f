//! A task compiled for a model: names resolved, lengths checked, and for each part the nodes that it needs, in order.

mod laws;
mod lookup;
mod sharing;

pub use laws::{CONTACT_ARGUMENTS, ContactLaw, ContactPart, LawForce, LawTarget, Laws};

use std::collections::BTreeSet;

use self::lookup::{count_rows, have_rows, is_in_place, no_rows, tabulate};
use super::arithmetic::fold;
use super::node::{Form, Node, Op, SHORT};
use super::{Command, Task, Term, Variable, Write};
use crate::error::{Error, Result, suggest};
use crate::model::Model;
use crate::model::data::Data;
use crate::model::state::keyframe_fields;
use crate::schema::stages::Stage;
use crate::schema::{Elem, Field, Role, Sizes};

/// A part of a step, with values of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Fields set before the model is stepped.
    Begin,
    /// Fields of the keyframe at which an episode begins.
    Keyframe,
    /// Fields set where an episode begins.
    Restart,
    /// Rewards, metrics and terminations.
    Outcome,
    /// Variables after a step.
    Renew,
    /// Variables where an episode begins.
    First,
    /// Observation.
    Observe,
    /// Outputs of user sensors.
    Sense,
    /// Forces, controls, gains, biases and rates of laws.
    Law,
    /// A law of contacts, by its place among them.
    Contact(usize),
}

/// Where a leaf reads, with the place of a field in its table.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// No leaf, or one that reads nothing.
    None,
    /// A field of the world.
    Data(usize, &'static Field),
    /// A field of the model.
    Model(usize, &'static Field),
    /// The first number of a variable.
    Variable(usize),
}

/// Elements that get the values of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// What gets the values.
    pub place: Place,
    /// Places of the elements.
    pub elements: Vec<usize>,
    /// Node: as many elements, or one for all.
    pub value: usize,
}

/// What gets values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A field of the world, with its place in the table.
    Field(usize, &'static Field),
    /// Numbers that the task remembers next.
    Next,
    /// Terms of the reward, and metrics.
    Term,
    /// Conditions of an end.
    Termination,
    /// The observation.
    Observation,
    /// Outputs of a user sensor.
    Sensor(usize),
    /// A contact.
    Contact,
}

/// A compiled task, or the compiled formulas of user sensors and of laws.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    task: Task,
    nodes: Vec<Node>,
    sources: Vec<Source>,
    /// First value of each node in the work space.
    offsets: Vec<usize>,
    /// Numbers that are looked up in the model, those of the task first.
    table: Vec<f64>,
    /// First number of a node in the table, if it has some there: long vectors of different constants, geoms of rays.
    in_table: Vec<Option<usize>>,
    /// Short vectors that lanes of a kernel share as long ones: outputs of networks, and what is made of them once.
    shared: Vec<bool>,
    work: usize,
    variables: usize,
    observation: usize,
    /// Laws of formulas.
    laws: Laws,
    /// Parts with what they assign and the nodes that they need.
    parts: Vec<(Part, Vec<Assignment>, Vec<usize>)>,
}

impl Program {
    /// Compiles a task for a model.
    pub fn new(task: &Task, model: &Model) -> Result<Self> {
        let wrong = |what: String| Err(Error::Argument(what));
        if task.frame_skip == 0 {
            return wrong("a task steps the model at least once: frame_skip is 0".to_owned());
        }
        if task.action > MOST_ELEMENTS {
            return wrong(format!("an action has at most {MOST_ELEMENTS} numbers, got {}", task.action));
        }
        if task.max_episode_steps.is_some_and(|n| n == 0 || i32::try_from(n).is_err()) {
            return wrong("max_episode_steps is from 1 to 2147483647".to_owned());
        }
        if task.keyframe.is_some_and(|k| k >= model.sizes.nkey) {
            let (k, n) = (task.keyframe.unwrap_or(0), model.sizes.nkey);
            return wrong(format!("keyframe {k} does not exist: the model has {n}"));
        }
        let mut nodes = task.nodes.clone();
        if task.table.len() > MOST_ELEMENTS || task.table.iter().any(|x| !x.is_finite()) {
            return wrong(format!("a task looks up at most {MOST_ELEMENTS} numbers, all finite"));
        }
        let fail = |k: usize, why: String| Error::Argument(format!("node {k} of the task: {why}"));
        for (k, node) in nodes.iter().enumerate() {
            check(node, k, &nodes).map_err(|why| fail(k, why))?;
        }
        fold(&mut nodes).map_err(|(k, why)| fail(k, why))?;
        let (table, in_table) = tabulate(task, model, &nodes)?;
        let sizes =
            Sizes { ntask: 1, naction: task.action, ntasktable: table.len(), ..model.sizes.without_task() };
        // where the variables are
        let mut variables = 0;
        let mut firsts = Vec::new();
        for v in &task.variables {
            let size = nodes.get(v.reset).map_or(0, |n| n.size);
            firsts.push((v, variables, size));
            variables += size;
        }
        let read = |(k, node): (usize, &Node)| source(node, &sizes, &firsts, 0).map_err(|why| fail(k, why));
        let mut sources = nodes.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?;
        count_rows(&mut nodes, &sources, &sizes, &firsts);
        // the keyframe is set by nodes like others
        let keyed = keyframe(task, &sizes, &mut nodes, &mut sources)?;
        let (offsets, work) = places(&nodes);
        let mut program = Self {
            task: task.clone(),
            nodes,
            sources,
            offsets,
            work,
            table,
            in_table,
            shared: Vec::new(),
            variables,
            observation: 0,
            laws: Laws::default(),
            parts: Vec::new(),
        };
        let begin = program.writes(&task.writes, &sizes, "writes")?;
        let restart = program.writes(&task.resets, &sizes, "reset")?;
        program.check_begin(&restart)?;
        let (next, first) = (program.renewals(|v| v.update)?, program.renewals(|v| v.reset)?);
        let mut outcome = program.terms(Place::Term, task.reward.iter().chain(&task.metrics))?;
        outcome.extend(program.terms(Place::Termination, task.termination.iter())?);
        let observe = program.observations()?;
        program.observation = observe.iter().map(|a| a.elements.len()).sum();
        program.check_rays(begin.iter().chain(&restart))?;
        program.add(Part::Begin, begin);
        program.add(Part::Keyframe, keyed);
        program.add(Part::Restart, restart);
        program.add(Part::Outcome, outcome);
        program.add(Part::Renew, next);
        program.add(Part::First, first);
        program.add(Part::Observe, observe);
        program.share();
        if let Some(policy) = &task.policy {
            let right = policy.check(program.observation, task.action);
            right.map_err(|why| Error::Argument(format!("the policy of the task: {why}")))?;
        }
        for command in &task.commands {
            program.check_command(command)?;
        }
        Ok(program)
    }

    /// Rejects a command that is no variable.
    fn check_command(&self, command: &Command) -> Result<()> {
        let (name, numbers) = (&command.name, command.numbers.len());
        let size = self.variable(name).map(|places| places.len());
        if size != Some(numbers) || numbers == 0 {
            let size = size.unwrap_or(0);
            return Err(Error::Argument(format!(
                "command '{name}' has {numbers} numbers, its variable {size}: a command has those of the variable of its name"
            )));
        }
        if let Some(timer) = &command.timer
            && self.variable(timer).is_none_or(|places| places.len() != 1)
        {
            return Err(Error::Argument(format!(
                "command '{name}': its timer '{timer}' is no variable of one number"
            )));
        }
        match command.numbers.iter().find(|n| !(n.low.is_finite() && n.high.is_finite() && n.low <= n.high)) {
            Some(n) => {
                let number = &n.name;
                Err(Error::Argument(format!(
                    "command '{name}': '{number}' has no range from a least to a largest number"
                )))
            }
            None => Ok(()),
        }
    }

    /// Elements of `task_variable` of a variable.
    pub fn variable(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let mut first = 0;
        for variable in &self.task.variables {
            let size = self.nodes.get(variable.reset).map_or(0, |node| node.size);
            if variable.name == name {
                return Some(first..first + size);
            }
            first += size;
        }
        None
    }

    fn add(&mut self, part: Part, assigns: Vec<Assignment>) {
        let needed = self.needed(assigns.iter().map(|a| a.value));
        self.parts.push((part, assigns, needed));
    }

    /// Steps of the model per step of the environment.
    pub fn frame_skip(&self) -> usize {
        self.task.frame_skip
    }

    /// The task.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// True if some part reads a field of the world that the given stage writes.
    pub fn reads(&self, stage: Stage) -> bool {
        let used = self.parts.iter().flat_map(|(_, _, nodes)| nodes);
        used.filter_map(|n| self.sources.get(*n))
            .any(|s| matches!(s, Source::Data(_, f) if f.role == Role::Result(stage)))
    }

    /// True if some part reads a field of the world, or sets it.
    pub fn concerns(&self, name: &str) -> bool {
        let read = self.parts.iter().flat_map(|(_, _, nodes)| nodes).filter_map(|n| self.sources.get(*n));
        let set = self.parts.iter().flat_map(|(_, assignments, _)| assignments).map(|a| a.place);
        read.into_iter().any(|s| matches!(s, Source::Data(_, f) if f.name == name))
            || set.into_iter().any(|place| matches!(place, Place::Field(_, f) if f.name == name))
    }

    /// Numbers of the observation.
    pub fn observation_size(&self) -> usize {
        self.observation
    }

    /// Numbers that the task remembers.
    pub fn variables_size(&self) -> usize {
        self.variables
    }

    /// Numbers that nodes look up in the model.
    pub fn table(&self) -> &[f64] {
        &self.table
    }

    /// First number of a node in the table: of a long vector of constants, or of the geoms of a ray.
    pub fn in_table(&self, node: usize) -> Option<usize> {
        self.in_table.get(node).copied().flatten()
    }

    /// True if rays are cast at geoms of a type.
    pub fn casts_at(&self, model: &Model, geom_type: i32) -> bool {
        let hits = |g: &usize| model.geom_type[*g] == geom_type;
        self.nodes.iter().any(|node| matches!(&node.op, Op::Ray { geoms, .. } if geoms.iter().any(hits)))
    }

    /// Numbers of scratch memory that the nodes need.
    pub fn work_size(&self) -> usize {
        self.work
    }

    /// The nodes, arguments before what uses them.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Where a leaf reads.
    pub fn source(&self, node: usize) -> &Source {
        self.sources.get(node).unwrap_or(&Source::None)
    }

    /// First number of a node in scratch memory.
    pub fn offset(&self, node: usize) -> usize {
        self.offsets.get(node).copied().unwrap_or(0)
    }

    /// What a part assigns.
    pub fn assignments(&self, part: Part) -> &[Assignment] {
        self.part(part).map_or(&[], |(_, all, _)| all)
    }

    /// Nodes that a part needs, in order.
    pub fn order(&self, part: Part) -> &[usize] {
        self.part(part).map_or(&[], |(_, _, nodes)| nodes)
    }

    fn part(&self, part: Part) -> Option<&(Part, Vec<Assignment>, Vec<usize>)> {
        self.parts.iter().find(|(of, ..)| *of == part)
    }

    /// Nodes that others use, and these, in order.
    fn needed(&self, roots: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut used = vec![false; self.nodes.len()];
        roots.for_each(|n| used[n] = true);
        // nodes come after what they use
        for k in (0..self.nodes.len()).rev() {
            if used[k] {
                self.nodes[k].args.iter().for_each(|a| used[*a] = true);
            }
        }
        (0..self.nodes.len()).filter(|k| used[*k]).collect()
    }

    fn node(&self, what: &str, value: usize) -> Result<&Node> {
        let missing = || Error::Argument(format!("{what}: the task has no node {value}"));
        self.nodes.get(value).ok_or_else(missing)
    }

    /// Fields of the state that are set.
    fn writes(&self, all: &[Write], sizes: &Sizes, part: &str) -> Result<Vec<Assignment>> {
        let mut made = Vec::new();
        for write in all {
            let name = &write.field;
            let (at, field) = place_of(Data::<f64>::FIELDS, name).ok_or_else(|| {
                let names = Data::<f64>::FIELDS.iter().filter(|f| settable(f)).map(|f| f.name);
                Error::Argument(format!("{part}: there is no field '{name}'{}", suggest(name, names)))
            })?;
            if !settable(field) {
                return Err(Error::Argument(format!("{part}: '{name}' is no field that a task may set")));
            }
            let len = field.len(sizes);
            if let Some(i) = write.elements.iter().find(|i| **i >= len) {
                return Err(Error::Argument(format!("{part}: '{name}' has no element {i}: it has {len}")));
            }
            let node = self.node(part, write.value)?;
            if node.size != 1 && node.size != write.elements.len() {
                let (n, got) = (write.elements.len(), node.size);
                return Err(Error::Argument(format!("{part}: {n} elements of '{name}' get {got} values")));
            }
            let elements = write.elements.clone();
            made.push(Assignment { place: Place::Field(at, field), elements, value: write.value });
        }
        self.check_order(&made, part)?;
        Ok(made)
    }

    /// Rejects rays in values that are set before a step.
    fn check_rays<'a>(&self, mut all: impl Iterator<Item = &'a Assignment>) -> Result<()> {
        let casts = |n: &usize| matches!(self.nodes[*n].op, Op::Ray { .. });
        match all.any(|a| self.needed(std::iter::once(a.value)).iter().any(casts)) {
            true => Err(Error::Argument(
                "a value that is set before a step, or where an episode begins, casts rays: they are cast after a step; let \
                 a variable remember what they hit"
                    .to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// Rejects values where an episode begins that read what is not the same before and after the step of the model that
    /// follows: a world is reset twice with the same numbers.
    fn check_begin(&self, all: &[Assignment]) -> Result<()> {
        for n in self.needed(all.iter().map(|a| a.value)) {
            if let Source::Data(_, field) = self.source(n)
                && (!field.role.is_state() || field.role == Role::Counter)
                && field.name != "task_tick"
            {
                let name = field.name;
                return Err(Error::Argument(format!(
                    "reset: a value reads '{name}', which is not known where an episode begins: fields of the state, which \
                     have just been reset, and of the model are"
                )));
            }
        }
        Ok(())
    }

    /// Rejects elements that are set twice, and values that read what is set with them, unless each element reads itself
    /// only: lanes set elements in no particular order.
    fn check_order(&self, all: &[Assignment], part: &str) -> Result<()> {
        let mut seen = BTreeSet::new();
        for one in all {
            let Place::Field(at, field) = one.place else { continue };
            if let Some(i) = one.elements.iter().find(|i| !seen.insert((at, **i))) {
                return Err(Error::Argument(format!("{part}: element {i} of '{}' is set twice", field.name)));
            }
        }
        let set: Vec<&Field> = all
            .iter()
            .filter_map(|a| if let Place::Field(_, f) = a.place { Some(f) } else { None })
            .collect();
        for one in all {
            for n in self.needed(std::iter::once(one.value)) {
                let Source::Data(_, read) = self.source(n) else { continue };
                if !set.iter().any(|f| f.name == read.name) {
                    continue;
                }
                let own = matches!(one.place, Place::Field(_, f) if f.name == read.name);
                let times =
                    all.iter().filter(|a| matches!(a.place, Place::Field(_, f) if f.name == read.name));
                let same =
                    matches!(&self.nodes[n].op, Op::Field { elements, .. } if *elements == one.elements);
                if !(own && same && times.count() == 1 && self.is_elementwise(one.value, n)) {
                    let name = read.name;
                    return Err(Error::Argument(format!(
                        "{part}: a value reads '{name}', which is set with it: element by element it may read what it \
                         sets, else let a variable remember it"
                    )));
                }
            }
        }
        Ok(())
    }

    /// True if every way from a node to another keeps the places of the elements.
    fn is_elementwise(&self, from: usize, to: usize) -> bool {
        // nodes that use the other one, directly or not
        let mut uses = vec![false; self.nodes.len()];
        uses[to] = true;
        for k in to + 1..self.nodes.len() {
            uses[k] = self.nodes[k].args.iter().any(|a| uses[*a]);
        }
        let between = self.needed(std::iter::once(from)).into_iter().filter(|k| uses[*k] && *k != to);
        between.map(|k| self.nodes[k].op.form()).all(|form| matches!(form, Form::Elementwise(_)))
    }

    /// What variables become.
    fn renewals(&self, of: impl Fn(&Variable) -> usize) -> Result<Vec<Assignment>> {
        let mut first = 0;
        let mut made = Vec::new();
        for variable in &self.task.variables {
            let what = format!("variable '{}'", variable.name);
            let (size, value) = (self.node(&what, variable.reset)?.size, of(variable));
            let got = self.node(&what, value)?.size;
            if got != 1 && got != size {
                return Err(Error::Argument(format!("{what} has length {size}, its update {got}")));
            }
            if got == 1 {
                made.push(Assignment {
                    place: Place::Next,
                    elements: (first..first + size).collect(),
                    value,
                });
            } else {
                self.spread(Place::Next, first, value, &mut made);
            }
            first += size;
        }
        Ok(made)
    }

    /// Single numbers in a row.
    fn terms<'a>(&self, place: Place, all: impl Iterator<Item = &'a Term>) -> Result<Vec<Assignment>> {
        let one = |(k, term): (usize, &Term)| {
            let what = format!("'{}'", term.name);
            match self.node(&what, term.value)?.size {
                1 => Ok(Assignment { place, elements: vec![k], value: term.value }),
                n => Err(Error::Argument(format!("{what} is a single number, got a vector of length {n}"))),
            }
        };
        all.enumerate().map(one).collect()
    }

    /// Vectors one after the other; those that are joined from others as several.
    fn observations(&self) -> Result<Vec<Assignment>> {
        let mut made = Vec::new();
        let mut first = 0;
        for term in &self.task.observation {
            let size = self.node(&format!("observation '{}'", term.name), term.value)?.size;
            self.spread(Place::Observation, first, term.value, &mut made);
            first += size;
        }
        Ok(made)
    }

    /// Assigns a vector to elements from one on; one that is joined from others as several, so that lanes share each.
    fn spread(&self, place: Place, first: usize, value: usize, made: &mut Vec<Assignment>) {
        let (mut next, mut waiting) = (first, vec![value]);
        while let Some(value) = waiting.pop() {
            let node = &self.nodes[value];
            if node.op == Op::Concat {
                waiting.extend(node.args.iter().rev());
                continue;
            }
            made.push(Assignment { place, elements: (next..next + node.size).collect(), value });
            next += node.size;
        }
    }
}

/// First value of each node in the work space, and the number of all values.
fn places(nodes: &[Node]) -> (Vec<usize>, usize) {
    let mut offsets = Vec::with_capacity(nodes.len());
    let mut work = 0;
    for node in nodes {
        offsets.push(work);
        work += node.size;
    }
    (offsets, work)
}

/// Fields that a task may set.
fn settable(field: &Field) -> bool {
    field.role.is_state() && field.elem == Elem::Real && ![Role::Action, Role::History].contains(&field.role)
}

/// A field with its place in a table.
fn place_of(table: &'static [Field], name: &str) -> Option<(usize, &'static Field)> {
    table.iter().enumerate().find(|(_, f)| f.name == name)
}

/// Checks arguments and length of a node.
fn check(node: &Node, place: usize, nodes: &[Node]) -> std::result::Result<(), String> {
    if let Some(a) = node.args.iter().find(|a| **a >= place) {
        return Err(format!("it uses node {a}, which is not before it"));
    }
    let lengths: Vec<usize> = node.args.iter().map(|a| nodes[*a].size).collect();
    let picks = |elements: &[usize]| elements.iter().all(|i| lengths.first().is_some_and(|n| i < n));
    let fits = match (node.op.form(), &node.op) {
        (Form::Leaf, Op::Const { values }) => {
            values.len() == node.size && lengths.is_empty() && values.iter().all(|x| x.is_finite())
        }
        (Form::Leaf, Op::Steps) => node.size == 1 && lengths.is_empty(),
        (Form::Leaf, _) => lengths.is_empty(),
        (Form::Elementwise(n), _) => {
            let longest = lengths.iter().copied().max().unwrap_or(0);
            lengths.len() == n && longest == node.size && lengths.iter().all(|l| *l == 1 || *l == longest)
        }
        (Form::Reduction, _) => lengths.len() == 1 && lengths[0] > 0 && node.size == 1,
        (Form::Concat, _) => lengths.iter().sum::<usize>() == node.size,
        (Form::Pick, Op::Pick { elements }) => {
            lengths.len() == 1 && elements.len() == node.size && picks(elements)
        }
        (Form::Row, Op::Row { rows, elements, .. } | Op::Recall { rows, elements, .. }) => {
            lengths == [1] && elements.len() == node.size && elements.iter().all(|i| *i < rows.width)
        }
        (Form::Pick | Form::Row, _) => false,
    };
    match fits && (1..=MOST_ELEMENTS).contains(&node.size) {
        true => Ok(()),
        false => Err(format!(
            "'{:?}' of length {} does not go with arguments of lengths {lengths:?}",
            node.op, node.size
        )),
    }
}

/// Longest vector.
const MOST_ELEMENTS: usize = 1 << 16;

/// What a leaf reads.
fn source(
    node: &Node,
    sizes: &Sizes,
    variables: &[(&Variable, usize, usize)],
    arguments: usize,
) -> std::result::Result<Source, String> {
    let inside = |what: &str, elements: &[usize], len: usize| {
        if elements.len() != node.size {
            return Err(format!(
                "{} elements of '{what}' are no vector of length {}",
                elements.len(),
                node.size
            ));
        }
        match elements.iter().find(|i| **i >= len) {
            Some(i) => Err(format!("'{what}' has no element {i}: it has {len}")),
            None => Ok(()),
        }
    };
    match &node.op {
        Op::Field { name, elements } => {
            if let Some((at, field)) =
                place_of(Data::<f64>::FIELDS, name).filter(|(_, f)| f.role != Role::Scratch)
            {
                inside(name, elements, field.len(sizes))?;
                return match field.counted_by() {
                    None if [Stage::inverse, Stage::fwdinv].iter().any(|stage| field.is_of(*stage)) => {
                        Err(format!("'{name}' is a result of inverse dynamics, which is no part of a step"))
                    }
                    Some(by) => Err(format!(
                        "'{name}' has as many rows as the world has contacts or constraints ({by}): their places differ \
                         from step to step; use a contact sensor"
                    )),
                    None => Ok(Source::Data(at, field)),
                };
            }
            if let Some((at, field)) = place_of(Model::<f64>::FIELDS, name) {
                inside(name, elements, field.len(sizes))?;
                return Ok(Source::Model(at, field));
            }
            let names = Data::<f64>::FIELDS.iter().chain(Model::<f64>::FIELDS).map(|f| f.name);
            Err(format!("there is no field '{name}'{}", suggest(name, names)))
        }
        Op::Argument { elements } => {
            inside("arguments", elements, arguments)?;
            Ok(Source::None)
        }
        Op::Row { name, rows, .. } => {
            let fits = |field: &Field| have_rows(field.len(sizes), rows);
            let data = place_of(Data::<f64>::FIELDS, name).filter(|(_, f)| f.role != Role::Scratch);
            match (data, place_of(Model::<f64>::FIELDS, name)) {
                (Some((at, field)), _) if fits(field) && is_in_place(field) => Ok(Source::Data(at, field)),
                (None, Some((at, field))) if fits(field) => Ok(Source::Model(at, field)),
                _ => Err(no_rows(name, rows)),
            }
        }
        Op::Recall { name, rows, .. } => {
            let found = variables.iter().find(|(v, ..)| v.name == *name);
            let (_, first, len) = found.ok_or_else(|| format!("there is no variable '{name}'"))?;
            if have_rows(*len, rows) { Ok(Source::Variable(*first)) } else { Err(no_rows(name, rows)) }
        }
        Op::Network(network) => {
            let numbers = sizes.nnumericdata;
            match network.fits(numbers) {
                true => Ok(Source::None),
                false => {
                    Err(format!("a network of these layers does not fit the {numbers} numbers of the model"))
                }
            }
        }
        Op::Action { elements } => {
            inside("action", elements, sizes.naction)?;
            let (at, field) = place_of(Data::<f64>::FIELDS, "action").ok_or("there is no action")?;
            Ok(Source::Data(at, field))
        }
        Op::Variable { name, elements } => {
            let found = variables.iter().find(|(v, ..)| v.name == *name);
            let (_, first, len) = found.ok_or_else(|| format!("there is no variable '{name}'"))?;
            inside(name, elements, *len)?;
            Ok(Source::Variable(*first))
        }
        _ => Ok(Source::None),
    }
}

/// Assignments of the fields of a keyframe, with nodes for their values.
fn keyframe(
    task: &Task,
    sizes: &Sizes,
    nodes: &mut Vec<Node>,
    sources: &mut Vec<Source>,
) -> Result<Vec<Assignment>> {
    let mut made = Vec::new();
    for (field, key) in keyframe_fields().filter(|_| task.keyframe.is_some()) {
        let (Some((at, _)), Some((read, _))) =
            (place_of(Data::<f64>::FIELDS, field.name), place_of(Model::<f64>::FIELDS, key.name))
        else {
            return Err(Error::Argument(format!("a keyframe has no '{}'", field.name)));
        };
        let len = field.len(sizes);
        if len == 0 {
            continue;
        }
        let first = task.keyframe.unwrap_or(0) * len;
        let op = Op::Field { name: key.name.to_owned(), elements: (first..first + len).collect() };
        made.push(Assignment {
            place: Place::Field(at, field),
            elements: (0..len).collect(),
            value: nodes.len(),
        });
        nodes.push(Node { op, size: len, args: Vec::new() });
        sources.push(Source::Model(read, key));
    }
    Ok(made)
}
