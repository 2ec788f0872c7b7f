//! What a motion is to achieve: the user sensors of a model as terms of a cost.

use super::cost::{Cost, Expansion, Term};
use super::norm::Norm;
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::model::task::{Part, Place};
use manyworlds::schema::Kind;
use manyworlds::schema::sensors::sensor;

/// Numbers of the user data before the parameters of the norm: its number, the weight, and the limits of a slider.
const BEFORE_PARAMETERS: usize = 4;

/// Name of the user sensor that says whether a motion has done what it is for.
const SUCCESS: &str = "success";

/// Costs of a step and of the end of the horizon, from the outputs of user sensors.
///
/// Task files follow the convention of MuJoCo MPC: a user sensor is a residual, and its user data are the number of a
/// [norm](Norm::from_number), a weight, the least and the largest weight of a slider, and the parameters of the norm. What MuJoCo
/// MPC computes in C++ is the sensor's [formula](manyworlds::model::formula). User sensors without user data, or with zeros only, are
/// no costs. A custom numeric `task_risk` is the risk, and `terminal:NAME` the weight of a term at the end of the horizon, which
/// is otherwise that of a step. The user sensor `success` is not zero where the motion has done what it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    running: Cost,
    terminal: Cost,
    /// Elements of the residual in `sensordata`.
    places: Vec<usize>,
    outputs: usize,
    success: Option<usize>,
}

impl Objective {
    /// The objective that a model's user sensors describe.
    ///
    /// # Errors
    /// [`Error::Argument`] without any term, and for a term without a formula, an unknown norm, or a weight or parameter that is
    /// not valid; with the name of the sensor.
    pub fn of_model(model: &Model) -> Result<Self> {
        let (mut terms, mut sensors) = (Vec::new(), Vec::new());
        let width = model.sizes.nuser_sensor;
        for s in (0..model.sizes.nsensor).filter(|s| model.sensor_type[*s] == sensor::USER) {
            let user = &model.sensor_user[width * s..width * (s + 1)];
            if user.iter().all(|x| *x == 0.0) {
                continue;
            }
            let name = model.names.sensor[s].clone();
            let wrong = |what: String| Error::Argument(format!("the user sensor '{name}': {what}"));
            if !user[0].fract().eq(&0.0) {
                return Err(wrong(format!("the norm is a whole number, got {}", user[0])));
            }
            let norm = Norm::from_number(user[0] as i32, user.get(BEFORE_PARAMETERS..).unwrap_or_default())
                .map_err(|e| wrong(e.to_string()))?;
            let weight = user.get(1).copied().unwrap_or(1.0);
            let size = model.sensor_dim[s] as usize;
            terms.push(Term { name, size, weight, norm });
            sensors.push(s);
        }
        if terms.is_empty() {
            return Err(Error::Argument(
                "the model has no cost: give user sensors a formula and user data, 'norm weight least largest parameters'"
                    .to_owned(),
            ));
        }
        let risk = model.numeric("task_risk").and_then(|v| v.first().copied()).unwrap_or(0.0);
        Self::new(model, terms, &sensors, risk)
    }

    /// An objective of terms, each of which is the output of a user sensor.
    ///
    /// # Errors
    /// As [`Objective::of_model`]; [`Error::Argument`] for a sensor that does not exist, or of another size than its term.
    pub fn new(model: &Model, terms: Vec<Term>, sensors: &[usize], risk: f64) -> Result<Self> {
        if terms.len() != sensors.len() {
            let (t, s) = (terms.len(), sensors.len());
            return Err(Error::Argument(format!("{t} terms have {s} sensors; each has one")));
        }
        let mut places = Vec::new();
        for (term, &s) in terms.iter().zip(sensors) {
            let range = model.elements_of("sensordata", Kind::Sensor, s)?;
            let name = &term.name;
            if range.len() != term.size {
                let (size, got) = (term.size, range.len());
                return Err(Error::Argument(format!(
                    "the cost '{name}' has {size} numbers, its sensor {got}"
                )));
            }
            if !is_computed(model, s) {
                let text = format!(
                    "the user sensor '{name}' is a cost but has no formula: write <text name=\"formula:{name}\" data=\"…\"/>"
                );
                return Err(Error::Argument(text));
            }
            places.extend(range);
        }
        let end = |term: &Term| {
            let weight = model.numeric(&format!("terminal:{}", term.name)).and_then(|v| v.first().copied());
            Term { weight: weight.unwrap_or(term.weight), ..term.clone() }
        };
        let terminal = Cost::new(terms.iter().map(end).collect(), risk)?;
        let running = Cost::new(terms, risk)?;
        let success = match model.id(Kind::Sensor, SUCCESS) {
            Ok(s) if !is_computed(model, s) => {
                let text = format!(
                    "the user sensor '{SUCCESS}' has no formula: write <text name=\"formula:{SUCCESS}\" data=\"…\"/>"
                );
                return Err(Error::Argument(text));
            }
            Ok(s) => model.elements_of("sensordata", Kind::Sensor, s).ok().map(|range| range.start),
            Err(_) => None,
        };
        Ok(Self { running, terminal, places, outputs: model.sizes.nsensordata, success })
    }

    /// Cost of a step.
    pub fn running(&self) -> &Cost {
        &self.running
    }

    /// Cost of the end of the horizon.
    pub fn terminal(&self) -> &Cost {
        &self.terminal
    }

    /// True if the motion has done what it is for, in these `sensordata`; `None` if the model does not say.
    pub fn succeeded(&self, sensordata: &[f64]) -> Option<bool> {
        self.success.and_then(|place| sensordata.get(place)).map(|x| *x != 0.0)
    }

    /// True if the model says what success is.
    pub fn has_goal(&self) -> bool {
        self.success.is_some()
    }

    /// The residual in the outputs of the sensors.
    pub fn residual(&self, sensordata: &[f64]) -> Vec<f64> {
        self.places.iter().map(|&place| sensordata.get(place).copied().unwrap_or(0.0)).collect()
    }

    /// Cost of a step, or of the end of the horizon.
    ///
    /// # Errors
    /// [`Error::Argument`] for another number of outputs.
    pub fn value(&self, sensordata: &[f64], is_end: bool) -> Result<f64> {
        self.check(sensordata.len())?;
        self.cost(is_end).value(&self.residual(sensordata))
    }

    /// Cost of a step or of the end and its derivatives with respect to n numbers, from those of the sensors, `[nsensordata, n]`.
    ///
    /// # Errors
    /// As [`Objective::value`]; [`Error::Argument`] for a Jacobian of another size.
    pub fn expand(&self, sensordata: &[f64], jacobian: &[f64], n: usize, is_end: bool) -> Result<Expansion> {
        self.check(sensordata.len())?;
        let rows: Vec<f64> = self
            .places
            .iter()
            .flat_map(|&row| jacobian.get(row * n..(row + 1) * n).unwrap_or_default())
            .copied()
            .collect();
        self.cost(is_end).expand(&self.residual(sensordata), &rows, n)
    }

    fn cost(&self, is_end: bool) -> &Cost {
        if is_end { &self.terminal } else { &self.running }
    }

    fn check(&self, outputs: usize) -> Result<()> {
        if outputs == self.outputs {
            return Ok(());
        }
        Err(Error::Argument(format!(
            "{outputs} outputs of sensors are given; the model has {}",
            self.outputs
        )))
    }
}

/// True if a sensor measures something: without a formula a user sensor is always zero.
fn is_computed(model: &Model, id: usize) -> bool {
    let place = Place::Sensor(id);
    let has_formula = model
        .formulas
        .as_ref()
        .is_some_and(|formulas| formulas.assignments(Part::Sense).iter().any(|a| a.place == place));
    model.sensor_type[id] != sensor::USER || has_formula
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn of(sensors: &str, custom: &str) -> Result<Objective> {
        // a formula belongs to a sensor
        let formula = r#"<text name="formula:far" data="qpos - 1"/>"#;
        let far = if sensors.contains("far") { formula } else { "" };
        let text = format!(
            r#"<mujoco><custom>{far}<text name="formula:success" data="qpos[0] > 0"/>{custom}</custom>
               <worldbody><body><joint/><geom size=".1"/></body></worldbody><sensor>{sensors}
               <user name="success" dim="1"/></sensor></mujoco>"#
        );
        Objective::of_model(&manyworlds::load_str(&text)?)
    }

    #[test]
    fn user_sensors_are_costs() {
        let far = r#"<clock/><user name="far" dim="1" user="6 2 0 10 0.5"/>"#;
        let made = of(far, r#"<numeric name="terminal:far" data="8"/>"#).unwrap();
        assert_eq!(made.running().terms().len(), 1);
        let outputs = [0.25, -1.0, 1.0];
        let value = made.value(&outputs, false).unwrap();
        assert!((value - 2.0 * (1.25f64.sqrt() - 0.5)).abs() < 1e-12);
        assert!((made.value(&outputs, true).unwrap() - 4.0 * value).abs() < 1e-12);
        assert_eq!((made.succeeded(&outputs), made.succeeded(&[0.0; 3])), (Some(true), Some(false)));
        let grown = made.expand(&outputs, &[9.0, 1.0, 9.0], 1, false).unwrap();
        assert!((grown.gradient[0] + 2.0 / 1.25f64.sqrt()).abs() < 1e-12);
        assert!(made.value(&outputs[1..], false).is_err());
    }

    #[test]
    fn wrong_costs_are_named() {
        for (sensors, part) in [
            ("", "the model has no cost"),
            (r#"<user name="lost" dim="1" user="0 1"/>"#, "'lost' is a cost but has no formula"),
            (r#"<user name="far" dim="1" user="4 1"/>"#, "'far': there is no norm 4"),
            (r#"<user name="far" dim="1" user="0 -1"/>"#, "'far' is -1"),
            (r#"<user name="far" dim="1" user="2 1 0 1"/>"#, "'far': the norm L2 has 1 parameters"),
        ] {
            let said = of(sensors, "").unwrap_err().to_string();
            assert!(said.contains(part), "{said}");
        }
    }
}
