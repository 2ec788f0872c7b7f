//! Features that compile but are not simulated yet: rejected by name when worlds are created. A new feature removes
//! a line here.

use super::Model;
use super::features::sensed_pairs;
use crate::error::{Error, Result};
use crate::schema::enums::{bias, dynamics, enable, equality, gain, geom as kind, integrator, word, wrap};
use crate::schema::kinds::Kind;
use crate::schema::sensors::SENSORS;
use crate::schema::sensors::sensor;
use crate::schema::shape_pairs::{Method, shape_pair};

/// Enable flags that are not supported.
const ENABLED: &[(&str, i32)] = &[("diagexact", enable::DIAGEXACT), ("ipc", enable::IPC)];

/// Sensor types that are not supported: tactile.
const UNSUPPORTED_SENSORS: &[i32] = &[sensor::TACTILE];

/// Upper bound on reported features.
const MAX_LISTED: usize = 20;

/// Rejects a model with unsupported features; the message lists all of them.
///
/// # Errors
/// [`Error::Unsupported`] with the features; [`Error::Argument`] for parameters of solver Smooth that are out of range.
pub fn check(model: &Model) -> Result<()> {
    super::smooth::check_parameters(model)?;
    let mut list = UnsupportedList { model, lines: Vec::new() };
    list.options();
    list.bodies();
    list.flexes();
    list.geoms();
    list.tendons();
    list.pairs();
    list.actuators();
    list.plugins();
    list.equalities();
    list.sensors();
    if list.lines.is_empty() {
        return Ok(());
    }
    let more = list.lines.len().saturating_sub(MAX_LISTED);
    list.lines.truncate(MAX_LISTED);
    if more > 0 {
        list.lines.push(format!("{more} more"));
    }
    Err(Error::Unsupported(format!(
        "the model compiles, but is not simulated yet: {}",
        list.lines.join("; ")
    )))
}

/// True if a geom type pair, lower first, has a distance query. Of two planes there is nothing to query.
pub fn has_distance(types: (i32, i32)) -> bool {
    let Some(pair) = shape_pair(types) else { return types == (kind::PLANE, kind::PLANE) };
    match pair.method {
        Method::ClosedForm | Method::PlaneMesh | Method::BoxBox | Method::Convex => true,
        Method::Prisms => false,
    }
}

struct UnsupportedList<'a> {
    model: &'a Model,
    lines: Vec<String>,
}

impl UnsupportedList<'_> {
    fn add(&mut self, line: impl Into<String>) {
        let line = line.into();
        if !self.lines.contains(&line) {
            self.lines.push(line);
        }
    }

    /// Name of an object in messages: kind, and name or id.
    fn called(&self, kind: Kind, id: usize) -> String {
        match self.model.names.of(kind).get(id) {
            Some(name) if !name.is_empty() => format!("{} '{name}'", kind.word()),
            _ => format!("{} {id}", kind.word()),
        }
    }

    /// Reports the first object of a kind with an unsupported value.
    fn first(&mut self, kind: Kind, what: &str, count: usize, wrong: impl Fn(usize) -> bool) {
        if let Some(id) = (0..count).find(|&i| wrong(i)) {
            self.add(format!("{what} ({})", self.called(kind, id)));
        }
    }

    fn options(&mut self) {
        let m = self.model;
        if m.opt_integrator[0] == integrator::DISCRETE {
            self.add(
                "option integrator discrete: it solves for constraints, springs and dampers at the end of the step in \
                 one metric, which no stage here does (use implicitfast, the nearest to it, Euler, RK4 or implicit)",
            );
        }
        if m.enabled(enable::INVDISCRETE) && m.opt_integrator[0] == integrator::RK4 {
            self.add("flag invdiscrete with integrator RK4: a step has four accelerations");
        }
        // fwdinv would compare a continuous acceleration with a discrete one
        if m.enabled(enable::INVDISCRETE) && m.enabled(enable::FWDINV) {
            self.add("flags fwdinv and invdiscrete together");
        }
        // both take forces for minima of a cost
        if m.is_smooth() && m.enabled(enable::FWDINV) {
            self.add("flag fwdinv with solver Smooth, which has no inverse dynamics");
        }
        if m.is_smooth() && m.opt_noslip_iterations[0] > 0 {
            self.add("noslip_iterations with solver Smooth (set them to 0)");
        }
        for (name, bit) in ENABLED {
            if m.enabled(*bit) {
                self.add(format!("flag {name}"));
            }
        }
    }

    fn bodies(&mut self) {}

    fn flexes(&mut self) {
        self.first(Kind::Flex, "deformable body", self.model.sizes.nflex, |_| true);
    }

    fn geoms(&mut self) {}

    fn tendons(&mut self) {
        let m = self.model;
        // infinitely long, whatever moves
        self.first(Kind::Tendon, "a pulley with divisor zero", m.sizes.ntendon, |t| {
            let path = m.tendon_adr[t] as usize..(m.tendon_adr[t] + m.tendon_num[t]) as usize;
            path.into_iter().any(|w| m.wrap_type[w] == wrap::PULLEY && m.wrap_prm[w] == 0.0)
        });
    }

    fn pairs(&mut self) {
        let m = self.model;
        // one message per type pair
        let mut told = Vec::new();
        for c in 0..m.sizes.ncandidate {
            let (g1, g2) = (m.candidate_geom1[c] as usize, m.candidate_geom2[c] as usize);
            let types = (m.geom_type[g1], m.geom_type[g2]);
            if shape_pair(types).is_some() || told.contains(&types) {
                continue;
            }
            told.push(types);
            let (one, two) = (self.called(Kind::Geom, g1), self.called(Kind::Geom, g2));
            let (a, b) = (word(kind::WORDS, types.0), word(kind::WORDS, types.1));
            self.add(format!("collision of {a} and {b} ({one}, {two})"));
        }
    }

    fn equalities(&mut self) {
        let m = self.model;
        // equality types of deformable bodies
        for &(name, kind) in equality::WORDS.iter().filter(|w| w.1 > equality::TENDON) {
            let what = format!("{name} constraint");
            self.first(Kind::Equality, &what, m.sizes.neq, |e| m.eq_type[e] == kind);
        }
    }

    fn sensors(&mut self) {
        let m = self.model;
        let count = m.sizes.nsensor;
        for number in UNSUPPORTED_SENSORS {
            let tag = SENSORS.get(*number as usize).map_or("", |rule| rule.tag);
            let what = format!("sensor of type {tag}");
            self.first(Kind::Sensor, &what, count, |s| m.sensor_type[s] == *number);
        }
        self.first(Kind::Sensor, "enclosed of a sensor", count, |s| {
            m.sensor_type[s] == sensor::INSIDESITE && m.sensor_intprm[3 * s] != 0
        });
        self.distances();
        // geom types without a ray test
        if m.sensor_type.contains(&sensor::RANGEFINDER) {
            let what = "rays against a signed-distance geom";
            self.first(Kind::Geom, what, m.sizes.ngeom, |g| m.geom_type[g] == kind::SDF);
        }
    }

    /// Type pairs of distance sensors without a distance function, one message each.
    fn distances(&mut self) {
        let m = self.model;
        let mut told = Vec::new();
        for (g1, g2) in sensed_pairs(m) {
            let types = (m.geom_type[g1], m.geom_type[g2]);
            if told.contains(&types) || has_distance(types) {
                continue;
            }
            told.push(types);
            let (one, two) = (self.called(Kind::Geom, g1), self.called(Kind::Geom, g2));
            let (a, b) = (word(kind::WORDS, types.0), word(kind::WORDS, types.1));
            self.add(format!("distance of {a} and {b} ({one}, {two})"));
        }
    }

    fn actuators(&mut self) {
        let m = self.model;
        let count = m.sizes.nactuator;
        let own = |kinds: &[i32], a: usize, list: &[i32]| !list.contains(&kinds[a]);
        self.first(Kind::Actuator, "this activation of an actuator", count, |a| {
            m.actuator_dyntype[a] == dynamics::USER
        });
        let gains = [gain::FIXED, gain::AFFINE, gain::MUSCLE, gain::DCMOTOR, gain::SO3, gain::PID];
        self.first(Kind::Actuator, "this gain of an actuator", count, |a| {
            own(&m.actuator_gaintype, a, &gains)
        });
        let biases = [bias::NONE, bias::AFFINE, bias::MUSCLE, bias::DCMOTOR, bias::SO3];
        self.first(Kind::Actuator, "this bias of an actuator", count, |a| {
            own(&m.actuator_biastype, a, &biases)
        });
    }

    fn plugins(&mut self) {
        let m = self.model;
        self.first(Kind::Body, "a plugin of a body", m.sizes.nbody, |b| m.body_plugin[b] >= 0);
        self.first(Kind::Geom, "a plugin of a geom", m.sizes.ngeom, |g| m.geom_plugin[g] >= 0);
    }
}
