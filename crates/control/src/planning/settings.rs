//! How a task file wants to be planned: custom numerics, by MuJoCo MPC's names where it has them.

use super::ilqg::{Ilqg, IlqgOptions, step_sizes};
use super::objective::Objective;
use super::planner::Planner;
use super::policy::Interpolation;
use super::sampling::{Sampling, SamplingOptions, Update};
use manyworlds::batch::BatchOptions;
use manyworlds::error::{Error, Result, suggest};
use manyworlds::model::Model;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::solver;

/// Most steps of a plan.
const MAX_STEPS: f64 = 10_000.0;

/// Most points of a spline, and most step sizes.
const MAX_COUNT: usize = 10_000;

/// A kind of planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannerKind {
    /// Iterative LQG.
    Ilqg,
    /// Predictive sampling.
    Sampling,
    /// Model-predictive path integrals.
    Mppi,
    /// Cross-entropy method.
    Cem,
}

impl PlannerKind {
    /// Every kind with its name.
    pub const ALL: [(&str, PlannerKind); 4] = [
        ("ilqg", PlannerKind::Ilqg),
        ("sampling", PlannerKind::Sampling),
        ("mppi", PlannerKind::Mppi),
        ("cem", PlannerKind::Cem),
    ];

    /// Name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

impl std::str::FromStr for PlannerKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind);
        found.ok_or_else(|| {
            let names = Self::ALL.iter().map(|(name, _)| *name);
            let valid = names.clone().collect::<Vec<_>>().join(", ");
            Error::Argument(format!("there is no planner '{text}'{}; valid: {valid}", suggest(text, names)))
        })
    }
}

/// Settings of a planner.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Planner (`agent_planner`, by MuJoCo MPC's numbers: 0 sampling, 2 iLQG, 5 cross-entropy; 1 and 3 are iLQG too, 4 and 6
    /// sampling).
    pub planner: PlannerKind,
    /// Length of a plan in s (`agent_horizon`).
    pub horizon: f64,
    /// Time step of the model that plans, in s (`agent_timestep`).
    pub timestep: f64,
    /// Time from one iteration to the next, in s (`agent_interval`).
    pub interval: f64,
    /// Contact parameters of the model that plans, where they are not those of the plant: `agent_solref` and `agent_solimp`.
    pub solref: Option<[f64; 2]>,
    /// See `solref`.
    pub solimp: Option<[f64; 5]>,
    /// Share η and impulse β in N s of the simplified contact model, where the model that plans has it in place of the
    /// plant's solver (`agent_smooth`).
    pub smooth: Option<[f64; 2]>,
    /// Candidates of a sampling planner (`sampling_trajectories`).
    pub candidates: usize,
    /// Points of its splines (`sampling_spline_points`).
    pub points: usize,
    /// Its interpolation (`sampling_representation`: 0 zero, 1 linear, 2 cubic).
    pub interpolation: Interpolation,
    /// Spread of its draws in half ranges of the controls (`sampling_exploration`).
    pub spread: f64,
    /// Temperature of MPPI (`mppi_temperature`).
    pub temperature: f64,
    /// Elites of the cross-entropy method (`cem_elites`, else a tenth of the candidates).
    pub elites: Option<usize>,
    /// Step sizes that iLQG tries (`ilqg_num_rollouts`).
    pub step_sizes: usize,
    /// Iterations before the motion begins (`agent_iterations`).
    pub iterations: usize,
    /// Time of a motion in s (`agent_seconds`).
    pub seconds: f64,
}

impl Settings {
    /// The settings of a model; defaults where it has none.
    ///
    /// # Errors
    /// [`Error::Argument`] for a number out of its range, by its name.
    pub fn of_model(model: &Model) -> Result<Self> {
        let number = |name: &str, otherwise: f64| {
            model.numeric(name).and_then(|v| v.first().copied()).unwrap_or(otherwise)
        };
        let count = |name: &str, otherwise: usize| match number(name, otherwise as f64) {
            x if (0.0..1e6).contains(&x) && x.fract() == 0.0 => Ok(x as usize),
            x => Err(Error::Argument(format!(
                "the custom numeric '{name}' is {x}; it has to be a whole number"
            ))),
        };
        let planner = match count("agent_planner", 2)? {
            // robust sampling, and gradients of splines: their nearest relatives
            0 | 4 | 6 => PlannerKind::Sampling,
            1..=3 => PlannerKind::Ilqg,
            5 => PlannerKind::Cem,
            other => {
                let text =
                    format!("the custom numeric 'agent_planner' is {other}; valid: 0 to 6, as in MuJoCo MPC");
                return Err(Error::Argument(text));
            }
        };
        let timestep = number("agent_timestep", model.opt_timestep[0]);
        let candidates = count("sampling_trajectories", 64)?;
        let representation = count("sampling_representation", 2)?;
        let interpolation = Interpolation::from_number(representation).ok_or_else(|| {
            Error::Argument(format!(
                "'sampling_representation' is {representation}; valid: 0 zero, 1 linear, 2 cubic"
            ))
        })?;
        let settings = Self {
            planner,
            horizon: number("agent_horizon", 0.5),
            timestep,
            interval: number("agent_interval", timestep),
            solref: parameters(model, "agent_solref")?,
            solimp: parameters(model, "agent_solimp")?,
            smooth: parameters(model, "agent_smooth")?,
            candidates,
            points: count("sampling_spline_points", 6)?,
            interpolation,
            spread: number("sampling_exploration", 0.2),
            temperature: number("mppi_temperature", 1.0),
            elites: model.numeric("cem_elites").map(|_| count("cem_elites", 0)).transpose()?,
            step_sizes: count("ilqg_num_rollouts", 8)?,
            iterations: count("agent_iterations", 1)?,
            seconds: number("agent_seconds", 5.0),
        };
        settings.check()?;
        Ok(settings)
    }

    /// Rejects times that are not positive, plans of zero steps or of too many, and too many points or step sizes.
    ///
    /// # Errors
    /// [`Error::Argument`] with the name of the number.
    pub fn check(&self) -> Result<()> {
        let times = [
            ("the time step of the planner", self.timestep),
            ("the interval between iterations", self.interval),
            ("the time of a motion", self.seconds),
        ];
        if let Some((name, x)) = times.iter().find(|(_, x)| !(*x > 0.0 && x.is_finite())) {
            return Err(Error::Argument(format!("{name} is {x} s; it has to be above 0")));
        }
        let counts = [("points of a spline", self.points), ("step sizes", self.step_sizes)];
        if let Some((name, count)) = counts.iter().find(|(_, count)| *count > MAX_COUNT) {
            return Err(Error::Argument(format!("{count} {name} are too many: at most {MAX_COUNT}")));
        }
        let steps = self.horizon / self.timestep;
        if steps.is_nan() || steps < 0.5 {
            let (horizon, timestep) = (self.horizon, self.timestep);
            return Err(Error::Argument(format!(
                "a horizon of {horizon} s is zero steps of {timestep} s; a plan has at least one"
            )));
        }
        if steps > MAX_STEPS {
            return Err(Error::Argument(format!(
                "a plan of {steps:.0} steps is too long: at most {MAX_STEPS}"
            )));
        }
        Ok(())
    }

    /// Elites of the cross-entropy method.
    pub fn elites(&self) -> usize {
        self.elites.unwrap_or((self.candidates / 10).max(2))
    }

    /// Steps of a plan.
    pub fn steps(&self) -> usize {
        (self.horizon / self.timestep).round() as usize
    }

    /// The model that plans: the plant's with another time step, and softness or model of contacts. Parameters of the
    /// latter are checked where worlds are made.
    pub fn planner_model(&self, plant: &Model) -> Model {
        let mut model = plant.clone();
        model.opt_timestep[0] = self.timestep;
        // for every contact, whatever its geoms; friction and margin stay as they are
        let soft = [
            (
                self.solref.as_ref().map(<[f64; 2]>::as_slice),
                [&mut model.geom_solref, &mut model.pair_solref, &mut model.flex_solref],
            ),
            (
                self.solimp.as_ref().map(<[f64; 5]>::as_slice),
                [&mut model.geom_solimp, &mut model.pair_solimp, &mut model.flex_solimp],
            ),
        ];
        for (given, fields) in soft {
            let Some(given) = given else { continue };
            fields
                .into_iter()
                .flat_map(|f| f.chunks_mut(given.len()))
                .for_each(|row| row.copy_from_slice(given));
        }
        if let Some(smooth) = self.smooth {
            model.opt_solver[0] = solver::SMOOTH;
            model.opt_noslip_iterations[0] = 0;
            model.opt_smooth.copy_from_slice(&smooth);
        }
        model
    }

    /// A planner for a plant.
    ///
    /// # Errors
    /// As [`Ilqg::new`] and [`Sampling::new`].
    pub fn planner(
        &self,
        plant: &Model,
        objective: &Objective,
        seed: u64,
        batch: &BatchOptions,
    ) -> Result<Box<dyn Planner>> {
        self.check()?;
        let model = self.planner_model(plant);
        let update = match self.planner {
            PlannerKind::Ilqg => {
                let step_sizes = step_sizes(self.step_sizes);
                let options =
                    IlqgOptions { step_sizes, batch: batch.clone(), ..IlqgOptions::new(self.steps()) };
                return Ok(Box::new(Ilqg::new(&model, objective, options)?));
            }
            PlannerKind::Sampling => Update::Best,
            PlannerKind::Mppi => Update::Weighted { temperature: self.temperature },
            PlannerKind::Cem => Update::Elites { count: self.elites(), least_spread: 0.25 * self.spread },
        };
        let options = SamplingOptions {
            candidates: self.candidates,
            points: self.points,
            interpolation: self.interpolation,
            spread: self.spread,
            seed,
            batch: batch.clone(),
            ..SamplingOptions::new(self.steps(), update)
        };
        Ok(Box::new(Sampling::new(&model, objective, options)?))
    }
}

/// So many numbers of a custom numeric, if there is one.
fn parameters<const N: usize>(model: &Model, name: &str) -> Result<Option<[f64; N]>> {
    if model.id(Kind::Numeric, name).is_err() {
        return Ok(None);
    }
    let values = model.numeric(name).unwrap_or_default();
    match <[f64; N]>::try_from(values) {
        Ok(values) => Ok(Some(values)),
        Err(_) => {
            let got = values.len();
            Err(Error::Argument(format!("the custom numeric '{name}' has {got} numbers, {N} are expected")))
        }
    }
}
