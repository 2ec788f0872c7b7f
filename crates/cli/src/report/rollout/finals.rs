//! Worlds in the end: distributions, quantities, and those to look at.

use manyworlds::error::Result;
use manyworlds::schema::enums::status;

use super::super::axis::{Scale, short};
use super::super::charts::{Chart, THIRD};
use super::super::marks::Mark;
use super::super::page::{Figure, Page, Value};
use super::super::samples::{Finals, Quantity, quantile};
use crate::shared::summary::Measured;

/// Fewest worlds whose values are a distribution.
const MANY: usize = 8;
/// Most bars of a histogram.
const BARS: usize = 40;
/// Worlds that are named for a reason.
const NAMED: usize = 5;

/// Histograms of what the worlds have come to.
pub(super) fn distributions(page: &mut Page, finals: &Finals, worlds: usize) -> Result<()> {
    let mut charts = Vec::new();
    if worlds >= MANY {
        for quantity in &finals.quantities {
            charts.extend(histogram(quantity)?);
        }
    }
    let limits = finals.quantities.iter().filter_map(|q| Some((q.title, q.limit?)));
    let room: Vec<String> =
        limits.map(|(title, (limit, word))| format!("{} {word} {}", title, short(limit))).collect();
    page.figure(
        Figure {
            id: "distributions",
            title: "Distributions over worlds".to_owned(),
            legend: vec![],
            charts,
            caption: format!(
                "Number of worlds by value after the last step. Worlds far to the right are those to look at, below. {}",
                if room.is_empty() { String::new() } else { format!("Of a world: {}.", room.join(", ")) }
            ),
        },
        &format!("Fewer than {MANY} worlds make no distribution: the table has their values."),
    );
    Ok(())
}

/// A histogram, with its limit where that is near; none where no value is finite.
fn histogram(quantity: &Quantity) -> Result<Option<String>> {
    let finite = || quantity.values.iter().copied().filter(|x| x.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    if low > high {
        return Ok(None);
    }
    let (begin, width) = if quantity.whole {
        // bars of whole numbers about which they stand
        (low - 0.5, ((high - low + 1.0) / BARS as f64).ceil().max(1.0))
    } else {
        let width = (high - low) / BARS as f64;
        if width > 1e-12 * high.abs().max(low.abs()) { (low, width) } else { (low - 0.5, 1.0) }
    };
    let mut counts = vec![0usize; BARS];
    for x in finite() {
        counts[(((x - begin) / width) as usize).min(BARS - 1)] += 1;
    }
    let used = counts.iter().rposition(|n| *n > 0).map_or(0, |k| k + 1);
    let edge = |k: usize| begin + width * k as f64;
    let bar = |(k, n): (usize, &usize)| (edge(k), edge(k + 1), *n as f64);
    let mut marks = vec![Mark::Bars { bars: counts[..used].iter().enumerate().map(bar).collect(), color: 0 }];
    if let Some((limit, word)) = quantity.limit.filter(|(limit, _)| *limit <= 2.0 * high) {
        marks.push(Mark::Moment(limit, format!("{word} {}", short(limit))));
    }
    Chart {
        title: "worlds".to_owned(),
        across: quantity.title.to_owned(),
        x: Scale::Linear,
        y: Scale::FromZero,
        x_ticks: None,
        marks,
        size: (THIRD, 180),
    }
    .svg()
}

/// The same as numbers.
pub(super) fn quantities(page: &mut Page, finals: &Finals, worlds: usize) {
    let row = |quantity: &Quantity| {
        let mut values: Vec<f64> = quantity.values.iter().copied().filter(|x| x.is_finite()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let mut at = |share: f64| Value::words(short(quantile(&mut values, share)));
        let name = if quantity.id == "contacts" { "contacts_mean" } else { quantity.id };
        let limit =
            quantity.limit.map_or("–".to_owned(), |(limit, word)| format!("{word} {}", short(limit)));
        let row = vec![
            Value::words(quantity.title),
            at(0.0),
            at(0.05),
            at(0.5),
            Value::figure(name, mean, short(mean)),
            at(0.95),
            at(1.0),
            Value::words(limit),
        ];
        // the quantiles of one world are all the same
        if worlds == 1 { [0, 4, 7].map(|k| row[k].clone()).to_vec() } else { row }
    };
    let rows: Vec<Vec<Value>> = finals.quantities.iter().map(row).collect();
    let all = ["", "least", "5 %", "median", "mean", "95 %", "most", "room or limit"];
    let head = if worlds == 1 { &["", "value", "room or limit"][..] } else { &all };
    page.table("quantities", "After the last step", head, &rows);
}

/// Worlds with the most of something, or with a status, by number.
pub(super) fn worst(page: &mut Page, finals: &Finals, worlds: usize) {
    if worlds == 1 {
        page.none("There is one world, number 0, to look at.");
        return;
    }
    let mut rows = Vec::new();
    for quantity in finals.quantities.iter().filter(|q| !q.worst.is_empty()) {
        let mut order: Vec<usize> = (0..quantity.values.len()).collect();
        // what is not finite is worst, and of equal worlds the first
        let rank = |w: &usize| {
            let x = quantity.values[*w];
            if x.is_finite() { x } else { f64::INFINITY }
        };
        order.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        order.truncate(NAMED);
        if rank(&order[0]) > 0.0 {
            let names = order.iter().map(|w| format!("{w} ({})", short(quantity.values[*w])));
            rows.push(vec![Value::words(quantity.worst), Value::words(names.collect::<Vec<_>>().join(", "))]);
        }
    }
    for (name, bit) in status::WORDS {
        let own: Vec<usize> = (0..worlds).filter(|w| finals.status[*w] & bit != 0).collect();
        if !own.is_empty() {
            let names: Vec<String> = own.iter().take(NAMED).map(usize::to_string).collect();
            let more = if own.len() > NAMED { ", …" } else { "" };
            rows.push(vec![
                Value::words(format!("status {name}")),
                Value::words(format!("{}{more}", names.join(", "))),
            ]);
        }
    }
    page.table("worst", "Worlds to look at, by number", &["reason", "worlds (value)"], &rows);
}

/// Worlds by status bit.
pub(super) fn status_table(page: &mut Page, measured: &Measured) {
    let row = |(name, count): &(&'static str, usize)| {
        vec![Value::words(*name), Value::figure(name, *count as f64, count.to_string())]
    };
    let raised: Vec<Vec<Value>> = measured.status.iter().filter(|s| s.1 > 0).map(row).collect();
    if raised.is_empty() {
        page.none("No world has a status bit: nothing overflowed, diverged or was reset.");
    } else {
        page.table("status", "Worlds by status", &["bit", "worlds"], &raised);
    }
}
