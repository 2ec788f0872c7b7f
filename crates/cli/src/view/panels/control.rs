//! Controls, joints, equalities of the chosen world.

use egui::{Slider, Ui};
use manyworlds::model::task::Command;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::{equality, joint, word};
use manyworlds_render::interaction::Acting;

use super::super::app::App;
use super::simulation::name;

/// Most rows of a list.
const ROWS: usize = 200;

/// Sliders of the controls, within their ranges.
pub(super) fn controls(ui: &mut Ui, app: &mut App) {
    let model = app.session.model();
    if model.sizes.naction > 0 {
        actions(ui, app);
        return;
    }
    if model.sizes.nu == 0 {
        ui.weak("no actuators");
        return;
    }
    if app.session.mpc.as_ref().is_some_and(|mpc| mpc.is_on()) {
        ui.weak("the planner controls");
    }
    let mut rows = Vec::new();
    for id in 0..model.sizes.nactuator {
        let places = model.elements_of("ctrl", Kind::Actuator, id).unwrap_or_default();
        for place in places.clone() {
            let part = if places.len() > 1 { format!("[{}]", place - places.start) } else { String::new() };
            // a range of a control with several numbers is not its own
            let limited = model.actuator_ctrllimited[id] != 0 && places.len() == 1;
            let range =
                if limited { [0, 1].map(|k| model.actuator_ctrlrange[2 * id + k]) } else { [-1.0, 1.0] };
            rows.push((place, name(model, Kind::Actuator, id) + &part, range, limited));
        }
    }
    if ui.button("Clear all").clicked() {
        let done = app.session.clear_controls();
        app.noted(done);
    }
    for (place, name, [low, high], limited) in rows.into_iter().take(ROWS) {
        let mut value = app.session.data().ctrl[place];
        let clamping = if limited { egui::SliderClamping::Always } else { egui::SliderClamping::Never };
        let slider =
            Slider::new(&mut value, low..=high.max(low)).clamping(clamping).text(name).max_decimals(3);
        if ui.add(slider).changed() {
            let done = app.session.set("ctrl", place, value);
            app.noted(done);
        }
    }
}

/// Sliders of a command: who moves one gives the command.
fn commands(ui: &mut Ui, app: &mut App, command: &Command) {
    let (name, session) = (&command.name, &app.session);
    let mut numbers = session.acting().numbers(session.model(), &session.data().task_variable, name);
    let mut given = session.acting().gives(name);
    if ui.checkbox(&mut given, format!("give {name}")).changed() {
        let done = app.session.give(name, given.then(|| numbers.clone()));
        app.noted(done);
    }
    let mut moved = false;
    for (value, number) in numbers.iter_mut().zip(&command.numbers) {
        let slider = Slider::new(value, number.low..=number.high).text(&number.name).max_decimals(3);
        moved |= ui.add(slider).changed();
    }
    if moved {
        let done = app.session.give(name, Some(numbers));
        app.noted(done);
    }
}

/// Policy, commands, and sliders of the action of an environment.
fn actions(ui: &mut Ui, app: &mut App) {
    if Acting::has_policy(app.session.model()) {
        let mut on = app.session.acting().by_policy();
        if ui.checkbox(&mut on, "policy acts").changed() {
            app.session.let_policy(on);
        }
    }
    for command in Acting::commands(app.session.model()).to_vec() {
        commands(ui, app, &command);
    }
    for place in 0..app.session.model().sizes.naction.min(ROWS) {
        let mut value = app.session.data().action[place];
        if ui
            .add(Slider::new(&mut value, -1.0..=1.0).text(format!("action {place}")).max_decimals(3))
            .changed()
        {
            let done = app.session.set("action", place, value);
            app.noted(done);
        }
    }
    let reward = app.session.data().reward.first().copied().unwrap_or(0.0);
    ui.label(format!("reward {reward:.4}"));
}

/// Sliders of the joints with one degree of freedom.
pub(super) fn joints(ui: &mut Ui, app: &mut App) {
    let model = app.session.model();
    let rows: Vec<_> = (0..model.sizes.njnt)
        .filter(|j| [joint::SLIDE, joint::HINGE].contains(&model.jnt_type[*j]))
        .map(|j| {
            let free = if model.jnt_type[j] == joint::HINGE { std::f64::consts::PI } else { 1.0 };
            let limited = model.jnt_limited[j] != 0;
            let range = if limited { [0, 1].map(|k| model.jnt_range[2 * j + k]) } else { [-free, free] };
            (model.jnt_qposadr[j] as usize, name(model, Kind::Joint, j), range)
        })
        .collect();
    if rows.is_empty() {
        ui.weak("no hinges or slides");
    }
    for (place, name, [low, high]) in rows.into_iter().take(ROWS) {
        let mut value = app.session.data().qpos[place];
        let clamping = egui::SliderClamping::Never;
        let slider =
            Slider::new(&mut value, low..=high.max(low)).clamping(clamping).text(name).max_decimals(3);
        if ui.add(slider).changed() {
            let done = app.session.set("qpos", place, value);
            app.noted(done);
        }
    }
}

/// Equality constraints, on or off.
pub(super) fn equalities(ui: &mut Ui, app: &mut App) {
    let model = app.session.model();
    let row = |e: usize| {
        format!("{} ({})", name(model, Kind::Equality, e), word(equality::WORDS, model.eq_type[e]))
    };
    let rows: Vec<String> = (0..model.sizes.neq.min(ROWS)).map(row).collect();
    if rows.is_empty() {
        ui.weak("no equality constraints");
    }
    for (e, text) in rows.into_iter().enumerate() {
        let mut on = app.session.data().eq_active[e] != 0;
        if ui.checkbox(&mut on, text).changed() {
            let done = app.session.set("eq_active", e, f64::from(u8::from(on)));
            app.noted(done);
        }
    }
}
