//! What is plotted: numbers of the solver, times, energies, sensors, costs.

use manyworlds::model::Model;
use manyworlds::schema::enums::enable;

use super::series::Series;
use super::session::Session;

/// Most sensor outputs that are plotted.
const SENSORS: usize = 200;

/// Numbers over time.
#[derive(Clone, Debug, Default)]
pub(super) struct Plots {
    /// Contacts, constraint rows, iterations of the solver.
    pub(super) solver: [Series; 3],
    /// Milliseconds of a step and of a picture.
    pub(super) times: [Series; 2],
    /// Potential and kinetic energy, where the model computes them.
    pub(super) energy: [Series; 2],
    /// Outputs of the sensors.
    pub(super) sensors: Vec<Series>,
    /// Terms of the cost.
    pub(super) costs: Vec<Series>,
    generation: u64,
    world: usize,
}

/// Names of the series of [`Plots::solver`].
pub(super) const SOLVER: [&str; 3] = ["contacts", "constraint rows", "iterations"];
/// Names of the series of [`Plots::times`].
pub(super) const TIMES: [&str; 2] = ["step, ms", "picture, ms"];
/// Names of the series of [`Plots::energy`].
pub(super) const ENERGY: [&str; 2] = ["potential, J", "kinetic, J"];

impl Plots {
    /// Adds the numbers of the moment; `picture`: seconds of the last picture.
    pub(super) fn push(&mut self, session: &Session, picture: f64) {
        if (self.generation, self.world) != (session.generation(), session.chosen()) {
            *self = Self { generation: session.generation(), world: session.chosen(), ..Self::default() };
        }
        let data = session.data();
        let time = data.time[0];
        let counts = [&data.ncon, &data.nefc, &data.solver_niter].map(|n| n.first().copied().unwrap_or(0));
        self.solver.iter_mut().zip(counts).for_each(|(s, n)| s.push(time, f64::from(n)));
        let times = [session.step_seconds(), picture];
        self.times.iter_mut().zip(times).for_each(|(s, t)| s.push(time, 1e3 * t));
        if session.model().enabled(enable::ENERGY) {
            self.energy.iter_mut().zip(&data.energy).for_each(|(s, e)| s.push(time, *e));
        }
        self.sensors.resize(data.sensordata.len().min(SENSORS), Series::default());
        self.sensors.iter_mut().zip(&data.sensordata).for_each(|(s, x)| s.push(time, *x));
        if let Some(mpc) = &session.mpc {
            let residual = mpc.objective().residual(&data.sensordata);
            let values = mpc.objective().running().values(&residual).unwrap_or_default();
            self.costs.resize(values.len(), Series::default());
            self.costs.iter_mut().zip(values).for_each(|(s, x)| s.push(time, x));
        }
    }
}

/// Name of an output of a sensor.
pub(super) fn sensor_name(model: &Model, place: usize) -> String {
    let sensor = (0..model.sizes.nsensor).find(|&s| {
        (model.sensor_adr[s]..model.sensor_adr[s] + model.sensor_dim[s]).contains(&(place as i32))
    });
    let Some(sensor) = sensor else { return place.to_string() };
    let name = match model.names.sensor[sensor].as_str() {
        "" => format!("sensor {sensor}"),
        name => name.to_owned(),
    };
    if model.sensor_dim[sensor] == 1 {
        name
    } else {
        format!("{name}[{}]", place as i32 - model.sensor_adr[sensor])
    }
}
