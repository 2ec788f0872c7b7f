//! Report of `plan`: what the motion costs, whether it does what it is for, and what the planner took for it.

mod controls;
mod cost;
mod motion;
mod planner;

use manyworlds::error::Result;

use super::axis::{seconds, short};
use super::facts;
use super::page::{Page, Value};
use controls::{controls, joints};
use cost::{costs, plan_costs};
pub(crate) use motion::PlannedMotion;
use planner::{iterations, lag};

/// The page of a motion.
///
/// # Errors
/// [`manyworlds::error::Error::Argument`] where a chart cannot be drawn.
pub(crate) fn page(motion: &PlannedMotion<'_>) -> Result<Page> {
    let PlannedMotion { record, figures, .. } = *motion;
    let name = facts::file_name(motion.file);
    let about = format!("{} on {}", figures.planner, figures.device);
    let mut page = Page::new(&format!("Plan of {name}"), &about);
    if let Some(notice) = &figures.notice {
        page.warning(&format!("The planner said: {notice}."));
    }
    let success = match (figures.success, figures.success_since) {
        (Some(true), Some(since)) => {
            Value::figure("success_since", since, format!("since {} s", short(since)))
        }
        (Some(_), _) => Value::words("no"),
        _ => Value::words("not defined"),
    };
    page.tiles(&[
        ("success", success),
        ("mean cost", Value::figure("cost", figures.cost, short(figures.cost))),
        ("of motion", Value::figure("seconds", figures.seconds, format!("{} s", short(figures.seconds)))),
        (
            "an iteration",
            Value::figure("iteration_seconds", figures.iteration_seconds, seconds(figures.iteration_seconds)),
        ),
        (
            "times real time",
            Value::figure(
                "realtime_factor",
                figures.realtime_factor,
                format!("{}×", short(figures.realtime_factor)),
            ),
        ),
    ]);

    page.section("Cost");
    costs(&mut page, motion)?;
    plan_costs(&mut page, record)?;
    page.section("Planner");
    iterations(&mut page, motion)?;
    lag(&mut page, motion)?;
    page.section("Motion");
    controls(&mut page, motion)?;
    joints(&mut page, motion)?;

    page.section("Settings");
    settings(&mut page, motion);
    Ok(page)
}

/// What was asked for.
fn settings(page: &mut Page, motion: &PlannedMotion<'_>) {
    let PlannedMotion { settings, options, figures, .. } = *motion;
    let numbers = |x: f64| Value::words(format!("{} s", short(x)));
    let mut facts = vec![
        ("task", Value::words(motion.file.display().to_string())),
        ("contents", facts::contents(motion.model)),
        ("plant", facts::options(motion.model)),
        ("planner", Value::words(settings.planner.name())),
        ("horizon", numbers(settings.horizon)),
        ("time step of the plan", numbers(settings.timestep)),
        ("interval", numbers(options.interval)),
        (
            "iterations",
            Value::figure("iterations", figures.iterations as f64, figures.iterations.to_string()),
        ),
        ("iterations before the motion", Value::words(options.iterations.to_string())),
        ("steps", Value::figure("steps", figures.steps as f64, figures.steps.to_string())),
        ("noise on controls", Value::words(short(options.control_noise))),
        ("noise on the state", Value::words(short(options.state_noise))),
        ("seed", Value::words(options.seed.to_string())),
    ];
    if !options.pushes.is_empty() {
        facts.push(("pushes", Value::words(options.pushes.len().to_string())));
    }
    page.facts(&facts);
}
