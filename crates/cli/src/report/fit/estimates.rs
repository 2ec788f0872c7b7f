//! Parameters before and after, their correlation, and the cost of the search.

use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds_control::identification::{Estimate, Fit};

use super::super::axis::{Scale, short};
use super::super::charts::{Chart, WIDE};
use super::super::marks::Mark;
use super::super::page::{Figure, Key, Page, Value};
use super::super::panels::with_unit;
use super::super::rows::{RangeRow, heat_map, ranges};
use super::super::text::named;

/// Most parameters of a chart, and of a heat map with numbers in its cells.
const ROWS: usize = 40;
const NUMBERED: usize = 12;

/// Parameters with their ranges.
pub(super) fn parameters(page: &mut Page, found: &Fit) -> Result<()> {
    let row = |e: &Estimate| RangeRow {
        name: with_unit(&named(&e.name), unit(&e.name)),
        lower: e.lower,
        upper: e.upper,
        start: e.start,
        value: e.value,
        deviation: e.deviation,
        text: match e.deviation {
            Some(deviation) => format!("{} → {} ± {}", short(e.start), short(e.value), short(deviation)),
            None => format!("{} → {}", short(e.start), short(e.value)),
        },
    };
    let rows: Vec<RangeRow> = found.estimates.iter().take(ROWS).map(row).collect();
    let hidden = match found.estimates.len().saturating_sub(ROWS) {
        0 => String::new(),
        n => format!(" {n} more are in the table."),
    };
    let figure = Figure {
        id: "parameters",
        title: "Before and after".to_owned(),
        legend: vec![
            (Key::Ring(1), "start".to_owned()),
            (Key::Dot(0), "estimate".to_owned()),
            (Key::Line(0), "two standard deviations to each side".to_owned()),
        ],
        charts: vec![ranges("each row has a scale of its own, its range where it has one", &rows, WIDE)?],
        caption: format!(
            "A dot at the end of its bar is held by the range; a long line says that the recording hardly tells the value.{hidden}"
        ),
    };
    page.figure(figure, "");
    Ok(())
}

/// Unit of a parameter, where its name tells a field that has one.
fn unit(name: &str) -> &'static str {
    let field = name.split([':', '[', ' ']).next().unwrap_or_default();
    match Model::<f64>::FIELDS.iter().find(|f| f.name == field) {
        // of a joint of either kind, the name does not tell which
        Some(field) if field.unit.contains(" or ") => "",
        Some(field) => field.unit,
        None if field == "mass" => "kg",
        None => "",
    }
}

/// Parameters as numbers.
pub(super) fn table(page: &mut Page, found: &Fit) {
    let row = |e: &Estimate| {
        let remark = match (e.bound, e.identifiable) {
            (Some(bound), _) => format!("at its {} bound", bound.name()),
            (None, false) => "not identifiable".to_owned(),
            _ => String::new(),
        };
        let precise = |x: f64| format!("{x:.6}").replace('-', "−");
        vec![
            Value::words(with_unit(&named(&e.name), unit(&e.name))),
            Value::figure("value", e.value, precise(e.value)),
            Value::words(e.deviation.map_or("–".to_owned(), short)),
            Value::figure("start", e.start, short(e.start)),
            Value::words(short(e.lower)),
            Value::words(short(e.upper)),
            Value::words(remark),
        ]
    };
    let rows: Vec<Vec<Value>> = found.estimates.iter().map(row).collect();
    let head = ["parameter", "estimate", "standard deviation", "start", "least", "greatest", ""];
    page.table("estimates", "Estimates", &head, &rows);
}

/// Correlation of the estimates.
pub(super) fn correlation(page: &mut Page, found: &Fit) -> Result<()> {
    let n = found.estimates.len();
    let names: Vec<String> = found.estimates.iter().map(|e| named(&e.name)).collect();
    let charts = if (2..=ROWS).contains(&n) {
        vec![heat_map("from −1 (orange) by 0 (grey) to 1 (blue)", &names, &found.correlation, n <= NUMBERED)?]
    } else {
        vec![]
    };
    let mut strongest: Option<(f64, usize, usize)> = None;
    for i in 0..n {
        for j in 0..i {
            let own = found.correlation[i * n + j];
            if own.is_finite() && strongest.is_none_or(|(most, ..)| own.abs() > most.abs()) {
                strongest = Some((own, i, j));
            }
        }
    }
    let most = strongest.map_or(String::new(), |(own, i, j)| {
        format!(" The strongest: {} and {}, {}.", names[j], names[i], short(own))
    });
    let instead = if n < 2 {
        "A single parameter has no correlation.".to_owned()
    } else {
        format!("{n} parameters are too many for a picture of their correlation: --out FILE.npz has it.")
    };
    page.figure(
        Figure {
            id: "correlation",
            title: "Correlation of the estimates".to_owned(),
            legend: vec![],
            charts,
            caption: format!(
                "Two parameters near 1 or −1 are told apart badly by this recording: an error of one is made up for by the other.{most}"
            ),
        },
        &instead,
    );
    Ok(())
}

/// Cost per iteration.
pub(super) fn cost(page: &mut Page, found: &Fit) -> Result<()> {
    let costs: Vec<f64> =
        std::iter::once(found.start_cost).chain(found.history.iter().map(|i| i.cost)).collect();
    let points: Vec<(f64, f64)> = costs.iter().enumerate().map(|(k, cost)| (k as f64, *cost)).collect();
    let count = points.len();
    let chart = Chart {
        title: "cost: half the sum of squared residuals".to_owned(),
        across: "iteration".to_owned(),
        x: Scale::Linear,
        y: if costs.iter().all(|c| *c > 0.0) { Scale::Log } else { Scale::FromZero },
        x_ticks: (count <= 25).then(|| (0..count).map(|k| k as f64).collect()),
        marks: vec![Mark::Line { points: points.clone(), color: 0 }, Mark::Dots { points, color: 0 }],
        size: (WIDE, 220),
    };
    page.figure(
        Figure {
            id: "cost",
            title: "Cost per iteration".to_owned(),
            legend: vec![],
            charts: if count > 1 { chart.svg()?.into_iter().collect() } else { vec![] },
            caption: format!(
                "Residuals are divided by their deviations: with right ones, and a model that is right, the cost ends near half \
                 the number of residuals, {}. The search was ended by: {}.",
                short(0.5 * found.residuals.len() as f64),
                found.stop.name()
            ),
        },
        "The search has made no iteration.",
    );
    Ok(())
}
