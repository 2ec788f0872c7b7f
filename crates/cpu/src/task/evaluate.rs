//! Values of the expressions of a task. Twin of the functions that `crates/gpu/src/codegen/task.rs` writes.

use std::borrow::Cow;

use super::network::network_output;
use crate::collision::ray::{is_culled, ray_geom};
use crate::math::Vec3;
use crate::math::philox::{normal, philox, unit};
use crate::sensor::output::cut_off;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::task::{Assignment, Op, Part, Place, Program, Source, binary_of_all, unary};
use manyworlds_model::real::Real;
use manyworlds_model::schema::{Values, ValuesMut};

/// What expressions get beside fields.
#[derive(Clone, Copy)]
struct Given<'a, T> {
    /// Steps of the episode.
    steps: i32,
    /// What a formula is computed for.
    arguments: &'a [T],
}

impl<T> Given<'_, T> {
    const NOTHING: Self = Self { steps: 0, arguments: &[] };
}

/// Computes the values of a part, and then sets what it assigns; `steps` is what expressions see as the steps of the
/// episode.
pub(crate) fn run<T: Real>(program: &Program, part: Part, steps: i32, m: &Model<T>, d: &mut Data<T>) {
    let mut work = std::mem::take(&mut d.task_work);
    compute_and_assign(program, part, Given { steps, arguments: &[] }, m, d, &mut work);
    d.task_work = work;
}

/// What laws give: their forces, controls, gains, biases and rates.
pub(crate) fn laws<T: Real>(program: &Program, m: &Model<T>, d: &mut Data<T>) {
    let mut work = std::mem::take(&mut d.formula_work);
    compute_and_assign(program, Part::Law, Given::NOTHING, m, d, &mut work);
    d.formula_work = work;
}

/// Values of a law of contacts, for a contact.
pub(crate) fn contact_law<'a, T: Real>(
    program: &Program,
    law: usize,
    arguments: &[T],
    m: &Model<T>,
    d: &'a mut Data<T>,
) -> &'a [T] {
    let mut work = std::mem::take(&mut d.formula_work);
    compute_all(program, Part::Contact(law), Given { steps: 0, arguments }, m, d, &mut work);
    d.formula_work = work;
    let value = program.contact_laws()[law].value;
    &d.formula_work[program.offset(value)..][..program.nodes()[value].size]
}

/// Outputs of the user sensors that have formulas, with cutoff.
pub(crate) fn user_sensors<T: Real>(program: &Program, m: &Model<T>, d: &mut Data<T>) {
    let mut work = std::mem::take(&mut d.formula_work);
    compute_all(program, Part::Sense, Given::NOTHING, m, d, &mut work);
    for to in program.assignments(Part::Sense) {
        let Place::Sensor(sensor) = to.place else { continue };
        for (k, &element) in to.elements.iter().enumerate() {
            let x = work[program.offset(to.value) + k];
            d.sensordata[element] = if m.sensor_cutoff[sensor] > T::ZERO { cut_off(m, sensor, x) } else { x };
        }
    }
    d.formula_work = work;
}

/// Computes the values of a part, then sets what it assigns.
fn compute_and_assign<T: Real>(
    program: &Program,
    part: Part,
    given: Given<'_, T>,
    m: &Model<T>,
    d: &mut Data<T>,
    work: &mut [T],
) {
    compute_all(program, part, given, m, d, work);
    program.assignments(part).iter().for_each(|assignment| assign(program, assignment, work, d));
}

/// Computes the values of a part.
fn compute_all<T: Real>(
    program: &Program,
    part: Part,
    given: Given<'_, T>,
    m: &Model<T>,
    d: &Data<T>,
    work: &mut [T],
) {
    for &node in program.order(part) {
        compute(program, node, given, m, d, work);
    }
}

/// True if a condition of an end is not zero, after [`Part::Outcome`].
pub(crate) fn ends<T: Real>(program: &Program, d: &Data<T>) -> bool {
    let ends = program.assignments(Part::Outcome).iter().filter(|a| a.place == Place::Termination);
    let mut values = ends.map(|a| d.task_work[program.offset(a.value)]);
    values.any(|x| x != T::ZERO)
}

/// Copies the values of a node to where they belong.
fn assign<T: Real>(program: &Program, to: &Assignment, work: &[T], d: &mut Data<T>) {
    let size = program.nodes()[to.value].size;
    let values = &work[program.offset(to.value)..][..size];
    let fields = match to.place {
        Place::Field(at, _) => match Data::<T>::WRITES[at](d) {
            ValuesMut::Real(values) => values,
            ValuesMut::Int(_) => return,
        },
        Place::Next => &mut d.task_next,
        Place::Term => &mut d.task_term,
        Place::Observation => &mut d.observation,
        Place::Termination | Place::Sensor(_) | Place::Contact => return,
    };
    for (k, &element) in to.elements.iter().enumerate() {
        fields[element] = values[if size == 1 { 0 } else { k }];
    }
}

/// Computes the values of a node; those that it uses are computed.
fn compute<T: Real>(
    program: &Program,
    node: usize,
    given: Given<'_, T>,
    m: &Model<T>,
    d: &Data<T>,
    work: &mut [T],
) {
    let (of, offset) = (&program.nodes()[node], program.offset(node));
    let (before, rest) = work.split_at_mut(offset);
    let out = &mut rest[..of.size];
    // an argument: a single number goes with any place
    let arg = |a: usize, k: usize| {
        let (at, size) = (program.offset(of.args[a]), program.nodes()[of.args[a]].size);
        before[at + if size == 1 { 0 } else { k }]
    };
    let all = || {
        let (at, size) = (program.offset(of.args[0]), program.nodes()[of.args[0]].size);
        before[at..at + size].iter().copied()
    };
    if let Some(f) = unary::<T>(&of.op) {
        out.iter_mut().enumerate().for_each(|(k, x)| *x = f(arg(0, k)));
        return;
    }
    match &of.op {
        // leaves
        Op::Const { values } => out.iter_mut().zip(values).for_each(|(to, x)| *to = T::of(*x)),
        // there is none where an episode begins
        Op::Action { .. } if given.steps == 0 => out.fill(T::ZERO),
        Op::Field { elements, .. } | Op::Action { elements } => match program.source(node) {
            Source::Data(at, _) => gather(Data::<T>::READS[*at](d), elements, out),
            Source::Model(at, _) => gather(Model::<T>::READS[*at](m), elements, out),
            _ => {}
        },
        Op::Variable { elements, .. } => {
            if let Source::Variable(first) = program.source(node) {
                out.iter_mut().zip(elements).for_each(|(to, i)| *to = d.task_variable[first + i]);
            }
        }
        Op::Argument { elements } => {
            out.iter_mut().zip(elements).for_each(|(to, i)| *to = given.arguments[*i]);
        }
        Op::Row { rows, elements, .. } | Op::Recall { rows, elements, .. } => {
            let first = rows.first + rows.width * row_number(arg(0, 0), rows.count);
            match program.source(node) {
                Source::Data(at, _) => gather_from(Data::<T>::READS[*at](d), first, elements, out),
                Source::Model(at, _) => gather_from(Model::<T>::READS[*at](m), first, elements, out),
                Source::Variable(of) => {
                    let remembered = Values::Real(Cow::Borrowed(&d.task_variable));
                    gather_from(remembered, of + first, elements, out);
                }
                Source::None => {}
            }
        }
        Op::Steps => out[0] = T::of(f64::from(given.steps)),
        Op::Uniform | Op::Normal => {
            let draw = if of.op == Op::Normal { draw_normal } else { draw_uniform };
            out.iter_mut().enumerate().for_each(|(k, to)| *to = draw(d, k, node));
        }
        // reductions, in order
        Op::Sum => out[0] = all().fold(T::ZERO, |sum, x| sum + x),
        Op::Largest => out[0] = all().reduce(T::max).unwrap_or(T::ZERO),
        Op::Smallest => out[0] = all().reduce(T::min).unwrap_or(T::ZERO),
        // places
        Op::Concat => concatenate(program, &of.args, before, out),
        Op::Pick { elements } => {
            let at = program.offset(of.args[0]);
            out.iter_mut().zip(elements).for_each(|(to, i)| *to = before[at + i]);
        }
        Op::Ray { geoms, most } => {
            for (k, to) in out.iter_mut().enumerate() {
                let [x, y, z, a, b, c] = [0, 1, 2, 3, 4, 5].map(|at| arg(at, k));
                *to = first_hit(m, d, Vec3([x, y, z]), Vec3([a, b, c]), geoms, T::of(*most));
            }
        }
        Op::Network(network) => network_output(network, &m.numeric_data, arg, out),
        Op::Select => {
            for (k, to) in out.iter_mut().enumerate() {
                *to = if arg(0, k) == T::ZERO { arg(2, k) } else { arg(1, k) };
            }
        }
        // two arguments
        op => {
            let [a, b] = [0, 1].map(|k| {
                let (at, size) = (program.offset(of.args[k]), program.nodes()[of.args[k]].size);
                &before[at..at + size]
            });
            binary_of_all(op, a, b, out);
        }
    }
}

/// Values of several nodes one after the other.
fn concatenate<T: Real>(program: &Program, nodes: &[usize], before: &[T], out: &mut [T]) {
    let mut first = 0;
    for node in nodes {
        let (at, size) = (program.offset(*node), program.nodes()[*node].size);
        out[first..first + size].copy_from_slice(&before[at..at + size]);
        first += size;
    }
}

/// Random words of an element of a node.
fn random_words<T: Real>(d: &Data<T>, element: usize, node: usize) -> [u32; 4] {
    let key = [d.task_key[0], d.task_key[1]].map(i32::cast_unsigned);
    let (world, tick) = (d.task_key[2].cast_unsigned(), d.task_tick[0].cast_unsigned());
    philox([element as u32, world, node as u32, tick], key)
}

/// Distance along a ray to the first of some geoms that it hits, at most `most`.
fn first_hit<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    point: Vec3<T>,
    direction: Vec3<T>,
    geoms: &[usize],
    most: T,
) -> T {
    let mut nearest = most;
    for &g in geoms {
        if is_culled(m, d, g, point, direction, nearest) {
            continue;
        }
        if let Some(hit) = ray_geom(m, d, g, point, direction)
            && hit.dist < nearest
        {
            nearest = hit.dist;
        }
    }
    nearest
}

/// Number of a row that exists: the first for what is not finite.
fn row_number<T: Real>(x: T, rows: usize) -> usize {
    let last = rows.saturating_sub(1);
    if x.is_finite() { (x.f64().max(0.0) as usize).min(last) } else { 0 }
}

/// A number between 0 and 1.
fn draw_uniform<T: Real>(d: &Data<T>, element: usize, node: usize) -> T {
    T::of(unit(random_words(d, element, node)[0]))
}

/// A number of the standard normal distribution.
fn draw_normal<T: Real>(d: &Data<T>, element: usize, node: usize) -> T {
    let words = random_words(d, element, node);
    T::of(normal([words[0], words[1]]))
}

/// Elements of a field as numbers.
fn gather<T: Real>(from: Values<'_, T>, elements: &[usize], out: &mut [T]) {
    gather_from(from, 0, elements, out);
}

/// Elements behind the first of a row; zeros of a field that the world does not hold.
fn gather_from<T: Real>(from: Values<'_, T>, first: usize, elements: &[usize], out: &mut [T]) {
    let places = out.iter_mut().zip(elements);
    match from {
        Values::Real(v) => places.for_each(|(to, i)| *to = v.get(first + i).copied().unwrap_or(T::ZERO)),
        Values::Int(v) => {
            places.for_each(|(to, i)| *to = T::of(f64::from(v.get(first + i).copied().unwrap_or(0))))
        }
    }
}
