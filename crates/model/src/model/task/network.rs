//! Small networks in formulas: perceptrons of one output, whose numbers stand in a custom numeric.

use serde::{Deserialize, Serialize};

/// Most units of a layer, the inputs among them.
pub const WIDEST: usize = 64;

/// Most hidden layers.
pub const DEEPEST: usize = 4;

/// Most inputs.
pub const MOST_INPUTS: usize = 32;

/// What a unit of a hidden layer makes of its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// Hyperbolic tangent.
    Tanh,
    /// The positive part.
    Relu,
    /// x, or exp(x) - 1 where it is negative.
    Elu,
    /// x / (1 + |x|).
    Softsign,
    /// 1 / (1 + exp(-x)).
    Sigmoid,
    /// x / (1 + exp(-x)).
    Silu,
}

impl Activation {
    /// All of them, in the order of the numbers that stand for them in a numeric.
    pub const ALL: [Self; 6] = [Self::Tanh, Self::Relu, Self::Elu, Self::Softsign, Self::Sigmoid, Self::Silu];

    /// The number that stands for it.
    pub fn code(self) -> usize {
        Self::ALL.iter().position(|one| *one == self).unwrap_or(0)
    }
}

/// A perceptron. Each unit has a bias and then a weight for each unit of the layer before; the output has no activation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Place of the first bias in `numeric_data`; the numbers of the units follow each other, layer after layer.
    pub first: usize,
    /// Number of inputs.
    pub inputs: usize,
    /// Units of the hidden layers.
    pub hidden: Vec<usize>,
    /// Activation of the hidden layers.
    pub activation: Activation,
}

impl Network {
    /// Reads a numeric whose data begin at `adr`: the activation by its number, the number of inputs, that of hidden layers,
    /// the units of each, then biases and weights.
    ///
    /// # Errors
    /// What is wrong with the data, in words that follow "the numeric".
    pub fn read(data: &[f64], adr: usize) -> Result<Self, String> {
        let whole = |at: usize, most: usize| {
            let x = data.get(at).copied().filter(|x| x.fract() == 0.0 && *x >= 0.0 && *x <= most as f64);
            x.map(|x| x as usize).ok_or_else(|| {
                format!("is no network: number {at} is a whole number up to {most}, the head of a network")
            })
        };
        let activation = Activation::ALL[whole(0, Activation::ALL.len() - 1)?];
        let (inputs, layers) = (whole(1, MOST_INPUTS)?, whole(2, DEEPEST)?);
        let hidden = (0..layers).map(|k| whole(3 + k, WIDEST)).collect::<Result<Vec<_>, _>>()?;
        let head = 3 + layers;
        let network = Self { first: adr + head, inputs, hidden, activation };
        if inputs == 0 || network.hidden.contains(&0) {
            return Err("is no network: a layer has no units".to_owned());
        }
        let (want, got) = (network.weights(), data.len() - head);
        if want != got {
            return Err(format!("has {got} weights and biases; a network of its layers has {want}"));
        }
        Ok(network)
    }

    /// Number of biases and weights.
    pub fn weights(&self) -> usize {
        let mut before = self.inputs;
        let of = |units: &usize| {
            let count = units * (1 + before);
            before = *units;
            count
        };
        self.hidden.iter().chain(std::iter::once(&1)).map(of).sum()
    }

    /// True if kernels and the CPU can compute it with so many numbers in the model.
    pub fn fits(&self, numbers: usize) -> bool {
        let is_width = |units: &usize| (1..=WIDEST).contains(units);
        (1..=MOST_INPUTS).contains(&self.inputs)
            && self.hidden.len() <= DEEPEST
            && self.hidden.iter().all(is_width)
            && self.first.checked_add(self.weights()).is_some_and(|end| end <= numbers)
    }
}
