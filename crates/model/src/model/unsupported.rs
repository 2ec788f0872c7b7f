//! Features that compile but are not simulated yet: rejected by name when worlds are created. Each row names the stage that
//! leaves a feature out; a new feature removes a row here.

use super::Model;
use super::features::sensed_pairs;
use crate::error::{Error, Result};
use crate::schema::enums::{bias, enable, gain, geom as kind, integrator, plugin, word, wrap};
use crate::schema::kinds::Kind;
use crate::schema::shape_pairs::{Method, shape_pair};
use crate::schema::stages::Stage;

/// Upper bound on reported features.
const MAX_LISTED: usize = 20;

/// Rejects a model with unsupported features; the message lists all of them.
///
/// # Errors
/// [`Error::Unsupported`] with the features; [`Error::Argument`] for parameters of solver Smooth that are out of range.
pub fn check(model: &Model) -> Result<()> {
    super::smooth::check_parameters(model)?;
    let mut lines: Vec<String> = Vec::new();
    for line in UNSUPPORTED.iter().flat_map(|row| row.lines(model)) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    let more = lines.len().saturating_sub(MAX_LISTED);
    lines.truncate(MAX_LISTED);
    if more > 0 {
        lines.push(format!("{more} more"));
    }
    Err(Error::Unsupported(format!("the model compiles, but is not simulated yet: {}", lines.join("; "))))
}

/// True if a geom type pair, lower first, has a distance query. Of two planes there is nothing to query.
pub fn has_distance(types: (i32, i32)) -> bool {
    let Some(pair) = shape_pair(types) else { return types == (kind::PLANE, kind::PLANE) };
    match pair.method {
        Method::ClosedForm | Method::PlaneMesh | Method::BoxBox | Method::Convex => true,
        Method::Field => types.0 != kind::HFIELD,
        Method::Prisms => false,
    }
}

/// A feature that a stage does not simulate yet.
#[derive(Clone, Copy, Debug)]
pub struct Unsupported {
    /// The stage that leaves it out.
    pub stage: Stage,
    /// Words of the message.
    pub what: &'static str,
    /// Where a model has it.
    pub found: Found,
}

/// Where a model has a feature.
#[derive(Clone, Copy, Debug)]
pub enum Found {
    /// Anywhere: in its options.
    In(fn(&Model) -> bool),
    /// In objects of a kind; the message names the first one.
    At(Kind, fn(&Model, usize) -> bool),
    /// In pairs of geoms, the lower type first; the message names the first pair of each pair of types.
    Between(fn(&Model) -> Vec<(usize, usize)>),
}

/// Every unsupported feature, in the order of messages.
pub const UNSUPPORTED: &[Unsupported] = &[
    row(
        Stage::solve,
        "integrator discrete with solver PGS or noslip iterations and an elastic flex",
        Found::At(Kind::Flex, is_elastic_and_dual),
    ),
    row(
        Stage::solve,
        "integrator discrete with solver Smooth",
        Found::In(|m| m.is_discrete() && m.is_smooth()),
    ),
    row(
        Stage::inverse,
        "integrator discrete with flag fwdinv",
        Found::In(|m| m.is_discrete() && m.enabled(enable::FWDINV)),
    ),
    row(
        Stage::inverse,
        "flag invdiscrete with integrator RK4: a step has four accelerations",
        Found::In(|m| m.enabled(enable::INVDISCRETE) && m.opt_integrator[0] == integrator::RK4),
    ),
    // fwdinv would compare a continuous acceleration with a discrete one
    row(
        Stage::fwdinv,
        "flags fwdinv and invdiscrete together",
        Found::In(|m| m.enabled(enable::INVDISCRETE) && m.enabled(enable::FWDINV)),
    ),
    // both take forces for minima of a cost
    row(
        Stage::fwdinv,
        "flag fwdinv with solver Smooth, which has no inverse dynamics",
        Found::In(|m| m.is_smooth() && m.enabled(enable::FWDINV)),
    ),
    row(
        Stage::solve,
        "noslip_iterations with solver Smooth (set them to 0)",
        Found::In(|m| m.is_smooth() && m.opt_noslip_iterations[0] > 0),
    ),
    row(Stage::solve, "flag ipc", Found::In(|m| m.enabled(enable::IPC))),
    // infinitely long, whatever moves
    row(Stage::tendon, "a pulley with divisor zero", Found::At(Kind::Tendon, has_empty_pulley)),
    row(Stage::collision, "collision of", Found::Between(uncollidable_pairs)),
    row(
        Stage::actuation,
        "this gain of an actuator",
        Found::At(Kind::Actuator, |m, a| !GAINS.contains(&m.actuator_gaintype[a])),
    ),
    row(
        Stage::actuation,
        "this bias of an actuator",
        Found::At(Kind::Actuator, |m, a| !BIASES.contains(&m.actuator_biastype[a])),
    ),
    row(Stage::passive, "a plugin of a body", Found::At(Kind::Body, has_other_plugin)),
    row(Stage::sensor, "distance of", Found::Between(pairs_without_distance)),
];

/// Gains that actuators have.
const GAINS: &[i32] =
    &[gain::FIXED, gain::AFFINE, gain::MUSCLE, gain::DCMOTOR, gain::SO3, gain::PID, gain::USER];

/// Biases that actuators have.
const BIASES: &[i32] = &[bias::NONE, bias::AFFINE, bias::MUSCLE, bias::DCMOTOR, bias::SO3, bias::USER];

const fn row(stage: Stage, what: &'static str, found: Found) -> Unsupported {
    Unsupported { stage, what, found }
}

impl Unsupported {
    /// Lines of the message for a model, none if it does not have the feature.
    fn lines(&self, m: &Model) -> Vec<String> {
        let what = self.what;
        match self.found {
            Found::In(has) => {
                if has(m) {
                    vec![what.to_owned()]
                } else {
                    Vec::new()
                }
            }
            Found::At(kind, has) => {
                let count = kind.size().map_or(0, |size| m.sizes.get(size));
                let first = (0..count).find(|&i| has(m, i));
                first.map(|id| format!("{what} ({})", called(m, kind, id))).into_iter().collect()
            }
            Found::Between(pairs) => {
                let mut types_named = Vec::new();
                let mut lines = Vec::new();
                for (g1, g2) in pairs(m) {
                    let types = (m.geom_type[g1], m.geom_type[g2]);
                    if types_named.contains(&types) {
                        continue;
                    }
                    types_named.push(types);
                    let (one, two) = (called(m, Kind::Geom, g1), called(m, Kind::Geom, g2));
                    let (a, b) = (word(kind::WORDS, types.0), word(kind::WORDS, types.1));
                    lines.push(format!("{what} {a} and {b} ({one}, {two})"));
                }
                lines
            }
        }
    }
}

/// Name of an object in messages: kind, and name or id.
fn called(m: &Model, kind: Kind, id: usize) -> String {
    match m.names.of(kind).get(id) {
        Some(name) if !name.is_empty() => format!("{} '{name}'", kind.word()),
        _ => format!("{} {id}", kind.word()),
    }
}

/// True if a flex is elastic in a metric that dual solvers do not have.
fn is_elastic_and_dual(m: &Model, f: usize) -> bool {
    let elastic = m.flex_stiffnessadr[f] >= 0 || m.flex_bendingadr[f] >= 0;
    m.is_discrete() && m.is_dual() && elastic
}

/// True if a body has a plugin that is not that of cables.
fn has_other_plugin(m: &Model, body: usize) -> bool {
    usize::try_from(m.body_plugin[body]).is_ok_and(|id| m.plugin[id] != plugin::CABLE)
}

/// True if the path of a tendon has a pulley with divisor zero.
fn has_empty_pulley(m: &Model, tendon: usize) -> bool {
    let path = m.tendon_adr[tendon] as usize..(m.tendon_adr[tendon] + m.tendon_num[tendon]) as usize;
    path.into_iter().any(|w| m.wrap_type[w] == wrap::PULLEY && m.wrap_prm[w] == 0.0)
}

/// Candidates without a narrow phase.
fn uncollidable_pairs(m: &Model) -> Vec<(usize, usize)> {
    let candidates = m.candidate_geom1.iter().zip(&m.candidate_geom2);
    let pairs = candidates.map(|(&g1, &g2)| (g1 as usize, g2 as usize)).chain(unlisted_pairs(m));
    pairs.filter(|&(g1, g2)| shape_pair((m.geom_type[g1], m.geom_type[g2])).is_none()).collect()
}

/// Two geoms for each two types of which no candidate is listed, the lower type first.
fn unlisted_pairs(m: &Model) -> Vec<(usize, usize)> {
    if m.lists_all_candidates() {
        return Vec::new();
    }
    let mut geoms: Vec<usize> = m.sap_geom.iter().map(|g| *g as usize).collect();
    geoms.sort_by_key(|g| m.geom_type[*g]);
    let types: Vec<&[usize]> = geoms.chunk_by(|a, b| m.geom_type[*a] == m.geom_type[*b]).collect();
    let mut pairs = Vec::new();
    for (k, one) in types.iter().enumerate() {
        pairs.extend(one.get(1).map(|two| (one[0], *two)));
        pairs.extend(types[k + 1..].iter().map(|two| (one[0], two[0])));
    }
    pairs
}

/// Pairs of distance sensors without a distance function.
fn pairs_without_distance(m: &Model) -> Vec<(usize, usize)> {
    sensed_pairs(m).filter(|&(g1, g2)| !has_distance((m.geom_type[g1], m.geom_type[g2]))).collect()
}
