//! What is estimated: elements of a model's fields, or of the states in which the segments of a recording begin.

use manyworlds::error::{Error, Result, suggest};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::model::state::names;
use manyworlds::schema::{Dim, Field, Kind, Role, Rule, Size};

/// Least value of what has to be positive, as a part of the start.
const LEAST_PART: f64 = 1e-6;

/// State that may be estimated where a segment begins: `start_qpos` stands for `qpos`.
fn starts_of() -> impl Iterator<Item = &'static str> {
    names(&[Role::Motion])
}

/// Word before the names of these fields.
const START: &str = "start_";

/// The form of a parameter as text, for messages.
const FORM: &str = "the form is FIELD:OBJECT[ELEMENT]=LOW..HIGH@START, with more targets behind '+'";

/// Elements of a field of the model that a parameter sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Field that [may differ from world to world](manyworlds::batch::Batch::expand).
    pub field: &'static str,
    /// Places among its elements.
    pub elements: Vec<usize>,
}

/// What a parameter sets.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Elements of the model. The parameter is the value of the first one; the others keep their ratios to it.
    Model(Vec<Target>),
    /// An element of the state in which each segment begins, as what is added to the recorded one: for each segment a
    /// variable of its own. Positions are moved along velocities, so that their elements are degrees of freedom.
    Start {
        /// `qpos`, `qvel` or `act`.
        field: &'static str,
        /// Place: degree of freedom, or activation.
        element: usize,
    },
}

/// A parameter to be estimated.
///
/// As text: `TARGET[+TARGET…][=[log:]LOW..HIGH][@START]`, where either end of the range may be left out and a target is
///
/// - `FIELD:OBJECT`, a field of the model and the name or number of an object, followed by `[ELEMENT,…]` where not all of
///   its elements are meant: `dof_damping:elbow`, `geom_friction:floor[0]`;
/// - `FIELD`, all elements of a field, or some of them in brackets: `opt_gravity[2]`;
/// - `mass:BODY`: `body_mass` and `body_inertia`, which keep their ratio, that is, the shape of the body;
/// - `start_qpos`, `start_qvel` or `start_act`, with `:JOINT` (`:ACTUATOR`) or without: corrections of the states in which
///   segments begin, one for each element and segment.
///
/// All elements of a parameter keep their ratios, or stay equal where they are. A range ends where the values of the field do:
/// no friction is below 0, and no mass of a body that moves is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name in results and messages.
    pub name: String,
    /// What it sets.
    pub place: Place,
    /// Value at the start.
    pub start: f64,
    /// Least value.
    pub lower: f64,
    /// Greatest value.
    pub upper: f64,
    /// True if the search runs over the logarithm, for what is known to a factor only.
    pub log: bool,
}

impl Parameter {
    /// The parameters of a text: one, or one for each element of a start.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field, object or element, a field that is the same in all worlds, a range that is
    /// reversed or has no logarithm, or a start outside it; names come with the nearest one.
    pub fn parse(text: &str, model: &Model) -> Result<Vec<Self>> {
        let wrong = |why: String| Error::Argument(format!("parameter '{text}': {why}"));
        let (targets, rest) = match text.split_once('=') {
            Some((targets, rest)) => (targets, Some(rest)),
            None => (text, None),
        };
        // a start may follow the targets directly
        let (targets, range, start) = match rest {
            Some(rest) => {
                let (range, start) = split_start(rest);
                (targets, Some(range), start)
            }
            None => {
                let (targets, start) = split_start(targets);
                (targets, None, start)
            }
        };
        let number = |word: &str| {
            let x = word.trim().parse::<f64>().ok().filter(|x| x.is_finite());
            x.ok_or_else(|| wrong(format!("'{word}' is no number; {FORM}")))
        };
        let start = start.map(number).transpose()?;
        let (log, range) = match range.and_then(|r| r.strip_prefix("log:")) {
            Some(range) => (true, Some(range)),
            None => (false, range),
        };
        let (lower, upper) = match range {
            None => (None, None),
            Some(range) => {
                let (low, high) =
                    range.split_once("..").ok_or_else(|| wrong(format!("'{range}' is no range; {FORM}")))?;
                let end = |word: &str| if word.is_empty() { Ok(None) } else { number(word).map(Some) };
                (end(low)?, end(high)?)
            }
        };
        let name = targets.to_owned();
        let words: Vec<&str> = targets.split('+').collect();
        let places = places(&words, model).map_err(|e| wrong(e.to_string()))?;
        let make = |(suffix, place): (String, Place)| {
            let mut made =
                Self::of(&format!("{name}{suffix}"), place, model).map_err(|e| wrong(e.to_string()))?;
            made.start = start.unwrap_or(made.start);
            // within what the fields may be
            made.lower = lower.map_or(made.lower, |x| x.max(made.lower));
            made.upper = upper.map_or(made.upper, |x| x.min(made.upper));
            made.log = log;
            // a logarithm has no zero
            if log && lower.is_none() && made.start > 0.0 {
                made.lower = made.lower.max(LEAST_PART * made.start);
            }
            made.check(model)?;
            Ok(made)
        };
        places.into_iter().map(make).collect()
    }

    /// A parameter that starts from what the model has, within what its fields may be.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that is the same in all worlds, or an element out of range.
    pub fn of(name: &str, place: Place, model: &Model) -> Result<Self> {
        let (start, mut lower, mut upper) = match &place {
            Place::Start { .. } => (0.0, f64::NEG_INFINITY, f64::INFINITY),
            Place::Model(targets) => {
                let first = targets.first().and_then(|t| t.elements.first().map(|e| (t.field, *e)));
                let (field, element) = first.ok_or_else(|| {
                    Error::Argument(format!("the parameter '{name}' has no element of the model"))
                })?;
                (value(model, field, element)?, f64::NEG_INFINITY, f64::INFINITY)
            }
        };
        if let Place::Model(targets) = &place {
            for target in targets {
                let rule = entry(model, target.field)?.traits.varies;
                match rule {
                    Some(
                        Rule::NotNegative | Rule::Positive | Rule::Mass | Rule::Inertia | Rule::GeomSize,
                    ) if start < 0.0 => {}
                    Some(Rule::NotNegative) => lower = lower.max(0.0),
                    Some(Rule::Positive | Rule::Mass | Rule::Inertia | Rule::GeomSize) => {
                        lower = lower.max(LEAST_PART * start);
                    }
                    Some(Rule::Unit) => (lower, upper) = (lower.max(0.0), upper.min(1.0)),
                    _ => {}
                }
            }
        }
        Ok(Self { name: name.to_owned(), place, start, lower, upper, log: false })
    }

    /// Checks a parameter for a model.
    ///
    /// # Errors
    /// As [`Parameter::parse`].
    pub fn check(&self, model: &Model) -> Result<()> {
        let wrong = |why: String| Err(Error::Argument(format!("parameter '{}': {why}", self.name)));
        let Self { start, lower, upper, .. } = *self;
        if lower.is_nan() || upper.is_nan() || lower >= upper {
            return wrong(format!("the range {lower}..{upper} is empty"));
        }
        if !(lower..=upper).contains(&start) || !start.is_finite() {
            return wrong(format!(
                "the start {start} is not in the range {lower}..{upper}; give one behind '@'"
            ));
        }
        if self.log && lower <= 0.0 {
            return wrong(format!("{lower} has no logarithm; give a range above 0, or leave out 'log:'"));
        }
        match &self.place {
            Place::Start { field, element } => {
                let count = tangent_len(model, field)?;
                if *element >= count {
                    return wrong(format!("'{field}' has no element {element}: there are {count}, from 0"));
                }
            }
            Place::Model(targets) => {
                manyworlds::batch::expansion(model, &targets.iter().map(|t| t.field).collect::<Vec<_>>())?;
                let all = self.elements(model)?;
                let Some((_, _, first)) = all.first().copied() else {
                    return wrong("it has no element of the model".to_owned());
                };
                if let Some((field, element, x)) = all.iter().find(|(_, _, x)| first == 0.0 && *x != 0.0) {
                    return wrong(format!(
                        "its first element is 0, so that {x}, element {element} of '{field}', has no ratio to it; begin \
                         with another one"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Magnitude of typical values.
    pub(super) fn scale(&self) -> f64 {
        let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
        let range =
            if self.lower.is_finite() && self.upper.is_finite() { self.upper - self.lower } else { 0.0 };
        let known = if self.start != 0.0 { self.start.abs() } else { range.max(finite(self.lower)) };
        if known > 0.0 { known } else { 1.0 }
    }

    /// The elements of the model with their values in it: field, place, value.
    pub(super) fn elements(&self, model: &Model) -> Result<Vec<(&'static str, usize, f64)>> {
        let Place::Model(targets) = &self.place else { return Ok(Vec::new()) };
        let all = targets.iter().flat_map(|t| t.elements.iter().map(|e| (t.field, *e)));
        all.map(|(field, e)| Ok((field, e, value(model, field, e)?))).collect()
    }
}

/// Text before and behind the last '@'.
fn split_start(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once('@') {
        Some((before, start)) => (before, Some(start)),
        None => (text, None),
    }
}

/// What the targets of a text stand for, with what is added to the name.
fn places(words: &[&str], model: &Model) -> Result<Vec<(String, Place)>> {
    let mut targets = Vec::new();
    for word in words {
        let (head, elements) = brackets(word)?;
        let (field, object) = match head.split_once(':') {
            Some((field, object)) => (field, Some(object)),
            None => (head, None),
        };
        if let Some(field) = starts_of().find(|name| field.strip_prefix(START) == Some(name)) {
            if words.len() > 1 {
                let text = "a start is a parameter of its own, without '+'".to_owned();
                return Err(Error::Argument(text));
            }
            return starts(field, object, elements.as_deref(), model);
        }
        if field == "mass" {
            let Some(body) = object.filter(|_| elements.is_none()) else {
                return Err(Error::Argument("the form of a mass is mass:BODY".to_owned()));
            };
            targets.push(target("body_mass", Some(body), None, model)?);
            targets.push(target("body_inertia", Some(body), None, model)?);
            continue;
        }
        targets.push(target(field, object, elements.as_deref(), model)?);
    }
    Ok(vec![(String::new(), Place::Model(targets))])
}

/// A word without its brackets, and the numbers in these.
fn brackets(word: &str) -> Result<(&str, Option<Vec<usize>>)> {
    let Some(rest) = word.strip_suffix(']') else { return Ok((word, None)) };
    let Some((head, inside)) = rest.rsplit_once('[') else {
        return Err(Error::Argument(format!("'{word}' has no '['; {FORM}")));
    };
    let number = |text: &str| {
        let n = text.trim().parse::<usize>();
        n.map_err(|_| Error::Argument(format!("'{text}' is no number of an element; {FORM}")))
    };
    Ok((head, Some(inside.split(',').map(number).collect::<Result<_>>()?)))
}

/// Elements of a field, of all or of one object.
fn target(field: &str, object: Option<&str>, elements: Option<&[usize]>, model: &Model) -> Result<Target> {
    let entry = entry(model, field)?;
    let all: Vec<usize> = match object {
        None => (0..entry.len(&model.sizes)).collect(),
        Some(object) => {
            let kind = kind_of(entry).ok_or_else(|| {
                Error::Argument(format!("'{field}' has no elements of objects; leave out ':{object}'"))
            })?;
            model.elements_of(field, kind, id(model, kind, object)?)?.collect()
        }
    };
    Ok(Target { field: entry.name, elements: chosen(all, elements, field)? })
}

/// Some of the elements.
fn chosen(all: Vec<usize>, elements: Option<&[usize]>, field: &str) -> Result<Vec<usize>> {
    let Some(elements) = elements else {
        if all.is_empty() {
            return Err(Error::Argument(format!("'{field}' has no elements there")));
        }
        return Ok(all);
    };
    let one = |e: &usize| {
        all.get(*e).copied().ok_or_else(|| {
            let count = all.len();
            Error::Argument(format!("'{field}' has no element {e} there: there are {count}, from 0"))
        })
    };
    elements.iter().map(one).collect()
}

/// Corrections of starts, one for each element.
fn starts(
    field: &'static str,
    object: Option<&str>,
    elements: Option<&[usize]>,
    model: &Model,
) -> Result<Vec<(String, Place)>> {
    let all: Vec<usize> = match object {
        None => (0..tangent_len(model, field)?).collect(),
        Some(object) if field == "act" => {
            model.elements_of("act", Kind::Actuator, id(model, Kind::Actuator, object)?)?.collect()
        }
        // degrees of freedom
        Some(object) => model.elements_of("qvel", Kind::Joint, id(model, Kind::Joint, object)?)?.collect(),
    };
    let several = all.len() > 1;
    let suffixed = |(k, element): (usize, usize)| {
        let suffix = if several && elements.is_none() { format!("[{k}]") } else { String::new() };
        (suffix, Place::Start { field, element })
    };
    let chosen = chosen(all, elements, field)?;
    Ok(chosen.into_iter().enumerate().map(suffixed).collect())
}

/// Kind of the objects along the first axis of a field.
fn kind_of(entry: &Field) -> Option<Kind> {
    match entry.dims.first() {
        Some(Dim::Of(Size::nv | Size::nq)) => Some(Kind::Joint),
        Some(Dim::Of(size)) => Kind::ALL.iter().copied().find(|kind| kind.size() == Some(*size)),
        _ => None,
    }
}

/// An object by its name or number.
fn id(model: &Model, kind: Kind, object: &str) -> Result<usize> {
    model.id(kind, object).or_else(|unknown| object.parse().map_err(|_| unknown))
}

/// Elements of a tangent of a state field.
fn tangent_len(model: &Model, field: &str) -> Result<usize> {
    let row = Data::<f64>::FIELDS.iter().find(|row| row.name == field && row.role == Role::Motion);
    match row.and_then(|row| row.dims.first()) {
        // positions move along velocities
        Some(Dim::Of(Size::nq)) => Ok(model.sizes.nv),
        Some(Dim::Of(size)) => Ok(model.sizes.get(*size)),
        _ => {
            let near = suggest(field, starts_of());
            Err(Error::Argument(format!("'{field}' is no start to be estimated: qpos, qvel or act{near}")))
        }
    }
}

/// Entry of a field that may differ from world to world.
fn entry(model: &Model, field: &str) -> Result<&'static Field> {
    let known = Model::<f64>::FIELDS.iter().find(|f| f.name == field);
    match known {
        Some(entry) => manyworlds::batch::expansion(model, &[field]).map(|_| entry),
        None => {
            let variable = Model::<f64>::FIELDS.iter().filter(|f| f.traits.varies.is_some()).map(|f| f.name);
            let starts: Vec<String> = starts_of().map(|name| format!("{START}{name}")).collect();
            let near = suggest(field, variable.chain(["mass"]).chain(starts.iter().map(String::as_str)));
            Err(Error::Argument(format!("the model has no field '{field}'{near}")))
        }
    }
}

/// Value of an element of the model.
fn value(model: &Model, field: &str, element: usize) -> Result<f64> {
    let values = model.get(field).map(|v| v.to_f64()).unwrap_or_default();
    values.get(element).copied().ok_or_else(|| {
        let count = values.len();
        Error::Argument(format!("'{field}' has no element {element}: there are {count}, from 0"))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn model() -> Model {
        manyworlds::load_str(
            "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.5 0.01 0'/>
               <body name='arm'><joint name='elbow' damping='.2'/><geom name='rod' size='.1' mass='2'/></body>
               <body name='ball'><freejoint name='root'/><geom size='.1' mass='3'/></body></worldbody>
             <actuator><position name='servo' joint='elbow' kp='7'/></actuator></mujoco>",
        )
        .unwrap()
    }

    fn one(text: &str) -> Parameter {
        let mut found = Parameter::parse(text, &model()).unwrap();
        assert_eq!(found.len(), 1);
        found.pop().unwrap()
    }

    #[test]
    fn parameters_are_read_from_text() {
        let mass = one("mass:arm=1..4");
        assert_eq!((mass.start, mass.lower, mass.upper, mass.log), (2.0, 1.0, 4.0, false));
        let elements = mass.elements(&model()).unwrap();
        assert_eq!(elements.len(), 4);
        assert_eq!(elements[0], ("body_mass", 1, 2.0));
        assert_eq!((elements[1].0, elements[1].1), ("body_inertia", 3));

        let friction = one("geom_friction:floor[0]=log:0.1..@0.8");
        assert_eq!((friction.start, friction.lower, friction.log), (0.8, 0.1, true));
        assert!(friction.upper.is_infinite());
        assert_eq!(friction.place, Place::Model(vec![Target { field: "geom_friction", elements: vec![0] }]));

        let damping = one("dof_damping:elbow@0.3");
        assert_eq!((damping.start, damping.lower), (0.3, 0.0));
        let mass = one("mass:arm=0..4");
        assert!(mass.lower > 0.0 && mass.lower < 1e-5);
        // a number for a name, and the whole field
        assert_eq!(one("body_mass:2").start, 3.0);
        assert_eq!(one("opt_gravity[2]").start, -9.81);
        // gain and bias of a servo
        let servo = one("actuator_gainprm:servo[0]+actuator_biasprm:servo[1]");
        let values: Vec<f64> = servo.elements(&model()).unwrap().iter().map(|e| e.2).collect();
        assert_eq!(values, [7.0, -7.0]);
    }

    #[test]
    fn starts_have_one_parameter_for_each_element() {
        let found = Parameter::parse("start_qpos:root", &model()).unwrap();
        assert_eq!(found.len(), 6);
        assert_eq!(found[5].place, Place::Start { field: "qpos", element: 6 });
        assert_eq!(found[5].name, "start_qpos:root[5]");
        assert_eq!(Parameter::parse("start_qvel", &model()).unwrap().len(), 7);
        assert_eq!(one("start_qvel:elbow=-1..1").name, "start_qvel:elbow");
        assert_eq!(one("start_qpos:root[2]").place, Place::Start { field: "qpos", element: 3 });
    }

    #[test]
    fn wrong_texts_are_refused_with_a_way_out() {
        let refused = |text: &str, part: &str| {
            let said = Parameter::parse(text, &model()).unwrap_err().to_string();
            // with the targets, which are the name
            let name = text.split('=').next().unwrap();
            assert!(said.contains(part) && said.contains(name), "{said}");
        };
        refused("mass:amr", "there is no body 'amr'; did you mean 'arm'?");
        refused("geom_fricton:floor", "did you mean 'geom_friction'?");
        refused("mas:arm", "did you mean 'mass'?");
        refused("geom_friction:floor[3]", "no element 3 there: there are 3, from 0");
        refused("geom_friction:floor[x]", "'x' is no number of an element");
        refused("geom_friction:floor=0.2", "'0.2' is no range");
        refused("geom_friction:floor[0]=2..1", "the range 2..1 is empty");
        refused("geom_friction:floor[0]=1..2", "the start 0.5 is not in the range 1..2");
        refused("geom_friction:floor[0]=log:0..2", "0 has no logarithm");
        refused("dof_damping:elbow=a..2", "'a' is no number");
        refused("body_parentid:arm", "cannot be expanded");
        refused("body_subtreemass:arm", "it follows from body_mass");
        refused("geom_friction:floor[2,0]", "its first element is 0");
        refused("opt_gravity:arm", "leave out ':arm'");
        refused("start_qpos+mass:arm", "a parameter of its own");
        refused("start_act", "'act' has no elements there");
        refused("body_mass:9", "there is no body 9");
    }
}
