//! Table of the rows of a run, as text.

use super::row::Row;
use crate::shared::output::Output;

/// A column: title, width, and its text for a row.
type Column = (&'static str, usize, fn(&Row) -> Option<String>);

const COLUMNS: &[Column] = &[
    ("worlds", 8, |row| Some(row.summary.worlds.to_string())),
    ("backend", 8, |row| Some(row.summary.backend.to_owned())),
    ("steps/s", 12, |row| figure(row.summary.measured.steps_per_second, 0)),
    ("ns/step", 10, |row| figure(row.cost.nanoseconds_per_step, 1)),
    ("kflop/step", 11, |row| figure(row.cost.flops_per_step * 1e-3, 2)),
    ("KiB/step", 9, |row| figure(row.cost.moved.as_ref()?.bytes_per_step / 1024.0, 2)),
    ("copy %", 7, |row| figure(row.reached.as_ref()?.copy_share * 100.0, 2)),
    ("fp32 %", 7, |row| figure(row.reached.as_ref()?.peak_share * 100.0, 2)),
    ("KiB/world", 10, |row| figure(row.summary.bytes_per_world as f64 / 1024.0, 1)),
    ("cold s", 7, |row| figure(row.summary.cold_seconds.iter().map(|part| part.1).sum(), 2)),
    ("ratio", 6, |row| figure(row.against.as_ref()?.ratio()?, 2)),
];

/// Prints all rows; steps are those of one world.
pub(super) fn print(rows: &[Row], output: &Output) {
    let width = rows.iter().map(|row| row.model.chars().count()).max().unwrap_or(0).max(5);
    let titles: String = COLUMNS.iter().map(|(title, w, _)| format!(" {title:>w$}")).collect();
    output.text(format_args!("\n{:<width$}{titles}", "model"));
    for row in rows {
        let of = |(_, w, text): &Column| format!(" {:>w$}", text(row).unwrap_or_else(|| "-".to_owned()));
        output.text(format_args!("{:<width$}{}", row.model, COLUMNS.iter().map(of).collect::<String>()));
    }
}

/// A number, if it is finite.
fn figure(value: f64, digits: usize) -> Option<String> {
    value.is_finite().then(|| format!("{value:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_row_lacks_is_a_dash() {
        let mut row = Row::default();
        row.cost.flops_per_step = 12345.0;
        row.cost.nanoseconds_per_step = f64::NAN;
        let text = |title: &str| COLUMNS.iter().find(|c| c.0 == title).and_then(|c| c.2(&row));
        assert_eq!(text("kflop/step").as_deref(), Some("12.35"));
        assert_eq!(text("ns/step"), None);
        assert_eq!(text("fp32 %"), None);
    }
}
