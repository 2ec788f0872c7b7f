//! Stages that follow each other side by side: what of the worlds they read goes into lanes, what they write comes back.

use super::instructions::Work;
use super::number::{Lanes, WIDTH, agreed};
use crate::actuation::actuation::actuation;
use crate::actuation::transmission::transmission;
use crate::integrate::check_state::all_good;
use crate::integrate::euler::euler;
use crate::integrate::implicit::implicit;
use crate::smooth::acceleration::acceleration;
use crate::smooth::com_pos::com_pos;
use crate::smooth::com_vel::com_vel;
use crate::smooth::crb::crb;
use crate::smooth::factor_m::factor_m;
use crate::smooth::kinematics::kinematics;
use crate::smooth::passive::passive;
use crate::smooth::rne::rne;
use crate::smooth::tendon::tendon;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::schema::enums::{bias, dynamics, gain, transmission as target, wrap};
use manyworlds_model::schema::stages::Stage;

/// Stages that follow each other side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    pub(super) stages: Vec<Stage>,
    /// Places in the table of the fields that go into lanes before.
    pub(super) reads: Vec<usize>,
    /// Places in the table of the fields that come back.
    pub(super) writes: Vec<usize>,
}

/// A run with what it works on.
pub(super) struct Job<'a> {
    pub(super) run: &'a Run,
    pub(super) m: &'a Model<Lanes>,
    pub(super) lanes: &'a mut Data<Lanes>,
    pub(super) worlds: &'a mut [Data; WIDTH],
}

/// True if steps of a model may have stages side by side: what these do not know of is left to single worlds.
pub(super) fn fits(m: &Model) -> bool {
    let sizes = &m.sizes;
    let alone = sizes.nflex + sizes.ncable + sizes.nhistory + sizes.nplugin;
    alone == 0
        && !m.has_adhesion()
        && !m.has_sleep()
        && !m.is_discrete()
        && m.formulas.is_none()
        && m.leaves.is_empty()
}

/// True if a stage runs side by side in a model that [fits].
pub(super) fn has_lanes(m: &Model, stage: Stage) -> bool {
    match stage {
        Stage::kinematics | Stage::com_pos | Stage::crb | Stage::factor_m | Stage::com_vel | Stage::rne => {
            true
        }
        // paths through the world take other turns in each
        Stage::tendon => m.wrap_type.iter().all(|kind| *kind == wrap::JOINT),
        // these read contacts
        Stage::transmission => m.actuator_trntype.iter().all(|kind| *kind != target::BODY),
        Stage::passive | Stage::acceleration => !manyworlds_model::model::schedule::has_fluid(m),
        Stage::actuation => {
            let gains = m.actuator_gaintype.iter().all(|kind| [gain::FIXED, gain::AFFINE].contains(kind));
            let biases = m.actuator_biastype.iter().all(|kind| [bias::NONE, bias::AFFINE].contains(kind));
            let still = m.actuator_dyntype.iter().all(|kind| *kind == dynamics::NONE);
            gains && biases && still && m.actuator_trntype.iter().all(|kind| *kind != target::SO3)
        }
        Stage::euler => m.sizes.na == 0,
        // derivatives of forces that have no lanes have none either
        Stage::implicit => {
            let forces = [Stage::passive, Stage::actuation, Stage::tendon, Stage::transmission];
            m.sizes.na == 0 && forces.into_iter().all(|stage| has_lanes(m, stage))
        }
        _ => false,
    }
}

impl Work for Job<'_> {
    /// Runs the stages.
    #[inline(always)]
    fn work(self) -> bool {
        let Self { run, m, lanes, worlds } = self;
        let is_reset = |d: &Data| d.step_owed[0] != 0 || !all_good(&d.qacc);
        let integrates = run.stages.contains(&Stage::euler) || run.stages.contains(&Stage::implicit);
        if integrates && worlds.iter().any(is_reset) {
            return false;
        }
        for &place in &run.reads {
            gather(place, worlds, lanes);
        }
        lanes.status[0] = 0;
        agreed();
        for stage in &run.stages {
            stage_of_lanes(*stage, m, lanes);
        }
        if !agreed() {
            return false;
        }
        for &place in &run.writes {
            scatter(place, lanes, worlds);
        }
        worlds.iter_mut().for_each(|d| d.status[0] |= lanes.status[0]);
        true
    }
}

/// Runs a stage of those that [have lanes](has_lanes).
#[inline(always)]
fn stage_of_lanes(stage: Stage, m: &Model<Lanes>, d: &mut Data<Lanes>) {
    match stage {
        Stage::kinematics => kinematics(m, d),
        Stage::com_pos => com_pos(m, d),
        Stage::tendon => tendon(m, d),
        Stage::crb => crb(m, d),
        Stage::factor_m => factor_m(m, d),
        Stage::transmission => transmission(m, d),
        Stage::com_vel => com_vel(m, d),
        Stage::passive => passive(m, d),
        Stage::rne => rne(m, d),
        Stage::actuation => actuation(m, d),
        Stage::acceleration => acceleration(m, d),
        Stage::euler => euler(m, d),
        Stage::implicit => implicit(m, d),
        _ => {}
    }
}

/// A field of worlds into lanes. One that worlds do not hold is not touched.
#[inline(always)]
fn gather(place: usize, worlds: &[Data; WIDTH], lanes: &mut Data<Lanes>) {
    gather_slices(worlds.each_ref().map(Data::REAL_READS[place]), Data::<Lanes>::REAL_WRITES[place](lanes));
}

/// A field of lanes into worlds. One that worlds do not hold is not touched.
#[inline(always)]
fn scatter(place: usize, lanes: &Data<Lanes>, worlds: &mut [Data; WIDTH]) {
    scatter_slices(Data::<Lanes>::REAL_READS[place](lanes), worlds.each_mut().map(Data::REAL_WRITES[place]));
}

/// Numbers of worlds into lanes, if all have as many.
#[inline(always)]
pub(super) fn gather_slices(from: [&[f64]; WIDTH], to: &mut [Lanes]) {
    let n = to.len();
    if from.iter().any(|x| x.len() != n) {
        return;
    }
    // blocks of four by four, whose rows are exchanged for columns in registers
    let [a, b, c, d] = from.map(|x| x.as_chunks::<4>());
    let (blocks, rest) = to.as_chunks_mut::<4>();
    for ((((to, a), b), c), d) in blocks.iter_mut().zip(a.0).zip(b.0).zip(c.0).zip(d.0) {
        let row = |k: usize| Lanes([a[k], b[k], c[k], d[k]]);
        *to = [row(0), row(1), row(2), row(3)];
    }
    for (i, to) in rest.iter_mut().enumerate() {
        *to = Lanes([a.1[i], b.1[i], c.1[i], d.1[i]]);
    }
}

/// Numbers in lanes into worlds, if all have as many.
#[inline(always)]
fn scatter_slices(from: &[Lanes], to: [&mut [f64]; WIDTH]) {
    let n = from.len();
    if to.iter().any(|x| x.len() != n) {
        return;
    }
    let (blocks, rest) = from.as_chunks::<4>();
    let [a, b, c, d] = to.map(|x| x.as_chunks_mut::<4>());
    for ((((from, a), b), c), d) in blocks.iter().zip(a.0).zip(b.0).zip(c.0).zip(d.0) {
        let column = |k: usize| [from[0].0[k], from[1].0[k], from[2].0[k], from[3].0[k]];
        (*a, *b, *c, *d) = (column(0), column(1), column(2), column(3));
    }
    for (i, from) in rest.iter().enumerate() {
        (a.1[i], b.1[i], c.1[i], d.1[i]) = (from.0[0], from.0[1], from.0[2], from.0[3]);
    }
}
