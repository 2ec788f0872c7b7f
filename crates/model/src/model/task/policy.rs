//! What a task may bring along: a trained policy, and the commands that its agent follows.

use serde::{Deserialize, Serialize};

/// A trained policy: the most likely action for what is observed, of a network with tanh between its layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// First number of the observation that it sees.
    #[serde(default)]
    pub first: usize,
    /// Mean of each number that it sees.
    pub mean: Vec<f64>,
    /// Standard deviation of each number that it sees.
    pub deviation: Vec<f64>,
    /// Largest absolute value of a normalised number.
    pub limit: f64,
    /// Layers, from the observation to the action.
    pub layers: Vec<Layer>,
    /// Least action: what an output of -1 stands for.
    pub low: Vec<f64>,
    /// Largest action: what an output of 1 stands for.
    pub high: Vec<f64>,
}

/// A layer of a policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// Weights, `[units, units before]`.
    pub weights: Vec<f64>,
    /// Biases, `[units]`.
    pub biases: Vec<f64>,
}

/// A command that an agent follows: numbers that a variable remembers, which a user may give instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Its name, and that of its variable.
    pub name: String,
    /// Variable with the seconds that are left until the command is drawn anew, where it is.
    #[serde(default)]
    pub timer: Option<String>,
    /// Its numbers.
    pub numbers: Vec<CommandNumber>,
}

/// A number of a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandNumber {
    /// Its name, such as `forward`.
    pub name: String,
    /// Least number.
    pub low: f64,
    /// Largest number.
    pub high: f64,
}

impl Policy {
    /// Checks the sizes against those of a task.
    ///
    /// # Errors
    /// What does not fit.
    pub(super) fn check(&self, observation: usize, action: usize) -> Result<(), String> {
        let seen = self.mean.len();
        if self.first.checked_add(seen).is_none_or(|end| end > observation) || seen == 0 {
            let first = self.first;
            return Err(format!("it sees {seen} numbers from {first} on; the observation has {observation}"));
        }
        let outputs = self.layers.last().map_or(0, |layer| layer.biases.len());
        for (what, count) in [("last layer", outputs), ("low", self.low.len()), ("high", self.high.len())] {
            if count != action {
                return Err(format!("its {what} has {count} numbers; the actions of the task have {action}"));
            }
        }
        let mut before = seen;
        for (k, layer) in self.layers.iter().enumerate() {
            let units = layer.biases.len();
            if units == 0 {
                return Err(format!("layer {k} has no units"));
            }
            if layer.weights.len() != units * before {
                let got = layer.weights.len();
                return Err(format!(
                    "layer {k} has {got} weights; {units} units of {before} are {}",
                    units * before
                ));
            }
            before = units;
        }
        let numbers = self.layers.iter().flat_map(|l| l.weights.iter().chain(&l.biases));
        let all = numbers.chain(&self.mean).chain(&self.low).chain(&self.high);
        let are_positive = self.deviation.len() == seen && self.deviation.iter().all(|x| *x > 0.0);
        let are_ranges = self.low.iter().zip(&self.high).all(|(low, high)| low <= high);
        match all.copied().all(f64::is_finite) && are_positive && are_ranges && self.limit > 0.0 {
            true => Ok(()),
            false => {
                Err("its numbers are finite, its limit and deviations above zero, low at most high"
                    .to_owned())
            }
        }
    }

    /// The action for an observation. What is not finite is seen as zero.
    pub fn act(&self, observation: &[f64], action: &mut [f64]) {
        let seen = observation.iter().skip(self.first).zip(self.mean.iter().zip(&self.deviation));
        let mut values: Vec<f64> = seen
            .map(|(x, (mean, deviation))| {
                let x = if x.is_finite() { *x } else { 0.0 };
                ((x - mean) / deviation).clamp(-self.limit, self.limit)
            })
            .collect();
        for (k, layer) in self.layers.iter().enumerate() {
            let is_last = k + 1 == self.layers.len();
            let rows = layer.weights.chunks(values.len().max(1)).zip(&layer.biases);
            let next = rows.map(|(row, bias)| {
                let sum = row.iter().zip(&values).fold(*bias, |sum, (w, x)| sum + w * x);
                if is_last { sum.clamp(-1.0, 1.0) } else { sum.tanh() }
            });
            values = next.collect();
        }
        for ((to, x), (low, high)) in action.iter_mut().zip(&values).zip(self.low.iter().zip(&self.high)) {
            *to = low + 0.5 * (x + 1.0) * (high - low);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// Two numbers of three, a hidden layer of two units, one action between 0 and 4.
    fn policy() -> Policy {
        let hidden = Layer { weights: vec![1.0, 0.5, -2.0, 0.0], biases: vec![0.1, 0.2] };
        let last = Layer { weights: vec![0.3, -0.4], biases: vec![0.05] };
        Policy {
            first: 1,
            mean: vec![1.0, -1.0],
            deviation: vec![2.0, 0.5],
            limit: 3.0,
            layers: vec![hidden, last],
            low: vec![0.0],
            high: vec![4.0],
        }
    }

    #[test]
    fn actions_are_those_of_the_network() {
        let mut action = [0.0];
        policy().act(&[9.0, 2.0, -0.5], &mut action);
        // normalised: 0.5 and 1
        let (a, b) = ((0.1f64 + 0.5 + 0.5).tanh(), (0.2f64 - 1.0).tanh());
        let output = 0.05 + 0.3 * a - 0.4 * b;
        assert!((action[0] - 2.0 * (output + 1.0)).abs() < 1e-15, "{action:?}");
        // limited before and behind
        let mut loud = policy();
        loud.layers[1].biases[0] = 7.0;
        loud.act(&[0.0, f64::NAN, 1e300], &mut action);
        assert_eq!(action[0].to_bits(), 4f64.to_bits());
    }

    #[test]
    fn sizes_that_do_not_fit_are_named() {
        assert_eq!(policy().check(3, 1), Ok(()));
        let told = |policy: Policy, observation, action| policy.check(observation, action).unwrap_err();
        assert!(told(policy(), 2, 1).contains("from 1 on; the observation has 2"));
        assert!(told(policy(), 3, 2).contains("last layer has 1 numbers; the actions of the task have 2"));
        let mut wrong = policy();
        wrong.layers[0].weights.pop();
        assert!(told(wrong, 3, 1).contains("layer 0 has 3 weights; 2 units of 2 are 4"));
        let mut wrong = policy();
        wrong.high.push(2.0);
        assert!(told(wrong, 3, 1).contains("its high has 2 numbers"));
        let mut wrong = policy();
        wrong.layers[0] = Layer { weights: Vec::new(), biases: Vec::new() };
        assert!(told(wrong, 3, 1).contains("layer 0 has no units"));
        let mut wrong = policy();
        wrong.low[0] = 5.0;
        assert!(told(wrong, 3, 1).contains("low at most high"));
        let mut wrong = policy();
        wrong.deviation[1] = 0.0;
        assert!(told(wrong, 3, 1).contains("above zero"));
    }
}
