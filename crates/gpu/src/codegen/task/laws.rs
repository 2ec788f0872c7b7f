//! Functions of laws beside their values: where their forces act, and their states.

use manyworlds_model::model::task::{LawForce, LawTarget, Program};

/// Text of such a function; `None` for other names.
pub(super) fn function(name: &str, formulas: Option<&Program>) -> Option<String> {
    let forces = formulas.map_or(&[][..], Program::forces);
    let states = formulas.map_or(&[][..], Program::states);
    match name {
        "law_forces_on" => Some(forces_on(forces)),
        "reset_states" => Some(each(states, "reset_states()", |state, numeric| {
            format!("set_act({state}u, numeric_data({numeric}u));")
        })),
        "state_rates" => Some(each(states, "state_rates()", |state, _| {
            format!("set_act_dot({state}u, law_act_dot({state}u));")
        })),
        "first_state" => {
            Some(format!("const first_state: u32 = {}u;", states.first().map_or(0, |(state, _)| *state)))
        }
        _ => None,
    }
}

/// All forces on a degree of freedom, added to a sum in their order.
fn forces_on(forces: &[LawForce]) -> String {
    let lines = forces.iter().map(|force| {
        let adr = force.adr;
        let text = match force.on {
            LawTarget::Dofs(first, count) => format!("law_force_on_dofs(dof, {first}u, {count}u, {adr}u)"),
            LawTarget::Tendon(ten) => format!("law_force_along_tendon(dof, {ten}u, {adr}u)"),
            LawTarget::Body(body) => format!("law_force_at(dof, {body}u, xipos_vec3({body}u), {adr}u)"),
            LawTarget::Site(site) => {
                format!("law_force_at(dof, u32(site_bodyid({site}u)), site_xpos_vec3({site}u), {adr}u)")
            }
        };
        format!("    sum += {text};\n")
    });
    let lines: String = lines.collect();
    format!(
        "fn law_forces_on(dof: u32, before: f32) -> f32 {{\n    var sum = before;\n{lines}    return sum;\n}}"
    )
}

/// A function in which lanes share the states, each those that it shares of all activations.
fn each(states: &[(usize, usize)], head: &str, line: impl Fn(usize, usize) -> String) -> String {
    let lines = states.iter().map(|(state, numeric)| {
        let text = line(*state, *numeric);
        format!("    if (lane == {state}u % lanes) {{\n        {text}\n    }}\n")
    });
    format!("fn {head} {{\n{}}}", lines.collect::<String>())
}
