//! The rows of a run under one another, for people.

use serde_json::{Map, Value};

use super::super::output::Output;
use super::number;

/// A column: its title, its width, and its text in a row.
type Column = (&'static str, usize, fn(&Map<String, Value>) -> Option<String>);

const COLUMNS: &[Column] = &[
    ("worlds", 8, |row| figure(row, "worlds", 1.0, 0)),
    ("backend", 8, |row| row.get("backend").and_then(Value::as_str).map(str::to_owned)),
    ("steps/s", 12, |row| figure(row, "steps_per_second", 1.0, 0)),
    ("ns/step", 10, |row| figure(row, "nanoseconds_per_step", 1.0, 1)),
    ("kflop/step", 11, |row| figure(row, "flops_per_step", 1e-3, 2)),
    ("KiB/step", 9, |row| figure(row, "bytes_per_step", 1.0 / 1024.0, 2)),
    ("copy %", 7, |row| figure(row, "copy_share", 100.0, 2)),
    ("fp32 %", 7, |row| figure(row, "peak_share", 100.0, 2)),
    ("KiB/world", 10, |row| figure(row, "bytes_per_world", 1.0 / 1024.0, 1)),
    ("cold s", 7, |row| cold(row).map(|s| format!("{s:.2}"))),
    ("ratio", 6, |row| figure(row, "ratio", 1.0, 2)),
];

/// All rows; steps are those of one world.
pub(super) fn print(rows: &[Value], output: &Output) {
    let rows: Vec<&Map<String, Value>> = rows.iter().filter_map(Value::as_object).collect();
    let name = |row: &Map<String, Value>| row.get("model").and_then(Value::as_str).unwrap_or("").to_owned();
    let width = rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0).max(5);
    let titles: String = COLUMNS.iter().map(|(title, w, _)| format!(" {title:>w$}")).collect();
    output.text(format_args!("\n{:<width$}{titles}", "model"));
    for row in rows {
        let of = |(_, w, text): &Column| format!(" {:>w$}", text(row).unwrap_or_else(|| "-".to_owned()));
        output.text(format_args!("{:<width$}{}", name(row), COLUMNS.iter().map(of).collect::<String>()));
    }
}

/// A number of a row in the unit of its column; nothing where it has none.
fn figure(row: &Map<String, Value>, name: &str, scale: f64, digits: usize) -> Option<String> {
    let value = number(row, name);
    value.is_finite().then(|| format!("{:.digits$}", value * scale))
}

/// Seconds before the first step.
fn cold(row: &Map<String, Value>) -> Option<f64> {
    let parts = row.get("cold_seconds")?.as_object()?;
    Some(parts.values().filter_map(Value::as_f64).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_row_lacks_is_a_dash() {
        let Value::Object(row) = serde_json::json!({ "flops_per_step": 12345.0, "copy_share": 0.5 }) else {
            return;
        };
        let text = |title: &str| COLUMNS.iter().find(|c| c.0 == title).and_then(|c| c.2(&row));
        assert_eq!(text("kflop/step").as_deref(), Some("12.35"));
        assert_eq!(text("copy %").as_deref(), Some("50.00"));
        assert_eq!(text("fp32 %"), None);
    }
}
