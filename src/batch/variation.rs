//! Model fields that differ from world to world: expanding, reading and writing them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::engine::names_of;
use super::models::Models;
use super::numbers::typed;
use super::{Batch, Worlds, selection};
use crate::error::{Error, Result};
use crate::formats::npz::Array;
use crate::model::Model;
use crate::model::features::{has_sizes_of_data, shape_sizes};
use crate::model::{FieldName, ModelField};
use crate::real::MINVAL;
use crate::schema::enums::{dynamics, equality, gain};
use crate::schema::{Field, Kind, Numbers, NumbersRef, Rule, Sizes};

/// Where values of a field come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A caller, who may not set what follows from something else.
    Caller,
    /// A batch, in which it has followed.
    Batch,
}

/// Fields that decide whether a block of the inertia matrix is diagonal.
const SHORTCUTS: &[&str] = &["body_ipos", "body_iquat", "jnt_pos", "jnt_axis", "tendon_armature"];

/// Fields of flexes whose forces a model leaves out where they are zero.
const FLEX_FORCES: &[&str] = &["flex_damping", "flex_edgestiffness", "flex_edgedamping"];

/// A quaternion or axis shorter than this has no direction.
const MIN_LENGTH: f64 = 1e-10;

/// Numbers of an equality constraint in `eq_data`.
const EQ_DATA: usize = 12;

/// Rows whose length differs from one by less keep their bits.
const UNIT_SLACK: f64 = 1e-15;

impl Batch {
    /// Gives fields of the model a value for each world, at first those of the model: friction, masses, gains and the
    /// like; fields that follow from them ([`set_const`](crate::compile::set_const)) get one too. Worlds keep their states. On the GPU the
    /// kernels are composed anew: expand before the first step.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that is unknown, that follows from others, or that is the structure of the model,
    /// [`Error::Device`] if memory is insufficient. The batch is then unchanged.
    pub fn expand(&mut self, fields: &[&str]) -> Result<()> {
        let mut varied = names_of(self.engine.models());
        let known = varied.len();
        varied.extend(expansion(self.model(), fields)?);
        if varied.len() == known {
            return Ok(());
        }
        self.engine.flush()?;
        let (base, sizes) = self.expanded_model(&varied);
        let mut models = Models::varying(Arc::new(base), self.worlds, &varied);
        let present = self.engine.models();
        for world in 0..self.worlds {
            for field in present.varied() {
                models.put(world, field.name, &present.column(world, field.name));
            }
        }
        let rows = self.friction_rows(varied.iter());
        self.engine.vary(models, sizes, rows)
    }

    /// The model of a batch in which these fields differ from world to world, and its sizes: blocks of the inertia matrix
    /// that are diagonal in the model may not be in every world.
    pub(super) fn expanded_model(&self, varied: &BTreeSet<&'static str>) -> (Model, Sizes) {
        let mut base = self.model().clone();
        if SHORTCUTS.iter().any(|name| varied.contains(name)) {
            base.drop_shortcuts();
        }
        let mut capacity = self.capacity();
        // capacities that were measured with the model
        if self.capacity_is_measured {
            capacity.njmax += self.new_friction_rows(varied);
        }
        let sizes = capacity.sizes(&base);
        (base, sizes)
    }

    /// Rows for friction that the model has not and a world may have, by fields among these.
    fn friction_rows<'f>(&self, fields: impl Iterator<Item = &'f &'static str>) -> usize {
        let frictions = fields.filter(|name| ["dof_frictionloss", "tendon_frictionloss"].contains(name));
        let zeros = |name: &&'static str| {
            self.model().get(name).map(|v| v.to_f64().iter().filter(|x| **x == 0.0).count())
        };
        frictions.filter_map(zeros).sum()
    }

    /// The same by fields that are new in a set.
    fn new_friction_rows(&self, varied: &BTreeSet<&'static str>) -> usize {
        let known = self.expanded();
        self.friction_rows(varied.iter().filter(|name| !known.contains(name)))
    }

    /// Fields that have a value for each world, those that follow from others included.
    pub fn expanded(&self) -> Vec<&'static str> {
        self.engine.models().varied().map(|f| f.name).collect()
    }

    /// Sets an [expanded](Batch::expand) field of the model in some worlds from `[world, …]` numbers. What follows from
    /// it is recomputed before the next step. Quaternions and axes are stored with length one.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that is not expanded, the wrong number of values, or a value that no world can
    /// have, with the world and the reason. The batch is then unchanged. As [`Worlds::resolve`].
    pub fn set_model<'w, 'v>(
        &mut self,
        field: impl FieldName<ModelField>,
        worlds: impl Into<Worlds<'w>>,
        values: impl Into<NumbersRef<'v>>,
    ) -> Result<()> {
        let entry = field.entry()?;
        variable(self.model(), entry)?;
        if !self.engine.models().varied().any(|f| f.name == entry.name) {
            let text = format!("'{}' is the same in all worlds; expand it first", entry.name);
            return Err(Error::Argument(text));
        }
        let worlds = self.resolve(worlds)?;
        // what follows from other fields is compared with what it is now
        if !entry.traits.follows.is_empty() {
            self.engine.refresh_models()?;
        }
        let rows = self.normalize_model_values(entry, &worlds, values.into(), Origin::Caller)?;
        self.engine.write_model(entry.name, &worlds, &rows)
    }

    /// Checks `[world, …]` numbers of a field in some worlds; what is to be stored.
    pub(super) fn normalize_model_values(
        &self,
        entry: &'static Field,
        worlds: &[usize],
        values: NumbersRef<'_>,
        origin: Origin,
    ) -> Result<Vec<f64>> {
        let (field, rule) = (entry.name, variable(self.model(), entry)?);
        self.check_count(entry, worlds.len(), values.len())?;
        let len = entry.len(self.sizes()).max(1);
        let mut rows = values.to_f64();
        let models = self.engine.models();
        for (world, row) in worlds.iter().zip(rows.chunks_mut(len)) {
            let now = match rule {
                Rule::GeomSize | Rule::EqData | Rule::Elastic => models.column(*world, field),
                _ => Vec::new(),
            };
            normalize_values(models.base(), entry, rule, row, &now, origin).map_err(|why| {
                let shape = entry.shape(self.sizes());
                Error::Argument(format!("'{field}' of world {world}: {why}; its shape is {shape:?}"))
            })?;
        }
        Ok(rows)
    }

    /// A field of the model in some worlds, `[world, …]`; on the GPU as its kernels read it, where they do.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field, as [`Worlds::resolve`]; [`Error::Device`] if the device is lost.
    pub fn get_model<'w>(
        &mut self,
        field: impl FieldName<ModelField>,
        worlds: impl Into<Worlds<'w>>,
    ) -> Result<Array> {
        let (entry, worlds) = (field.entry()?, self.resolve(worlds)?);
        let numbers = self.engine.read_model(entry.name, &worlds)?;
        let mut shape = vec![worlds.len()];
        shape.extend(entry.shape(self.sizes()));
        Ok(Array { shape, data: typed(entry.elem, Numbers::F64(numbers)) })
    }

    /// The model of a world.
    ///
    /// # Errors
    /// [`Error::Argument`] for a world out of range, [`Error::Device`] if the device is lost.
    pub fn model_of(&mut self, world: usize) -> Result<Model> {
        selection::check(Some(world), self.worlds)?;
        self.engine.refresh_models()?;
        Ok(self.engine.models().of(world))
    }
}

/// Fields of a model that have a value for each world if the given ones have: these, and what follows from them.
///
/// # Errors
/// As [`Batch::expand`].
pub fn expansion<T: AsRef<str>>(model: &Model, fields: &[T]) -> Result<BTreeSet<&'static str>> {
    let mut varied = BTreeSet::new();
    for name in fields {
        let entry = FieldName::<ModelField>::entry(name.as_ref())?;
        variable(model, entry)?;
        varied.insert(entry.name);
    }
    with_what_follows(&mut varied);
    Ok(varied)
}

/// True if the number of activations of some actuator depends on its parameters.
fn has_counted_states(m: &Model) -> bool {
    let of = |kinds: &[i32], wanted: &[i32]| kinds.iter().any(|kind| wanted.contains(kind));
    of(&m.actuator_dyntype, &[dynamics::PID, dynamics::DCMOTOR])
        || of(&m.actuator_gaintype, &[gain::PID, gain::DCMOTOR])
}

/// The rule of a field that may differ from world to world.
pub(super) fn variable(model: &Model, entry: &Field) -> Result<Rule> {
    let name = entry.name;
    let why = match entry.traits.varies {
        Some(_) if name.ends_with("_adhesion") && !model.has_adhesion() => {
            "no geom of the model has adhesion; give one of them a small one in the file".to_owned()
        }
        Some(_)
            if FLEX_FORCES.contains(&name)
                && model.get(name).is_some_and(|v| v.to_f64().iter().all(|x| *x == 0.0)) =>
        {
            "it is zero in the file, where a small one keeps what it acts on in the model".to_owned()
        }
        Some(_) if ["actuator_dynprm", "actuator_gainprm"].contains(&name) && has_counted_states(model) => {
            "it decides how many activations a PID controller or DC motor of the model has".to_owned()
        }
        Some(rule) => return Ok(rule),
        None if entry.traits.follows.is_empty() => {
            "it is the structure of the model, or serves for display: the same in all worlds".to_owned()
        }
        None => {
            let from: BTreeSet<&str> = entry.traits.follows.iter().flat_map(|list| *list).copied().collect();
            let from: Vec<&str> = from.into_iter().collect();
            format!("it follows from {}: expand what you want to set", from.join(", "))
        }
    };
    Err(Error::Argument(format!("'{name}' cannot be expanded: {why}")))
}

/// Adds the fields that follow from those of a set.
fn with_what_follows(fields: &mut BTreeSet<&'static str>) {
    loop {
        let follows =
            |f: &&Field| f.traits.follows.iter().any(|list| list.iter().any(|name| fields.contains(name)));
        let more: Vec<&'static str> = Model::<f64>::FIELDS
            .iter()
            .filter(|f| !fields.contains(f.name))
            .filter(follows)
            .map(|f| f.name)
            .collect();
        if more.is_empty() {
            return;
        }
        fields.extend(more);
    }
}

/// Checks the values of a field in a world, which has the values `now`, and normalises directions; the reason if they are
/// not valid.
fn normalize_values(
    m: &Model,
    entry: &Field,
    rule: Rule,
    row: &mut [f64],
    now: &[f64],
    origin: Origin,
) -> std::result::Result<(), String> {
    // finite in single precision on every backend, so that a program runs on both
    #[allow(clippy::cast_possible_truncation, reason = "a test of the range")]
    if let Some(x) = row.iter().find(|x| !(**x as f32).is_finite()) {
        return Err(format!("{x} is not finite in single precision"));
    }
    let all = |row: &[f64], what: &str, valid: fn(f64) -> bool| match row.iter().position(|x| !valid(*x)) {
        Some(i) => Err(format!("number {i} is {}; it has to be {what}", row[i])),
        None => Ok(()),
    };
    match rule {
        Rule::Any => Ok(()),
        Rule::NotNegative => all(row, "zero or greater", |x| x >= 0.0),
        Rule::Positive => all(row, "greater than zero", |x| x as f32 > 0.0),
        Rule::Unit => all(row, "from 0 to 1", |x| (0.0..=1.0).contains(&x)),
        Rule::Quat => normalize(row, 4, "quaternion"),
        Rule::Axis => normalize(row, 3, "axis"),
        Rule::Mass => {
            all(row, "zero or greater", |x| x >= 0.0)?;
            match moving(m).find(|b| m.body_mass[*b] >= MINVAL && row[*b] < MINVAL) {
                Some(b) => Err(format!("body {b} moves; a mass of {} is too small for it", row[b])),
                None => Ok(()),
            }
        }
        Rule::Inertia => {
            all(row, "zero or greater", |x| x >= 0.0)?;
            // rounding of single precision is allowed
            let broken = |i: &[f64]| {
                2.0 * i.iter().copied().fold(0.0, f64::max) > i.iter().sum::<f64>() * (1.0 + 1e-6)
            };
            let of = |inertia: &[f64], b: usize| [inertia[3 * b], inertia[3 * b + 1], inertia[3 * b + 2]];
            if let Some(b) = row.chunks(3).position(broken) {
                let [x, y, z] = of(row, b);
                return Err(format!("moments {x} {y} {z} of body {b} violate the triangle inequality"));
            }
            let small = |inertia: &[f64], b: usize| of(inertia, b).iter().any(|x| *x < MINVAL);
            match moving(m).find(|b| !small(&m.body_inertia, *b) && small(row, *b)) {
                Some(b) => {
                    let [x, y, z] = of(row, b);
                    Err(format!("body {b} moves; moments of {x} {y} {z} are too small for it"))
                }
                None => Ok(()),
            }
        }
        Rule::Range => match row.chunks(2).position(|r| r[0] > r[1]) {
            Some(k) => Err(format!("range {k}, {} {}, is reversed", row[2 * k], row[2 * k + 1])),
            None => Ok(()),
        },
        Rule::GeomSize => row.chunks_mut(3).enumerate().try_for_each(|(g, size)| {
            if has_sizes_of_data(m.geom_type[g]) {
                let now = &now[3 * g..3 * g + 3];
                if origin == Origin::Caller && !same_single(size, now) {
                    return Err(format!("geom {g} has its size from a mesh or height field"));
                }
                size.copy_from_slice(now);
                return Ok(());
            }
            let count = shape_sizes(m.geom_type[g]);
            let bad = size[..count].iter().any(|s| *s as f32 <= 0.0) || size.iter().any(|s| *s < 0.0);
            if bad { Err(format!("geom {g} needs {count} positive sizes")) } else { Ok(()) }
        }),
        Rule::Elastic => {
            let stay =
                if entry.name == "flex_bending" { m.flex_bending_layout() } else { m.flex_stiffness_layout() };
            stay.into_iter().for_each(|k| row[k] = now[k]);
            Ok(())
        }
        Rule::EqData if origin == Origin::Batch => Ok(()),
        Rule::EqData => row.chunks_mut(EQ_DATA).zip(now.chunks(EQ_DATA)).enumerate().try_for_each(|(e, (row, now))| {
            if m.eq_objtype[e] != Kind::Body.number() {
                return Ok(());
            }
            match m.eq_type[e] {
                equality::CONNECT if !same_single(&row[3..6], &now[3..6]) => Err(format!(
                    "numbers 3 to 5 of constraint {e}, the anchor in the second body, follow from numbers 0 to 2"
                )),
                equality::WELD if row[6..10].iter().all(|x| *x == 0.0) => Err(format!(
                    "numbers 6 to 9 of constraint {e} are a quaternion and cannot be zero"
                )),
                // a pose that a caller gives is kept, one that was computed follows from those of the bodies
                equality::WELD => {
                    let computed = now[11] != 0.0 && same_single(&row[3..10], &now[3..10]);
                    if computed {
                        row[3..10].copy_from_slice(&now[3..10]);
                    }
                    row[11] = f64::from(u8::from(computed));
                    Ok(())
                }
                _ => Ok(()),
            }
        }),
    }
    .map_err(|why| if entry.unit == "1" { why } else { format!("{why} ({})", entry.unit) })
}

/// Bodies with joints.
fn moving(m: &Model) -> impl Iterator<Item = usize> {
    (1..m.sizes.nbody).filter(|b| m.body_jntnum[*b] > 0)
}

/// True if numbers are the same in single precision.
#[allow(clippy::cast_possible_truncation, reason = "what single precision leaves of them")]
fn same_single(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| *a as f32 == *b as f32)
}

/// Gives rows of `n` numbers length one; those that have it keep their bits.
fn normalize(row: &mut [f64], n: usize, what: &str) -> std::result::Result<(), String> {
    for (k, v) in row.chunks_mut(n).enumerate() {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length < MIN_LENGTH {
            return Err(format!("{what} {k} is zero"));
        }
        if (length - 1.0).abs() > UNIT_SLACK {
            v.iter_mut().for_each(|x| *x /= length);
        }
    }
    Ok(())
}
