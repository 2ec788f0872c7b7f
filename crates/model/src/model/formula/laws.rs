//! Laws: formulas that act on the dynamics, where MuJoCo has callbacks.
//!
//! | custom text | its value |
//! |---|---|
//! | `force:joint:NAME` | passive force on each degree of freedom of a joint |
//! | `force:tendon:NAME` | passive force along a tendon |
//! | `force:site:NAME`, `force:body:NAME` | force in the world's frame at a site or centre of mass, or force and torque |
//! | `control:NAME` | controls of an actuator, instead of the caller's |
//! | `gain:NAME`, `bias:NAME`, `dynamics:NAME` | of an actuator whose type is `user`: force by input, force without input, rates of its activations |
//! | `keep:GEOM` | whether a contact of the geom is kept |
//! | `friction:GEOM`, `solref:GEOM`, `solimp:GEOM` | parameters of the contacts of the geom |
//! | `rate:NAME` | rate of change of a state, which begins at the custom numeric `NAME` and goes by its name |
//! | `let:NAME` | a value with a name, for other formulas |

use std::collections::{BTreeMap, BTreeSet};

use super::FormulaError;
use super::expressions::{Expressions, Named, ReaderKind};
use super::parse;
use crate::error::suggest;
use crate::model::Model;
use crate::model::data::Data;
use crate::model::task::{ContactLaw, ContactPart, LawForce, LawTarget, Laws, Op, Write};
use crate::schema::Kind;
use crate::schema::enums::{bias, dynamics, gain};

/// What the names of laws begin with.
pub const LAW_PREFIXES: [&str; 11] =
    ["force:", CONTROL, "gain:", "bias:", "dynamics:", "keep:", "friction:", "solref:", "solimp:", RATE, LET];

const CONTROL: &str = "control:";
const RATE: &str = "rate:";
const LET: &str = "let:";

type Texts = [(usize, String)];
type Made<T> = Result<T, FormulaError>;

/// Names that laws have for themselves.
const LOCALS: [&str; 8] =
    ["position", "velocity", "length", "control", "activation", "dist", "normal", "other"];

/// So many numbers, in words.
fn numbers(count: usize) -> String {
    if count == 1 { "one number".to_owned() } else { format!("{count} numbers") }
}

fn error<T>(text: usize, message: String) -> Made<T> {
    Err(FormulaError { text, message })
}

/// Numbers of states that rates of custom numerics add to `na`: names of texts, and names and lengths of numerics.
pub fn law_states<'a>(
    texts: impl Iterator<Item = &'a str>,
    numerics: impl Iterator<Item = (&'a str, usize)> + Clone,
) -> usize {
    let rates = texts.filter_map(|text| text.strip_prefix(RATE));
    rates.filter_map(|name| numerics.clone().find(|(n, _)| *n == name)).map(|(_, size)| size).sum()
}

/// A state of laws.
pub(super) struct State {
    pub(super) name: String,
    /// Elements of `act`: behind those of actuators.
    pub(super) elements: Vec<usize>,
    /// Elements of `numeric_data` where they begin.
    pub(super) begin: Vec<usize>,
}

/// The states, in the order of their rates.
pub(super) fn states(model: &Model, texts: &Texts) -> Made<Vec<State>> {
    let mut next: usize = model.actuator_actnum.iter().map(|n| *n as usize).sum();
    let mut all = Vec::new();
    for (text, name) in with_prefix(texts, RATE) {
        let Ok(id) = model.id(Kind::Numeric, name) else {
            let near = suggest(name, model.names.numeric.iter().map(String::as_str));
            return error(
                text,
                format!("there is no numeric '{name}', at whose data the state begins{near}"),
            );
        };
        let (first, size) = (model.numeric_adr[id] as usize, model.numeric_size[id] as usize);
        let (elements, begin) = ((next..next + size).collect(), (first..first + size).collect());
        all.push(State { name: name.to_owned(), elements, begin });
        next += size;
    }
    if next != model.sizes.na {
        return error(0, format!("the model has {} activations and states, not {next}", model.sizes.na));
    }
    Ok(all)
}

/// Texts of a prefix, with the rest of their names.
fn with_prefix<'a>(texts: &'a Texts, prefix: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    texts.iter().filter_map(move |(text, name)| Some((*text, name.strip_prefix(prefix)?)))
}

/// Texts of named values.
pub(super) fn named_texts(model: &Model, texts: &Texts) -> Made<BTreeMap<String, Named>> {
    let mut named = BTreeMap::new();
    for (text, name) in with_prefix(texts, LET) {
        let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        if !is_word || !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return error(
                text,
                format!("'{name}' is no name that a formula can say: letters, digits, '_' and '.'"),
            );
        }
        if model.id(Kind::Numeric, name).is_ok()
            || model.id(Kind::Sensor, name).is_ok()
            || model.has_field(name)
        {
            return error(
                text,
                format!("'{name}' is a sensor, a numeric or a field already: choose another name"),
            );
        }
        if LOCALS.contains(&name) {
            return error(text, format!("'{name}' is a name that laws have for themselves: choose another"));
        }
        named.insert(name.to_owned(), Named::Text(model.text(text)));
    }
    Ok(named)
}

/// Reads named values that nobody needs: they may be wrong too.
pub(super) fn check_named(model: &Model, texts: &Texts, made: &mut Expressions) -> Made<()> {
    for (text, name) in with_prefix(texts, LET) {
        parse::named_value(name, model, made).map_err(|message| FormulaError { text, message })?;
    }
    Ok(())
}

/// Compiles the laws; roots are texts with their nodes.
pub(super) fn laws(
    model: &Model,
    texts: &Texts,
    made: &mut Expressions,
    roots: &mut Vec<(usize, usize)>,
) -> Made<Laws> {
    made.reader = ReaderKind::Law;
    let mut reader = Reader { model, made, laws: Laws::default(), numbers: 0 };
    // controls first: others see what they are in this step
    let (controls, others): (Vec<_>, Vec<_>) = texts.iter().partition(|(_, name)| name.starts_with(CONTROL));
    reader.mark_controls(texts);
    for (text, name) in controls.into_iter().chain(others) {
        if let Some(node) =
            reader.law(*text, name).map_err(|message| FormulaError { text: *text, message })?
        {
            roots.push((*text, node));
        }
    }
    reader.usual();
    Ok(reader.laws)
}

struct Reader<'a> {
    model: &'a Model,
    made: &'a mut Expressions,
    laws: Laws,
    /// Numbers of the forces so far.
    numbers: usize,
}

impl Reader<'_> {
    /// Notes which controls laws set.
    fn mark_controls(&mut self, texts: &Texts) {
        for (_, name) in with_prefix(texts, CONTROL) {
            if let Ok(a) = self.model.id(Kind::Actuator, name) {
                let elements = self.controls_of(a);
                self.made.controls.extend(elements.map(|element| (element, None)));
            }
        }
    }

    /// Elements of `ctrl` of an actuator.
    fn controls_of(&self, a: usize) -> std::ops::Range<usize> {
        let first = self.model.actuator_ctrladr[a] as usize;
        first..first + self.model.actuator_ctrlnum[a] as usize
    }

    /// Compiles a text, if it is a law; returns its node.
    fn law(&mut self, text: usize, name: &str) -> Result<Option<usize>, String> {
        let Some((kind, name)) = name.split_once(':') else { return Ok(None) };
        match kind {
            "force" => self.force(text, name),
            "control" => self.control(text, name),
            "gain" => self.drive(text, name, "law_gain"),
            "bias" => self.drive(text, name, "law_bias"),
            "dynamics" => self.drive(text, name, "law_act_dot"),
            "rate" => {
                let elements = self.made.states.get(name).cloned().unwrap_or_default();
                self.read(text, "law_act_dot", elements, &[], name)
            }
            "keep" => self.contact(text, name, ContactPart::Keep),
            "friction" => self.contact(text, name, ContactPart::Friction),
            "solref" => self.contact(text, name, ContactPart::Solref),
            "solimp" => self.contact(text, name, ContactPart::Solimp),
            _ => return Ok(None),
        }
        .map(Some)
    }

    /// Reads a formula whose values are elements of a field.
    fn read(
        &mut self,
        text: usize,
        field: &str,
        elements: Vec<usize>,
        locals: &[(&str, usize)],
        name: &str,
    ) -> Result<usize, String> {
        self.made.locals = locals.iter().map(|(name, node)| ((*name).to_owned(), *node)).collect();
        let read = parse::parse(&self.model.text(text), self.model, self.made);
        self.made.locals.clear();
        let (node, want) = (read?, elements.len());
        let size = self.made.size(node);
        if size != want {
            return Err(format!("it has {}; '{name}' takes {}", numbers(size), numbers(want)));
        }
        self.laws.writes.push(Write { field: field.to_owned(), elements, value: node });
        Ok(node)
    }

    /// A node of one element of a field.
    fn element(&mut self, field: &str, element: usize) -> usize {
        self.made.field(field, vec![element])
    }

    fn id(&self, kind: Kind, name: &str) -> Result<usize, String> {
        self.model.id(kind, name).map_err(|e| e.to_string())
    }

    /// A passive force.
    fn force(&mut self, text: usize, name: &str) -> Result<usize, String> {
        let m = self.model;
        let (kind, object) = name.split_once(':').unwrap_or((name, ""));
        let (on, count) = match kind {
            "joint" => {
                let id = self.id(Kind::Joint, object)?;
                let range = m.elements_of("qvel", Kind::Joint, id).map_err(|e| e.to_string())?;
                (LawTarget::Dofs(range.start, range.len()), range.len())
            }
            "tendon" => (LawTarget::Tendon(self.id(Kind::Tendon, object)?), 1),
            "site" => (LawTarget::Site(self.id(Kind::Site, object)?), 6),
            "body" => (LawTarget::Body(self.id(Kind::Body, object)?), 6),
            _ => {
                return Err(format!(
                    "a force acts on a joint, tendon, site or body: name it 'force:site:NAME', not 'force:{name}'"
                ));
            }
        };
        let elements: Vec<usize> = (self.numbers..self.numbers + count).collect();
        let locals = match on {
            LawTarget::Dofs(dof, 1) => {
                let id = m.dof_jntid[dof] as usize;
                let position = self.element("qpos", m.jnt_qposadr[id] as usize);
                vec![("position", position), ("velocity", self.element("qvel", dof))]
            }
            LawTarget::Tendon(id) => {
                vec![
                    ("length", self.element("ten_length", id)),
                    ("velocity", self.element("ten_velocity", id)),
                ]
            }
            _ => Vec::new(),
        };
        let node = if count == 6 && matches!(on, LawTarget::Site(_) | LawTarget::Body(_)) {
            self.wrench(text, elements, object)?
        } else {
            self.read(text, "law_force", elements, &locals, object)?
        };
        self.laws.forces.push(LawForce { on, adr: self.numbers });
        self.numbers += count;
        Ok(node)
    }

    /// A force, or force and torque: the torque of a force alone is zero.
    fn wrench(&mut self, text: usize, elements: Vec<usize>, name: &str) -> Result<usize, String> {
        let node = parse::parse(&self.model.text(text), self.model, self.made)?;
        let node = match self.made.size(node) {
            6 => node,
            3 => {
                let zero = self.made.add(Op::Const { values: vec![0.0; 3] }, 3, &[]);
                self.made.add(Op::Concat, 6, &[node, zero])
            }
            size => {
                return Err(format!("it has {}; a force on '{name}' has 3, with a torque 6", numbers(size)));
            }
        };
        self.laws.writes.push(Write { field: "law_force".to_owned(), elements, value: node });
        Ok(node)
    }

    /// A law of the contacts of a geom.
    fn contact(&mut self, text: usize, name: &str, part: ContactPart) -> Result<usize, String> {
        let geom = self.id(Kind::Geom, name)?;
        let mut argument = |elements: std::ops::Range<usize>| {
            let size = elements.len();
            self.made.add(Op::Argument { elements: elements.collect() }, size, &[])
        };
        let locals = [("dist", 0..1), ("pos", 1..4), ("normal", 4..7), ("other", 7..8)];
        self.made.locals = locals.map(|(name, elements)| (name.to_owned(), argument(elements))).to_vec();
        let read = parse::parse(&self.model.text(text), self.model, self.made);
        self.made.locals.clear();
        let node = read?;
        let size = self.made.size(node);
        // where the values belong
        let elements: Vec<usize> = match (part, size) {
            (ContactPart::Keep, 1) => vec![0],
            (ContactPart::Friction, 1) => vec![0, 1],
            (ContactPart::Friction, 2) => vec![0, 1, 2],
            (ContactPart::Friction, 3 | 5) | (ContactPart::Solimp, 5) => vec![0, 1, 2, 3, 4],
            (ContactPart::Solref, 2) => vec![0, 1],
            (ContactPart::Solimp, 3) => vec![0, 1, 2],
            (ContactPart::Keep, _) => return Err(format!("it has {}; a condition is one", numbers(size))),
            (ContactPart::Friction, _) => {
                return Err(format!(
                    "it has {}: sliding, torsional and rolling friction are 1 to 3, or 5",
                    numbers(size)
                ));
            }
            (ContactPart::Solref, _) => return Err(format!("it has {}; solref has 2", numbers(size))),
            (ContactPart::Solimp, _) => return Err(format!("it has {}; solimp has 3 or 5", numbers(size))),
        };
        // sliding and rolling friction have two directions each
        let places = match (part, size) {
            (ContactPart::Friction, 1) => vec![0, 0],
            (ContactPart::Friction, 2) => vec![0, 0, 1],
            (ContactPart::Friction, 3) => vec![0, 0, 1, 2, 2],
            _ => (0..size).collect(),
        };
        // a node of its own, so that a fault is that of this text
        let value = self.made.pick(node, &places);
        self.laws.contacts.push(ContactLaw { geom, part, elements, value });
        Ok(value)
    }

    /// Names that formulas of an actuator have for themselves.
    fn actuator_locals(&mut self, a: usize, is_control: bool) -> Result<Vec<(&'static str, usize)>, String> {
        let m = self.model;
        let (out, ctrl) = (m.actuator_outadr[a] as usize, m.actuator_ctrladr[a] as usize);
        let mut locals = vec![
            ("length", self.element("actuator_length", out)),
            ("velocity", self.element("actuator_velocity", out)),
        ];
        if !is_control {
            locals.push(("control", self.made.controls(vec![ctrl])?));
        }
        if let Ok(first) = usize::try_from(m.actuator_actadr[a]) {
            let all = (first..first + m.actuator_actnum[a] as usize).collect();
            locals.push(("activation", self.made.field("act", all)));
        }
        Ok(locals)
    }

    /// Controls of an actuator.
    fn control(&mut self, text: usize, name: &str) -> Result<usize, String> {
        let a = self.id(Kind::Actuator, name)?;
        let elements: Vec<usize> = self.controls_of(a).collect();
        let locals = self.actuator_locals(a, true)?;
        let node = self.read(text, "ctrl", elements.clone(), &locals, name)?;
        for (k, element) in elements.iter().enumerate() {
            let one = if elements.len() == 1 { node } else { self.made.pick(node, &[k]) };
            self.made.controls.insert(*element, Some(one));
        }
        Ok(node)
    }

    /// Gain, bias or activation rates of an actuator.
    fn drive(&mut self, text: usize, name: &str, field: &'static str) -> Result<usize, String> {
        let (m, a) = (self.model, self.id(Kind::Actuator, name)?);
        let (is_user, kind) = match field {
            "law_gain" => (m.actuator_gaintype[a] == gain::USER, "gaintype"),
            "law_bias" => (m.actuator_biastype[a] == bias::USER, "biastype"),
            _ => (m.actuator_dyntype[a] == dynamics::USER, "dyntype"),
        };
        if !is_user {
            return Err(format!("actuator '{name}' has a law of its own; give it {kind}='user'"));
        }
        let elements = match usize::try_from(m.actuator_actadr[a]) {
            Ok(first) if field == "law_act_dot" => (first..first + m.actuator_actnum[a] as usize).collect(),
            _ => vec![a],
        };
        let locals = self.actuator_locals(a, false)?;
        self.read(text, field, elements, &locals, name)
    }

    /// What has no formula where others have some: as without callbacks, a gain of one, no bias, and rest.
    fn usual(&mut self) {
        if self.laws.writes.is_empty() {
            return;
        }
        let (actuators, acts) = (self.model.sizes.nactuator, self.model.sizes.na);
        for (field, count, value) in
            [("law_gain", actuators, 1.0), ("law_bias", actuators, 0.0), ("law_act_dot", acts, 0.0)]
        {
            let own = self.laws.writes.iter().filter(|write| write.field == field);
            let own: BTreeSet<usize> = own.flat_map(|write| write.elements.iter().copied()).collect();
            let elements: Vec<usize> = (0..count).filter(|element| !own.contains(element)).collect();
            if !elements.is_empty() {
                let node = self.made.number(value);
                self.laws.writes.push(Write { field: field.to_owned(), elements, value: node });
            }
        }
    }
}

impl Model {
    /// True if worlds or the model have a field of this name.
    fn has_field(&self, name: &str) -> bool {
        Data::<f64>::FIELDS.iter().chain(Model::<f64>::FIELDS).any(|f| f.name == name)
    }
}
