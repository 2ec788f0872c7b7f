//! `<option>` and its `<flag>`.

use manyworlds_model::model::smooth::parameter_fault;
use manyworlds_model::schema::enums::{cone, disable, enable, integrator, jacobian, solver};

use crate::spec::Opt;
use crate::xml::El;

/// Valid timesteps in seconds; beyond these, time stalls or overflows.
const TIMESTEPS: std::ops::RangeInclusive<f64> = 1e-10..=1e6;

/// Reads an `<option>` element over the current values.
pub(super) fn option(el: El<'_>, to: &mut Opt) {
    to.at.note(el);
    for (name, value) in &mut to.real {
        let partial = matches!(*name, "o_solref" | "o_solimp" | "o_friction");
        let min = if partial { 0 } else { value.len() };
        if let Some(numbers) = el.reals(name, min, value.len()) {
            value[..numbers.len()].copy_from_slice(&numbers);
        }
    }
    for (name, value) in &mut to.int {
        match *name {
            "integrator" => el.set_keyword(name, integrator::WORDS, value),
            "cone" => el.set_keyword(name, cone::WORDS, value),
            "jacobian" => el.set_keyword(name, jacobian::WORDS, value),
            "solver" => el.set_keyword(name, solver::WORDS, value),
            _ => el.set_int(name, value),
        }
    }
    check_signs(el, to);
    if let (Some(_), &[eta, beta]) = (el.attr("smooth"), to.reals("smooth"))
        && let Some(wrong) = parameter_fault(eta, beta)
    {
        el.wrong("smooth", wrong, "write two numbers, like 0.5 1");
    }
    if let Some(groups) = el.ints("actuatorgroupdisable", 0, 31) {
        for group in groups {
            if (0..=30).contains(&group) {
                to.disableactuator |= 1 << group;
            } else {
                el.wrong(
                    "actuatorgroupdisable",
                    format!("actuator group {group} is out of range"),
                    "use groups 0 to 30",
                );
            }
        }
    }
    for flag in el.children() {
        flags(flag, to);
    }
    if to.enable & enable::IPC != 0 && to.int("integrator") != integrator::DISCRETE {
        let help = "add integrator=\"discrete\" to the option";
        el.wrong("integrator", "flag ipc needs the discrete integrator", help);
    }
}

/// Warns of values that have a meaning to the reference, but hardly one to the user.
fn check_signs(el: El<'_>, to: &Opt) {
    for name in ["timestep", "impratio"] {
        if el.attr(name).is_some() && to.reals(name).iter().any(|&x| x <= 0.0) {
            el.doubt(name, format!("{name} is not positive"), "write a number above zero");
        }
    }
    let step = to.reals("timestep").first().copied().unwrap_or(1.0);
    if el.attr("timestep").is_some() && step > 0.0 && !TIMESTEPS.contains(&step) {
        let help = "write a number of seconds, like 0.002";
        el.doubt("timestep", format!("timestep {step} makes no sense"), help);
    }
    let reals = [
        "density",
        "viscosity",
        "tolerance",
        "ls_tolerance",
        "noslip_tolerance",
        "ccd_tolerance",
        "sleep_tolerance",
    ];
    let negative = |name: &str| to.reals(name).iter().any(|&x| x < 0.0);
    for name in reals.into_iter().filter(|name| el.attr(name).is_some() && negative(name)) {
        el.doubt(name, format!("{name} is negative"), "write zero or more");
    }
    for (name, value) in to.int.iter().filter(|(name, value)| el.attr(name).is_some() && *value < 0) {
        el.doubt(name, format!("{name} is negative: {value}"), "write zero or more");
    }
}

fn flags(el: El<'_>, to: &mut Opt) {
    to.at.note_as(el, "flag ");
    let words = [("disable", 0), ("enable", 1)];
    for &(name, bit) in disable::WORDS {
        match el.keyword(name, &words) {
            Some(0) => to.disable |= bit,
            Some(_) => to.disable &= !bit,
            None => {}
        }
    }
    for &(name, bit) in enable::WORDS {
        match el.keyword(name, &words) {
            Some(0) => to.enable &= !bit,
            Some(_) => to.enable |= bit,
            None => {}
        }
    }
}
