//! Axes of charts: ranges, ticks at round numbers, and how numbers are written.

/// Decades from which on a logarithmic axis has ticks at its powers of ten alone.
const FEW_DECADES: f64 = 2.0;
/// Decades below which it has ticks as a linear one.
const SHORT: f64 = 0.9;

/// Scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Scale {
    /// Linear, from the least to the greatest value.
    #[default]
    Linear,
    /// Linear, with zero in sight.
    FromZero,
    /// Logarithmic; what is not above zero is left out.
    Log,
}

/// An axis that fits some values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    scale: Scale,
    /// Least and greatest position.
    pub(super) low: f64,
    pub(super) high: f64,
    /// Positions of the ticks with their labels.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis over finite values with about so many ticks, and with room at its ends where `padded`; none where there is no
    /// value.
    pub(super) fn fit(
        values: impl Iterator<Item = f64>,
        scale: Scale,
        padded: bool,
        count: usize,
    ) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in values.map(|x| position(scale, x)).filter(|x| x.is_finite()) {
            (low, high) = (low.min(x), high.max(x));
        }
        if scale == Scale::FromZero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if low > high {
            return None;
        }
        // a single value stands in the middle, zero where areas begin
        let width = high - low;
        let least = if scale == Scale::Log { 0.2 } else { 1e-9 * low.abs().max(high.abs()) };
        if width <= least {
            let margin = if low == 0.0 || scale == Scale::Log { 0.5 } else { 0.1 * low.abs() };
            (low, high) = if scale == Scale::FromZero { (0.0, 1.0) } else { (low - margin, high + margin) };
        } else if padded {
            let margin = 0.06 * width;
            let at_zero = |x: f64| scale == Scale::FromZero && x == 0.0;
            (low, high) = (
                if at_zero(low) { low } else { low - margin },
                if at_zero(high) { high } else { high + margin },
            );
        }
        let ticks = match scale {
            Scale::Log => log_ticks(low, high, count),
            _ => linear_ticks(low, high, count),
        };
        Some(Self { scale, low, high, ticks })
    }

    /// The same range with ticks at some values.
    pub(super) fn with_ticks(self, ticks: Vec<(f64, String)>) -> Self {
        let ticks = ticks.into_iter().map(|(x, text)| (position(self.scale, x), text)).collect();
        Self { ticks, ..self }
    }

    /// Where a value stands; none where it is not finite, or has no logarithm.
    pub(super) fn at(&self, x: f64) -> Option<f64> {
        Some(position(self.scale, x)).filter(|x| x.is_finite()).map(|x| x.clamp(self.low, self.high))
    }

    /// Position where areas begin.
    pub(super) fn base(&self) -> f64 {
        if self.scale == Scale::Log { self.low } else { 0.0f64.clamp(self.low, self.high) }
    }

    /// Label of a position.
    pub(super) fn label(&self, at: f64) -> String {
        let near = |tick: &&(f64, String)| (tick.0 - at).abs() <= 1e-9 * (self.high - self.low);
        self.ticks.iter().find(near).map(|tick| tick.1.clone()).unwrap_or_default()
    }

    /// Characters of the longest label.
    pub(super) fn label_width(&self) -> usize {
        self.ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0)
    }
}

fn position(scale: Scale, x: f64) -> f64 {
    match scale {
        Scale::Log if x > 0.0 => x.log10(),
        Scale::Log => f64::NAN,
        _ => x,
    }
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / count.max(2) as f64;
    let power = 10f64.powf(rough.log10().floor());
    // of round steps the one with the number of ticks that is nearest
    let ticks = |step: f64| ((high / step + 1e-9).floor() - (low / step - 1e-9).ceil() + 1.0).max(0.0);
    let far = |step: &f64| (ticks(*step) - count.max(2) as f64).abs();
    let steps = [0.5, 1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    let step = steps.into_iter().rev().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(rough);
    if !(step > 0.0 && step.is_finite()) {
        return Vec::new();
    }
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let steps = (last - first).clamp(0.0, 2.0 * count.max(2) as f64) as usize;
    let values: Vec<f64> = (0..=steps).map(|k| (first + k as f64) * step).collect();
    let most = values.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    values.iter().map(|x| (x.clamp(low, high), tick_label(*x, step, most))).collect()
}

/// Ticks at powers of ten, and at their double and fivefold where there are few.
fn log_ticks(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    let factors: &[f64] = if high - low < FEW_DECADES { &[1.0, 2.0, 5.0] } else { &[1.0] };
    if high - low < SHORT {
        let linear = linear_ticks(10f64.powf(low), 10f64.powf(high), count);
        return linear.into_iter().map(|(x, text)| (x.log10().clamp(low, high), text)).collect();
    }
    let (first, last) = (low.floor() as i32, high.ceil() as i32);
    let every = ((last - first) as usize).div_ceil(2 * count.max(2)).max(1);
    let mut ticks = Vec::new();
    for power in (first..=last).step_by(every) {
        for factor in factors {
            let value = factor * 10f64.powi(power);
            let at = value.log10();
            if at >= low - 1e-9 && at <= high + 1e-9 {
                ticks.push((at.clamp(low, high), short(value)));
            }
        }
    }
    ticks
}

/// A tick: all of an axis have the same decimals and the same prefix.
fn tick_label(x: f64, step: f64, most: f64) -> String {
    let (divisor, suffix) = match most {
        m if m >= 1e15 || (m > 0.0 && m < 1e-4) => return minus(&scientific(x)),
        m if m >= 1e9 => (1e9, " G"),
        m if m >= 1e6 => (1e6, " M"),
        m if m >= 1e4 => (1e3, " k"),
        _ => (1.0, ""),
    };
    let decimals = (-(step / divisor).log10() + 0.999).floor().clamp(0.0, 9.0) as usize;
    if x.abs() < 1e-9 * most {
        return "0".to_owned();
    }
    minus(&format!("{:.decimals$}{suffix}", x / divisor))
}

/// A number in three significant digits or so, with a prefix where it is large.
pub(super) fn short(x: f64) -> String {
    let size = x.abs();
    let text = match size {
        _ if !x.is_finite() => "–".to_owned(),
        0.0 => "0".to_owned(),
        s if !(1e-4..1e15).contains(&s) => scientific(x),
        s if s >= 1e9 => digits(x / 1e9) + " G",
        s if s >= 1e6 => digits(x / 1e6) + " M",
        s if s >= 1e4 => digits(x / 1e3) + " k",
        _ => digits(x),
    };
    minus(&text)
}

/// Three significant digits, without zeros at the end; all digits before the point.
fn digits(x: f64) -> String {
    let decimals = (2 - x.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn scientific(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{x:.2e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

/// With a minus sign of the width of a digit.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// Seconds with a prefix.
pub(super) fn seconds(x: f64) -> String {
    let (value, unit) = match x.abs() {
        s if s >= 1.0 || s == 0.0 => (x, "s"),
        s if s >= 1e-3 => (1e3 * x, "ms"),
        s if s >= 1e-6 => (1e6 * x, "µs"),
        _ => (1e9 * x, "ns"),
    };
    format!("{} {unit}", short(value))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|t| t.1.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let fit = |values: &[f64], scale| Axis::fit(values.iter().copied(), scale, false, 5).unwrap();
        assert_eq!(labels(&fit(&[0.0, 1.0], Scale::Linear)), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&fit(&[3.0, 20000.0], Scale::FromZero)), ["0", "5 k", "10 k", "15 k", "20 k"]);
        assert_eq!(labels(&fit(&[-0.02, 0.02], Scale::Linear)), ["−0.02", "−0.01", "0", "0.01", "0.02"]);
        assert_eq!(labels(&fit(&[1.0, 4096.0], Scale::Log)), ["1", "10", "100", "1000"]);
        assert_eq!(labels(&fit(&[10.0, 100.0], Scale::Log)), ["10", "20", "50", "100"]);
        for axis in [fit(&[7.0], Scale::Linear), fit(&[7.0], Scale::Log), fit(&[0.0, 0.0], Scale::Linear)] {
            assert!(axis.low < axis.high && !axis.ticks.is_empty(), "{axis:?}");
            assert!(axis.ticks.iter().all(|(at, _)| (axis.low..=axis.high).contains(at)), "{axis:?}");
        }
        // no value, no axis
        assert_eq!(Axis::fit([f64::NAN].into_iter(), Scale::Linear, true, 5), None);
        assert_eq!(Axis::fit([-1.0].into_iter(), Scale::Log, true, 5), None);
    }

    #[test]
    fn numbers_are_short() {
        let texts = [1.3, -0.25, 12345.0, 1.234e6, 0.0, 2e-7, 999.6, 0.05, f64::NAN].map(short);
        assert_eq!(texts, ["1.3", "−0.25", "12.3 k", "1.23 M", "0", "2e−7", "1000", "0.05", "–"]);
        assert_eq!([seconds(2.0), seconds(3.5e-3), seconds(2e-5)], ["2 s", "3.5 ms", "20 µs"]);
    }
}
