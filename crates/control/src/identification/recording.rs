//! What was measured: controls, and fields of a world over time, in segments that each begin in a known state.

use std::collections::BTreeMap;
use std::path::Path;

use manyworlds::error::{Error, Result, suggest};
use manyworlds::formats::npz::{self, Array};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::model::state::names;
use manyworlds::schema::{Dim, Elem, Field, Role, Sizes};

/// State that a segment may begin with; the rest is the initial state of the model.
const STARTS: &[Role] = &[Role::Motion, Role::Time, Role::Scene, Role::History, Role::Warmstart];

/// Largest difference of the time between two frames from whole steps, as a part of a step.
const TIME_SLACK: f64 = 1e-3;

/// Least deviation of an element that moves little, as a part of that of the element of its field that moves most.
const LEAST_MOTION: f64 = 0.01;

/// A field that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Name of a Data field of reals whose length does not depend on capacities.
    pub field: String,
    /// Standard deviation of each element of the residual, by which it is divided: `[nv]` for `qpos`, whose residual is the
    /// velocity that leads from one to the other in a second, else as many as the field has.
    pub deviation: Vec<f64>,
}

/// A stretch of a recording that begins in a known state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// Number in messages: what it was cut from, such as `world 0, frames 0 to 50`.
    pub name: String,
    /// Where it begins: state fields of one world. What is missing is as in the model's initial state.
    pub start: BTreeMap<String, Vec<f64>>,
    /// Controls of each frame, `[frame, nu]`, held during the steps that lead to it.
    pub ctrl: Vec<f64>,
    /// Each measured field after these steps, `[frame, …]`, in the order of [`Recording::measured`].
    pub frames: Vec<Vec<f64>>,
}

/// What was measured of one world, or of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Steps from one frame to the next.
    pub every: usize,
    /// Fields that were measured.
    pub measured: Vec<Measured>,
    /// Segments, each of which is a world of its own.
    pub segments: Vec<Segment>,
}

/// How arrays are cut and weighed.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Measured fields, with one standard deviation for all of their elements; where there is none, that of each element is
    /// the root mean square of its motion about its mean, and at least a hundredth of the largest one in its field.
    pub fields: Vec<(String, Option<f64>)>,
    /// Frames of a segment; all of a world where not given. The last segment of a world may be shorter.
    pub segment: Option<usize>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { fields: vec![("qpos".to_owned(), None), ("qvel".to_owned(), None)], segment: None }
    }
}

impl Recording {
    /// A recording from a file as `rollout --record … --out` writes it; see [`Recording::from_arrays`].
    ///
    /// # Errors
    /// [`Error::Io`] for a file that cannot be read, else as [`Recording::from_arrays`], with the name of the file.
    pub fn read(path: &Path, model: &Model, options: &ReadOptions) -> Result<Self> {
        let arrays = npz::read(path)?;
        Self::from_arrays(&arrays, model, options).map_err(|e| e.within(&path.display().to_string()))
    }

    /// A recording from arrays `[frame, world, …]`: `qpos`, `qvel`, `act` for a model with activations, `ctrl` for one with
    /// controls, the measured fields, and `time`, without which frames are a step apart. The first frame is where the first
    /// segment begins; the controls of a frame are those of the steps that lead to it.
    ///
    /// # Errors
    /// [`Error::Argument`] for an array that is missing, has the wrong shape or is not finite, for times that are not steps of
    /// the model apart, and for forces or mocap bodies that a rollout under controls would not repeat.
    pub fn from_arrays(
        arrays: &BTreeMap<String, Array>,
        model: &Model,
        options: &ReadOptions,
    ) -> Result<Self> {
        let wrong = |text: String| Error::Argument(text);
        let qpos =
            arrays.get("qpos").ok_or_else(|| wrong("has no array 'qpos' [frame, world, nq]".to_owned()))?;
        let (frames, worlds) = match qpos.shape[..] {
            [frames, worlds, _] if frames >= 2 && worlds > 0 => (frames, worlds),
            _ => {
                let shape = &qpos.shape;
                return Err(wrong(format!(
                    "'qpos' has shape {shape:?}; it has to be [frame, world, {}], with two frames or more",
                    model.sizes.nq
                )));
            }
        };
        let columns = Columns { arrays, model, frames, worlds, sizes: sizes(model) };
        for name in names(&[Role::Motion, Role::Control]) {
            let count = data_field(name)?.len(&model.sizes);
            if count > 0 && !arrays.contains_key(name) {
                return Err(wrong(format!("has no array '{name}' [frame, world, {count}]; record it too")));
            }
        }
        let every = columns.steps_between()?;
        columns.check_replay()?;

        // fields and how much they move
        let mut measured: Vec<Measured> = Vec::new();
        let mut values = Vec::new();
        for (name, deviation) in &options.fields {
            let field = measurable(name)?;
            if measured.iter().any(|m| m.field == field.name) {
                return Err(wrong(format!("'{name}' is named twice")));
            }
            let column = columns.of(field)?;
            let width = residual_len(model, field, &columns.sizes);
            let deviation = match deviation {
                Some(deviation) => vec![*deviation; width],
                None => motion(model, field, &column, width),
            };
            measured.push(Measured { field: field.name.to_owned(), deviation });
            values.push(column);
        }
        let starts = names(STARTS).filter(|name| arrays.contains_key(*name));
        let starts = starts.map(|name| Ok((name, columns.of(data_field(name)?)?)));
        let starts: Vec<(&str, Column)> = starts.collect::<Result<_>>()?;
        let ctrl = if model.sizes.nu > 0 { Some(columns.of(data_field("ctrl")?)?) } else { None };

        // a start, and the frames behind it
        let length = options.segment.unwrap_or(frames - 1);
        if length == 0 {
            return Err(wrong("a segment has at least one frame".to_owned()));
        }
        let mut segments = Vec::new();
        for world in 0..worlds {
            for first in (0..frames - 1).step_by(length) {
                let last = (first + length).min(frames - 1);
                let rows = |column: &Column| {
                    (first + 1..=last)
                        .flat_map(|f| column.row(f, world).iter().copied())
                        .collect::<Vec<f64>>()
                };
                segments.push(Segment {
                    name: format!("world {world}, frames {first} to {last}"),
                    start: starts
                        .iter()
                        .map(|(n, c)| ((*n).to_owned(), c.row(first, world).to_vec()))
                        .collect(),
                    ctrl: ctrl.as_ref().map(rows).unwrap_or_default(),
                    frames: values.iter().map(rows).collect(),
                });
            }
        }
        let recording = Self { every, measured, segments };
        recording.check(model)?;
        Ok(recording)
    }

    /// Checks sizes and numbers for a model.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that cannot be measured or begun with, a wrong number of values, a number that is not
    /// finite, or a deviation that is not above 0.
    pub fn check(&self, model: &Model) -> Result<()> {
        let sizes = sizes(model);
        if self.every == 0 || self.segments.is_empty() || self.measured.is_empty() {
            let text = "a recording has one segment, one measured field, and a step between frames, or more";
            return Err(Error::Argument(text.to_owned()));
        }
        for measured in &self.measured {
            let field = measurable(&measured.field)?;
            let (got, need) = (measured.deviation.len(), residual_len(model, field, &sizes));
            if need == 0 {
                return Err(Error::Argument(format!("'{}' has no elements in this model", field.name)));
            }
            if got != need {
                let text = format!("'{}' has {got} deviations; its residual has {need} elements", field.name);
                return Err(Error::Argument(text));
            }
            if let Some(x) = measured.deviation.iter().find(|x| !(**x > 0.0 && x.is_finite())) {
                let text = format!("a deviation of '{}' is {x}; it has to be above 0", field.name);
                return Err(Error::Argument(text));
            }
        }
        self.segments.iter().try_for_each(|segment| self.check_segment(segment, model, &sizes))
    }

    fn check_segment(&self, segment: &Segment, model: &Model, sizes: &Sizes) -> Result<()> {
        let name = &segment.name;
        let frames = self.frames_of(segment, model);
        if frames == 0 || segment.frames.len() != self.measured.len() {
            let (got, need) = (segment.frames.len(), self.measured.len());
            let text =
                format!("segment {name} has {frames} frames of {got} fields; {need} fields are measured");
            return Err(Error::Argument(text));
        }
        let check = |what: &str, values: &[f64], need: usize| {
            if values.len() != need {
                let got = values.len();
                return Err(Error::Argument(format!(
                    "'{what}' of segment {name} has {got} numbers; {frames} frames need {need}"
                )));
            }
            match values.iter().position(|x| !x.is_finite()) {
                Some(i) => Err(Error::Argument(format!(
                    "'{what}' of segment {name} is {} in frame {}; it has to be finite",
                    values[i],
                    i / (need / frames).max(1)
                ))),
                None => Ok(()),
            }
        };
        check("ctrl", &segment.ctrl, frames * sizes.nu)?;
        for (measured, values) in self.measured.iter().zip(&segment.frames) {
            check(&measured.field, values, frames * measurable(&measured.field)?.len(sizes))?;
        }
        for (start, values) in &segment.start {
            if names(STARTS).all(|name| name != start) {
                let near = suggest(start, names(STARTS));
                let text = format!("segment {name} begins with '{start}', which is no state{near}");
                return Err(Error::Argument(text));
            }
            let (got, need) = (values.len(), data_field(start)?.len(sizes));
            if got != need || values.iter().any(|x| !x.is_finite()) {
                let text =
                    format!("'{start}' where segment {name} begins has {got} numbers; {need} finite ones");
                return Err(Error::Argument(format!("{text} are needed")));
            }
        }
        for start in names(&[Role::Motion]) {
            let count = data_field(start)?.len(sizes);
            if count > 0 && !segment.start.contains_key(start) {
                let text =
                    format!("segment {name} has no '{start}' to begin with; {count} numbers are needed");
                return Err(Error::Argument(text));
            }
        }
        Ok(())
    }

    /// Frames of a segment.
    pub fn frames_of(&self, segment: &Segment, model: &Model) -> usize {
        let width = self.measured.first().and_then(|m| data_field(&m.field).ok());
        let width = width.map_or(0, |field| field.len(&sizes(model)));
        segment.frames.first().map_or(0, |values| values.len() / width.max(1))
    }
}

/// Arrays `[frame, world, …]` of a recording.
struct Columns<'a> {
    arrays: &'a BTreeMap<String, Array>,
    model: &'a Model,
    frames: usize,
    worlds: usize,
    sizes: Sizes,
}

/// A field over all frames and worlds.
struct Column {
    worlds: usize,
    len: usize,
    values: Vec<f64>,
}

impl Column {
    fn row(&self, frame: usize, world: usize) -> &[f64] {
        let begin = (frame * self.worlds + world) * self.len;
        &self.values[begin..begin + self.len]
    }
}

impl Columns<'_> {
    /// A field by its array, checked.
    fn of(&self, field: &Field) -> Result<Column> {
        let name = field.name;
        let array = self.arrays.get(name).ok_or_else(|| {
            let near = suggest(name, self.arrays.keys().map(String::as_str));
            Error::Argument(format!("has no array '{name}'; record it too{near}"))
        })?;
        let mut want = vec![self.frames, self.worlds];
        want.extend(field.shape(&self.sizes));
        // fields with one number in each world may lack that axis
        let squeezed = field.dims == [Dim::Const(1)] && array.shape == [self.frames, self.worlds];
        if array.shape != want && !squeezed {
            let shape = &array.shape;
            return Err(Error::Argument(format!("'{name}' has shape {shape:?}; the model needs {want:?}")));
        }
        let (len, values) = (field.len(&self.sizes), array.data.to_f64());
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            let (row, element) = (i / len.max(1), i % len.max(1));
            return Err(Error::Argument(format!(
                "'{name}' is {} in frame {}, world {}, element {element}; it has to be finite",
                values[i],
                row / self.worlds,
                row % self.worlds
            )));
        }
        Ok(Column { worlds: self.worlds, len, values })
    }

    /// Steps from one frame to the next, by the times.
    fn steps_between(&self) -> Result<usize> {
        if !self.arrays.contains_key("time") {
            return Ok(1);
        }
        let (time, step) = (self.of(data_field("time")?)?, self.model.opt_timestep[0]);
        let at = |frame: usize, world: usize| time.row(frame, world)[0];
        let first = (at(1, 0) - at(0, 0)) / step;
        for world in 0..self.worlds {
            for frame in 1..self.frames {
                let steps = (at(frame, world) - at(frame - 1, world)) / step;
                if steps.round() < 1.0 || (steps - first.round()).abs() > TIME_SLACK * first.round().max(1.0)
                {
                    return Err(Error::Argument(format!(
                        "the time of world {world} goes from {} to {} at frame {frame}: frames have to be the same number \
                         of steps of {step} s apart, without a reset between them",
                        at(frame - 1, world),
                        at(frame, world)
                    )));
                }
            }
        }
        Ok(first.round() as usize)
    }

    /// Checks that a rollout under controls alone repeats the motion: applied forces are not replayed, and mocap bodies and
    /// active constraints stay as they are.
    fn check_replay(&self) -> Result<()> {
        let known = |name: &&str| self.arrays.contains_key(*name);
        for name in names(&[Role::Force]).filter(known) {
            if self.of(data_field(name)?)?.values.iter().any(|x| *x != 0.0) {
                let text = format!("'{name}' is not zero: only controls are repeated");
                return Err(Error::Argument(format!("{text}; apply it by actuators")));
            }
        }
        for name in names(&[Role::Scene]).filter(known) {
            let column = self.of(data_field(name)?)?;
            let moves = |w: usize| (1..self.frames).any(|f| column.row(f, w) != column.row(0, w));
            if (0..self.worlds).any(moves) {
                let text = format!("'{name}' changes: only controls are repeated");
                return Err(Error::Argument(text));
            }
        }
        Ok(())
    }
}

/// Root mean square of the motion of each element about its mean, and not much less than that of the one that moves most: what
/// rests on something moves by little else than noise, and would outweigh the rest.
fn motion(model: &Model, field: &Field, column: &Column, width: usize) -> Vec<f64> {
    let rows: Vec<&[f64]> = column.values.chunks_exact(column.len.max(1)).collect();
    let count = rows.len().max(1) as f64;
    let mean: Vec<f64> =
        (0..column.len).map(|e| rows.iter().map(|row| row[e]).sum::<f64>() / count).collect();
    let mut square = vec![0.0; width];
    let mut apart = vec![0.0; width];
    for row in &rows {
        super::residual::difference(model, field, &mean, row, &mut apart);
        square.iter_mut().zip(&apart).for_each(|(s, d)| *s += d * d / count);
    }
    let most = square.iter().copied().fold(0.0, f64::max).sqrt();
    let of = |s: &f64| match s.sqrt() {
        s if most > 0.0 => s.max(LEAST_MOTION * most),
        _ => 1.0,
    };
    square.iter().map(of).collect()
}

/// Sizes without room for contacts.
pub(super) fn sizes(model: &Model) -> Sizes {
    Capacity::NONE.sizes(model)
}

/// Elements of the residual of a field.
pub(super) fn residual_len(model: &Model, field: &Field, sizes: &Sizes) -> usize {
    if field.name == "qpos" { model.sizes.nv } else { field.len(sizes) }
}

/// Table entry of a Data field.
pub(super) fn data_field(name: &str) -> Result<&'static Field> {
    Data::<f64>::FIELDS.iter().find(|f| f.name == name).ok_or_else(|| {
        let near = suggest(name, Data::<f64>::FIELDS.iter().map(|f| f.name));
        Error::Argument(format!("there is no field '{name}'{near}"))
    })
}

/// Table entry of a field that can be measured.
fn measurable(name: &str) -> Result<&'static Field> {
    let field = data_field(name)?;
    if field.elem != Elem::Real || field.counted_by().is_some() || field.role == Role::Scratch {
        let text = format!("'{name}' cannot be measured: its elements are counts, or depend on the contacts");
        return Err(Error::Argument(text));
    }
    Ok(field)
}
