//! The planner of a task: on and off, its parameters, the weights of its costs.

use egui::{ComboBox, DragValue, Grid, Slider, Ui};
use manyworlds::schema::sensors::sensor;
use manyworlds_control::planning::settings::PlannerKind;

use super::super::app::App;
use super::super::keys::Action;

/// Planner and its parameters.
pub(super) fn planner(ui: &mut Ui, app: &mut App) {
    let Some(mpc) = &app.session.mpc else { return };
    let (mut on, before) = (mpc.is_on(), mpc.settings().clone());
    let mut settings = before.clone();
    let (iteration, count) = mpc.iteration();
    let text = format!("{count} iterations, cost {:.4} to {:.4}", iteration.before, iteration.after);
    let device = mpc.device().to_owned();
    if ui.checkbox(&mut on, "plan").changed() {
        app.act(Action::Planner);
    }
    ui.checkbox(&mut app.traces_on, "traces");
    ComboBox::from_label("planner").selected_text(settings.planner.name()).show_ui(ui, |ui| {
        for (name, kind) in PlannerKind::ALL {
            ui.selectable_value(&mut settings.planner, kind, name);
        }
    });
    Grid::new("planner").num_columns(2).show(ui, |ui| {
        let mut times = vec![("horizon, s", &mut settings.horizon), ("timestep, s", &mut settings.timestep)];
        let is_drawn = settings.planner != PlannerKind::Ilqg;
        if is_drawn {
            times.push(("spread", &mut settings.spread));
        }
        if settings.planner == PlannerKind::Mppi {
            times.push(("temperature", &mut settings.temperature));
        }
        for (label, value) in times {
            ui.label(label);
            ui.add(DragValue::new(value).speed(0.005).range(1e-4..=100.0).max_decimals(4));
            ui.end_row();
        }
        let counts = if is_drawn {
            vec![
                ("candidates", &mut settings.candidates, 2..=4096),
                ("points", &mut settings.points, 2..=100),
            ]
        } else {
            vec![("step sizes", &mut settings.step_sizes, 1..=64)]
        };
        for (label, value, range) in counts {
            ui.label(label);
            ui.add(DragValue::new(value).speed(0.2).range(range));
            ui.end_row();
        }
    });
    ui.weak(text);
    ui.weak(device);
    if settings != before
        && let Some(mpc) = &mut app.session.mpc
        && let Err(why) = mpc.set_settings(settings)
    {
        app.session.set_notice(Some(why.to_string()));
    }
}

/// Sliders of the weights, which are user data of the sensors.
pub(super) fn weights(ui: &mut Ui, app: &mut App) {
    let model = app.session.model();
    let width = model.sizes.nuser_sensor;
    let terms: Vec<(usize, String, Vec<f64>)> = (0..model.sizes.nsensor)
        .filter(|s| model.sensor_type[*s] == sensor::USER)
        .map(|s| (s, model.names.sensor[s].clone(), model.sensor_user[width * s..width * (s + 1)].to_vec()))
        .filter(|(_, _, user)| user.iter().any(|x| *x != 0.0))
        .collect();
    for (k, (s, name, user)) in terms.into_iter().enumerate() {
        let get = |i: usize, otherwise: f64| user.get(i).copied().unwrap_or(otherwise);
        let mut weight = get(1, 1.0);
        let high = get(3, 0.0).max(weight).max(1e-3);
        let cost = app.plots.costs.get(k).and_then(super::super::series::Series::last).unwrap_or(0.0);
        let slider = Slider::new(&mut weight, get(2, 0.0).max(0.0)..=high).text(format!("{name} {cost:.3}"));
        if ui.add(slider.max_decimals(4)).changed() && width > 1 {
            let done = app.session.change(|m| m.sensor_user[width * s + 1] = weight);
            app.noted(done);
        }
    }
}
