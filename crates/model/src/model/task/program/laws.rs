//! Formulas compiled: outputs of user sensors, laws, and what is known where each is computed.

use super::lookup::count_rows;
use super::{Assignment, Part, Place, Program, SHORT, Source, check, place_of, places, source};
use crate::model::Model;
use crate::model::data::Data;
use crate::model::formula::FieldFormula;
use crate::model::task::arithmetic::fold;
use crate::model::task::{Node, Op, Task, Write};
use crate::schema::stages::{Phase, Stage};
use crate::schema::{Field, Role};

/// A force of a law, whose numbers stand in `law_force`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawForce {
    /// On what it acts.
    pub on: LawTarget,
    /// First of its numbers.
    pub adr: usize,
}

/// On what a force of a law acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawTarget {
    /// On degrees of freedom from the first, so many: of a joint.
    Dofs(usize, usize),
    /// Along a tendon.
    Tendon(usize),
    /// Force and torque at the centre of mass of a body.
    Body(usize),
    /// Force and torque at a site.
    Site(usize),
}

/// Numbers that a law of contacts sees of a contact: distance, position, normal away from its geom, the other geom.
pub const CONTACT_ARGUMENTS: usize = 8;

/// A law of the contacts of a geom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactLaw {
    /// The geom.
    pub geom: usize,
    /// What it decides.
    pub part: ContactPart,
    /// Elements of that field which get values.
    pub elements: Vec<usize>,
    /// Node of the values.
    pub value: usize,
}

/// What a law of contacts decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactPart {
    /// Whether a contact is kept: where the value is not zero.
    Keep,
    /// `contact_friction`.
    Friction,
    /// `contact_solref`.
    Solref,
    /// `contact_solimp`.
    Solimp,
}

/// What laws assign, where their forces act, and their states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Laws {
    /// Field, elements and node of the values.
    pub writes: Vec<Write>,
    /// Forces.
    pub forces: Vec<LawForce>,
    /// Elements of `act`, and of `numeric_data` where they begin.
    pub states: Vec<(usize, usize)>,
    /// Laws of contacts.
    pub contacts: Vec<ContactLaw>,
    /// Formulas of signed distance fields by plugin instance; empty where there is none.
    pub fields: Vec<Option<FieldFormula>>,
}

impl Program {
    /// Compiles expressions for the outputs of user sensors, `[(sensor, node)]`, and for laws. An expression that reads
    /// what is not known where it is computed is returned by its node, with the words.
    pub fn of_formulas(
        model: &Model,
        mut nodes: Vec<Node>,
        outputs: &[(usize, usize)],
        laws: Laws,
    ) -> std::result::Result<Self, (usize, String)> {
        let sizes = model.sizes.without_task();
        for (k, node) in nodes.iter().enumerate() {
            let right = check(node, k, &nodes)
                .and_then(|()| source(node, &sizes, &[], CONTACT_ARGUMENTS).map(|_| ()));
            right.map_err(|why| (k, why))?;
        }
        fold(&mut nodes)?;
        let read =
            |(k, node): (usize, &Node)| source(node, &sizes, &[], CONTACT_ARGUMENTS).map_err(|why| (k, why));
        let sources = nodes.iter().enumerate().map(read).collect::<std::result::Result<Vec<_>, _>>()?;
        count_rows(&mut nodes, &sources, &sizes, &[]);
        let (offsets, work) = places(&nodes);
        let mut program = Self {
            task: Task::default(),
            nodes,
            sources,
            offsets,
            work,
            table: Vec::new(),
            in_table: Vec::new(),
            shared: Vec::new(),
            variables: 0,
            observation: 0,
            laws,
            parts: Vec::new(),
        };
        let sense = |&(sensor, value): &(usize, usize)| {
            let first = model.sensor_adr[sensor] as usize;
            let elements = (first..first + model.sensor_dim[sensor] as usize).collect();
            Assignment { place: Place::Sensor(sensor), elements, value }
        };
        program.add(Part::Sense, outputs.iter().map(sense).collect());
        let law = |write: Write| {
            let (at, field) = place_of(Data::<f64>::FIELDS, &write.field)?;
            Some(Assignment { place: Place::Field(at, field), elements: write.elements, value: write.value })
        };
        let writes = std::mem::take(&mut program.laws.writes);
        program.add(Part::Law, writes.into_iter().filter_map(law).collect());
        for k in 0..program.laws.contacts.len() {
            let ContactLaw { value, elements, .. } = program.laws.contacts[k].clone();
            let assigned = Assignment { place: Place::Contact, elements, value };
            program.add(Part::Contact(k), vec![assigned]);
            let known = program.check_known(Part::Contact(k), is_early, "where contacts are found");
            let checked = known.and_then(|()| program.check_short(Part::Contact(k)));
            // what it shares with others may be right there
            checked.map_err(|(_, why)| (value, why))?;
        }
        program.check_known(Part::Sense, is_sensed, "where sensors are computed")?;
        program.check_known(Part::Law, is_lawful, "before actuators act, where laws are computed")?;
        program.join_picks();
        program.share();
        program.check_text()?;
        Ok(program)
    }

    /// Makes one assignment of several that follow each other, and take one element each of the same vector: actuators that
    /// share a network have a law each.
    fn join_picks(&mut self) {
        let Some(place) = self.parts.iter().position(|(part, ..)| *part == Part::Law) else { return };
        let (_, before, _) = self.parts.swap_remove(place);
        let picked = |program: &Self, a: &Assignment| match &program.nodes[a.value] {
            Node { op: Op::Pick { elements }, size: 1, args } => Some((args[0], elements[0])),
            _ => None,
        };
        // assignments with the vector of which they take elements, and these
        let mut groups: Vec<(Assignment, Option<usize>, Vec<usize>)> = Vec::new();
        for a in before {
            match (groups.last_mut(), picked(self, &a)) {
                (Some((to, Some(vector), elements)), Some((of, element)))
                    if *vector == of && to.place == a.place =>
                {
                    elements.push(element);
                    to.elements.extend(a.elements);
                }
                (_, Some((of, element))) => groups.push((a, Some(of), vec![element])),
                (_, None) => groups.push((a, None, Vec::new())),
            }
        }
        let mut joined = Vec::with_capacity(groups.len());
        for (mut to, vector, elements) in groups {
            if let Some(of) = vector.filter(|_| elements.len() > 1) {
                to.value = self.nodes.len();
                let size = elements.len();
                self.nodes.push(Node { op: Op::Pick { elements }, size, args: vec![of] });
            }
            joined.push(to);
        }
        self.sources.resize(self.nodes.len(), Source::None);
        (self.offsets, self.work) = places(&self.nodes);
        self.add(Part::Law, joined);
    }

    /// Rejects fields that are not known where a part is computed.
    fn check_known(
        &self,
        part: Part,
        known: fn(&Field) -> bool,
        place: &str,
    ) -> std::result::Result<(), (usize, String)> {
        for assignment in self.assignments(part) {
            for node in self.needed(std::iter::once(assignment.value)) {
                if let Source::Data(_, field) = self.source(node)
                    && !known(field)
                {
                    return Err((assignment.value, format!("'{}' is not known {place}", field.name)));
                }
            }
        }
        Ok(())
    }

    /// Rejects long vectors where every contact or point has values of its own.
    fn check_short(&self, part: Part) -> std::result::Result<(), (usize, String)> {
        let long = self.order(part).iter().find(|node| self.nodes[**node].size > SHORT);
        long.map_or(Ok(()), |node| {
            let size = self.nodes[*node].size;
            Err((*node, format!("it has a vector of {size} numbers; take parts of at most {SHORT}")))
        })
    }

    /// Rejects vectors whose elements are written where they are used, and computed from one another so often that the text of
    /// a kernel explodes.
    fn check_text(&self) -> std::result::Result<(), (usize, String)> {
        let (mut text, mut depth) = (vec![1usize; self.nodes.len()], vec![0usize; self.nodes.len()]);
        let written = |k: usize, node: &Node| node.size > SHORT || self.is_shared(k);
        for (k, node) in self.nodes.iter().enumerate().filter(|(k, node)| written(*k, node)) {
            text[k] = node.args.iter().fold(1, |sum, a| text[*a].saturating_add(sum));
            depth[k] = node.args.iter().map(|a| depth[*a] + 1).max().unwrap_or(0);
            if text[k] > MOST_TEXT || depth[k] > MOST_NESTED {
                let size = node.size;
                return Err((
                    k,
                    format!(
                        "a vector of {size} numbers is computed in too many operations ({MOST_TEXT} at most, {MOST_NESTED} \
                         deep); take parts of at most {SHORT} numbers, or sums"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// The same without what any part computes: where forces act, states and laws of contacts are left.
    #[must_use]
    pub fn without_values(&self) -> Self {
        Self { parts: Vec::new(), ..self.clone() }
    }

    /// The formula of the signed distance field of a plugin instance.
    pub fn field(&self, instance: usize) -> Option<&FieldFormula> {
        self.laws.fields.get(instance)?.as_ref()
    }

    /// Plugin instances that have such a formula.
    pub fn fields(&self) -> impl Iterator<Item = usize> {
        self.laws.fields.iter().enumerate().filter(|(_, field)| field.is_some()).map(|(id, _)| id)
    }

    /// Laws of contacts.
    pub fn contact_laws(&self) -> &[ContactLaw] {
        &self.laws.contacts
    }

    /// True if there are laws of forces, controls, actuators or states.
    pub fn has_laws(&self) -> bool {
        !self.assignments(Part::Law).is_empty()
    }

    /// True if laws act on worlds, those of contacts among them.
    pub fn acts(&self) -> bool {
        self.has_laws() || !self.laws.contacts.is_empty()
    }

    /// True if user sensors have formulas.
    pub fn has_outputs(&self) -> bool {
        !self.assignments(Part::Sense).is_empty()
    }

    /// Where the forces of laws act.
    pub fn forces(&self) -> &[LawForce] {
        &self.laws.forces
    }

    /// Elements of `act` that are states of laws, with the elements of `numeric_data` where they begin.
    pub fn states(&self) -> &[(usize, usize)] {
        &self.laws.states
    }
}

/// Largest text of an element of a long vector, in operations, and its deepest nesting.
const MOST_TEXT: usize = 1024;
const MOST_NESTED: usize = 64;

/// Fields of a world that sensors find computed.
fn is_sensed(field: &Field) -> bool {
    let phase = if let Role::Result(stage) = field.role { Some(stage.phase()) } else { None };
    let computed = phase.is_some_and(|phase| !matches!(phase, Phase::Step | Phase::Integrate | Phase::Task));
    let late = field.role == Role::Action || field.name == "sensordata_undelayed";
    !late && (computed || field.role.is_state())
}

/// Fields of a world that laws find computed: the state, what follows from positions and velocities, and the outputs of
/// sensors in the step before.
fn is_lawful(field: &Field) -> bool {
    let early = match field.role {
        Role::Result(stage) => {
            matches!(stage.phase(), Phase::Position | Phase::Velocity) && stage < Stage::laws
        }
        role => role.is_state() && role != Role::Action,
    };
    early || field.name == "sensordata"
}

/// Fields of a world that laws of contacts find computed: the state, and what follows from positions before contacts.
fn is_early(field: &Field) -> bool {
    match field.role {
        Role::Result(stage) => stage.phase() == Phase::Position && stage < Stage::collision,
        role => role.is_state() && role != Role::Action,
    }
}
