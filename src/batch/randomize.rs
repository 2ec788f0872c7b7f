//! Worlds that differ by chance: fields of the model and of the state, drawn for each world.

use std::str::FromStr;

use rayon::prelude::*;

use super::variation::{Origin, variable};
use super::{Batch, Worlds};
use crate::cpu::math::philox::{normal, philox, unit};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::features::has_sizes_of_data;
use crate::model::state::names;
use crate::model::{DataField, FieldName, ModelField};
use crate::schema::enums::JointType;
use crate::schema::{Dim, Field, Role, Values};

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Uniform from the first number to the second.
    Uniform(f64, f64),
    /// The logarithm is uniform from that of the first number to that of the second.
    LogUniform(f64, f64),
    /// Normal, with mean and standard deviation.
    Normal(f64, f64),
}

/// What becomes of a drawn number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It is the value of an element.
    Set,
    /// It multiplies what the model has, all elements of an object by the same number: a body keeps the shape of its
    /// inertia, a geom the ratios of its friction.
    Scale,
    /// It is added to what the model has, or the state, for each element a number of its own.
    Add,
}

/// A field that differs from world to world by chance.
///
/// As text: `FIELD=set|scale|add:[log:]LOW..HIGH` or `FIELD=set|scale|add:normal:MEAN:DEVIATION`, optionally followed by
/// `@STREAM`.
#[derive(Clone, Debug, PartialEq)]
pub struct Randomization {
    /// Field of the model that [may differ](Batch::expand), or `qpos`, `qvel`, `act`.
    pub field: String,
    /// What becomes of a drawn number.
    pub operation: Operation,
    /// What is drawn.
    pub distribution: Distribution,
    /// Fields with the same stream draw the same numbers; the name of the field where not given.
    pub stream: Option<String>,
    /// Places of the elements that are drawn, among those of one world; the others keep what they have. All, where not
    /// given. An element draws the same number whatever others are drawn.
    pub elements: Option<Vec<usize>>,
}

/// Which numbers are drawn: they depend on these, the stream, the world and the element, on nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Draw {
    /// Seed of all numbers.
    pub seed: u64,
    /// Number of the episode.
    pub episode: u32,
    /// Number of the batch's first world among all worlds of a run, which may be spread over several batches.
    pub first_world: u32,
}

impl FromStr for Randomization {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |why: &str| {
            let form = "FIELD=set|scale|add:[log:]LOW..HIGH or FIELD=set|scale|add:normal:MEAN:DEVIATION";
            Error::Argument(format!("'{text}': {why}; the form is {form}, and @STREAM behind it"))
        };
        let (field, rest) = text.split_once('=').ok_or_else(|| wrong("there is no '='"))?;
        let (rest, stream) = match rest.split_once('@') {
            Some((rest, stream)) => (rest, Some(stream.to_owned())),
            None => (rest, None),
        };
        let words: Vec<&str> = rest.split(':').collect();
        let operation = match words[0] {
            "set" => Operation::Set,
            "scale" => Operation::Scale,
            "add" => Operation::Add,
            other => return Err(wrong(&format!("'{other}' is neither set, scale nor add"))),
        };
        let number = |word: &str| {
            let x = word.parse::<f64>().ok().filter(|x| x.is_finite());
            x.ok_or_else(|| wrong(&format!("'{word}' is no number")))
        };
        let range = |word: &str| {
            let (low, high) = word.split_once("..").ok_or_else(|| wrong("a range is LOW..HIGH"))?;
            Ok((number(low)?, number(high)?))
        };
        let distribution = match &words[1..] {
            [word] => range(word).map(|(low, high)| Distribution::Uniform(low, high))?,
            ["log", word] => range(word).map(|(low, high)| Distribution::LogUniform(low, high))?,
            ["normal", mean, deviation] => Distribution::Normal(number(mean)?, number(deviation)?),
            _ => return Err(wrong("there is no range")),
        };
        Ok(Self { field: field.to_owned(), operation, distribution, stream, elements: None })
    }
}

impl Distribution {
    /// Checks the parameters.
    fn check(self, field: &str) -> Result<()> {
        let (Self::Uniform(a, b) | Self::LogUniform(a, b) | Self::Normal(a, b)) = self;
        if !a.is_finite() || !b.is_finite() {
            return Err(Error::Argument(format!("'{field}': {a} and {b} have to be finite")));
        }
        let (low, high) = match self {
            Self::Uniform(a, b) | Self::LogUniform(a, b) => (a, b),
            Self::Normal(_, deviation) if deviation >= 0.0 => return Ok(()),
            Self::Normal(_, deviation) => {
                let text =
                    format!("'{field}': the standard deviation is {deviation}; it has to be zero or greater");
                return Err(Error::Argument(text));
            }
        };
        if low > high {
            return Err(Error::Argument(format!("'{field}': the range {low}..{high} is reversed")));
        }
        if matches!(self, Self::LogUniform(..)) && low <= 0.0 {
            return Err(Error::Argument(format!("'{field}': {low} has no logarithm")));
        }
        Ok(())
    }

    /// The number that some words stand for.
    fn number(self, words: [u32; 4]) -> f64 {
        match self {
            Self::Uniform(low, high) => (low + (high - low) * unit(words[0])).clamp(low, high),
            Self::LogUniform(low, high) => (low * (high / low).powf(unit(words[0]))).clamp(low, high),
            Self::Normal(mean, deviation) => mean + deviation * normal([words[0], words[1]]),
        }
    }
}

impl Batch {
    /// Draws fields of the model anew in some worlds, starting from the values of the model, and adds to or replaces fields
    /// of the state. Geoms with a mesh or height field keep their sizes. Fields of the model that are the same in all
    /// worlds are [expanded](Batch::expand) first. The numbers of a world are the same on both backends and in every batch.
    ///
    /// # Errors
    /// As [`Batch::expand`] and [`Batch::set_model`], and [`Error::Argument`] for a range that is reversed or has no
    /// logarithm; no field is then drawn.
    pub fn randomize<'w>(
        &mut self,
        all: &[Randomization],
        draw: Draw,
        worlds: impl Into<Worlds<'w>>,
    ) -> Result<()> {
        let worlds = self.resolve(worlds)?;
        all.iter().try_for_each(|one| one.distribution.check(&one.field))?;
        let twice = |k: usize| all[..k].iter().any(|one| one.field == all[k].field);
        if let Some(k) = (0..all.len()).find(|k| twice(*k)) {
            return Err(Error::Argument(format!("'{}' is drawn twice", all[k].field)));
        }
        let of_model: Vec<&str> = all
            .iter()
            .map(|one| one.field.as_str())
            .filter(|name| names(&[Role::Motion]).all(|n| n != *name))
            .collect();
        // all numbers before the first is stored
        let mut rows = Vec::new();
        for one in all {
            let (field, from) = match names(&[Role::Motion]).find(|name| *name == one.field) {
                Some(name) => {
                    let values = self.get(name, &worlds)?.data.to_f64();
                    (FieldName::<DataField>::entry(name)?, values)
                }
                None => {
                    let field = FieldName::<ModelField>::entry(one.field.as_str())?;
                    variable(self.model(), field)?;
                    let values = match self.model().get(field.name) {
                        Some(Values::Real(values)) => values.to_vec(),
                        _ => Vec::new(),
                    };
                    (field, self.before_draw(one, field, &values, &worlds)?)
                }
            };
            rows.push((field, one.draw(field, from, &worlds, draw, self)));
        }
        // values that no world can have are found before any is stored
        for (field, row) in rows.iter().filter(|(field, _)| field.role == Role::Constant) {
            self.normalize_model_values(field, &worlds, row.into(), Origin::Caller)?;
        }
        self.expand(&of_model)?;
        for (field, row) in &rows {
            match field.role == Role::Constant {
                true => self.set_model(field.name, &worlds, row)?,
                false => self.set(field.name, &worlds, row)?,
            }
        }
        Ok(())
    }

    /// What a field of the model is drawn from, `[world, …]`: the values of the model, and those of each world where an
    /// element is not drawn.
    fn before_draw(
        &self,
        one: &Randomization,
        field: &Field,
        values: &[f64],
        worlds: &[usize],
    ) -> Result<Vec<f64>> {
        let Some(elements) = &one.elements else { return Ok(values.repeat(worlds.len())) };
        let mut rows = Vec::with_capacity(worlds.len() * values.len());
        for world in worlds {
            let mut row = self.engine.models().column(*world, field.name);
            for &i in elements {
                let (Some(to), Some(from)) = (row.get_mut(i), values.get(i)) else {
                    let (name, len) = (field.name, values.len());
                    return Err(Error::Argument(format!(
                        "'{name}' has no element {i}: it has {len} a world"
                    )));
                };
                *to = *from;
            }
            rows.extend(row);
        }
        Ok(rows)
    }
}

impl Randomization {
    /// Values of a field in some worlds, `[world, …]`, from the present ones.
    fn draw(
        &self,
        field: &Field,
        mut rows: Vec<f64>,
        worlds: &[usize],
        draw: Draw,
        batch: &Batch,
    ) -> Vec<f64> {
        let len = field.len(batch.sizes()).max(1);
        // fields such as gravity are one object
        let objects = match field.dims.first() {
            Some(Dim::Of(size)) => batch.sizes().get(*size).max(1),
            _ => 1,
        };
        let stream = hash(self.stream.as_deref().unwrap_or(field.name));
        let key = [draw.seed as u32, (draw.seed >> 32) as u32];
        rows.par_chunks_mut(len).zip(worlds).for_each(|(row, world)| {
            let world = draw.first_world.wrapping_add(*world as u32);
            let number = |index: usize| {
                self.distribution.number(philox([index as u32, world, stream, draw.episode], key))
            };
            let width = (row.len() / objects).max(1);
            let drawn = |i: usize| self.elements.as_ref().is_none_or(|some| some.contains(&i));
            for (i, x) in row.iter_mut().enumerate().filter(|(i, _)| drawn(*i)) {
                match self.operation {
                    Operation::Set => *x = number(i),
                    Operation::Scale => *x *= number(i / width),
                    Operation::Add => *x += number(i),
                }
            }
            match field.name {
                "qpos" => unit_quaternions(batch.model(), row),
                "geom_size" => restore_sizes_of_data(batch.model(), row),
                _ => {}
            }
        });
        rows
    }
}

/// Gives geoms with a mesh or height field their sizes back.
fn restore_sizes_of_data(m: &Model, sizes: &mut [f64]) {
    for g in (0..m.sizes.ngeom).filter(|&g| has_sizes_of_data(m.geom_type[g])) {
        sizes[3 * g..3 * g + 3].copy_from_slice(&m.geom_size[3 * g..3 * g + 3]);
    }
}

/// Gives the quaternions of positions length one.
fn unit_quaternions(m: &Model, qpos: &mut [f64]) {
    for j in 0..m.sizes.njnt {
        let adr = m.jnt_qposadr[j] as usize;
        let quat = match JointType::of(m.jnt_type[j]) {
            Some(JointType::FREE) => &mut qpos[adr + 3..adr + 7],
            Some(JointType::BALL) => &mut qpos[adr..adr + 4],
            Some(JointType::SLIDE | JointType::HINGE) | None => continue,
        };
        let length = quat.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            quat.iter_mut().for_each(|x| *x /= length);
        }
    }
}

/// Number of a stream (FNV-1a of its name).
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |h: u32, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}
