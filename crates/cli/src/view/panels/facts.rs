//! Facts about the simulation, and a number that is watched.

use egui::{Align2, Color32, DragValue, FontId, Ui};
use manyworlds::error::suggest;
use manyworlds::model::data::Data;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::enable;

use super::super::app::App;
use super::simulation::name;

/// Lines of facts.
fn lines(app: &App) -> Vec<(&'static str, String)> {
    let (session, data, model) = (&app.session, app.session.data(), app.session.model());
    let count = |n: &[i32]| n.first().copied().unwrap_or(0);
    let (speed, measured) = (session.clock.speed, session.clock.measured());
    let state = if session.is_running() { format!("{:.0} %", 100.0 * measured) } else { "paused".to_owned() };
    let mut all = vec![
        ("Time", format!("{:.3} s", data.time[0])),
        ("Speed", format!("{state} of {:.1} % asked", 100.0 * speed)),
        ("Step", format!("{:.3} ms", 1e3 * session.step_seconds())),
        ("Picture", format!("{:.0} Hz, {:.1} ms", app.rate, 1e3 * app.picture)),
        (
            "Size",
            format!("{} contacts, {} rows, nv {}", count(&data.ncon), count(&data.nefc), model.sizes.nv),
        ),
        ("Solver", format!("{} iterations", count(&data.solver_niter))),
    ];
    if model.enabled(enable::ENERGY)
        && let [potential, kinetic] = data.energy[..]
    {
        all.push(("Energy", format!("{:.3} J", potential + kinetic)));
    }
    if session.worlds() > 1 {
        all.push(("World", format!("{} of {}", session.chosen(), session.worlds())));
    }
    if let Some(mpc) = &session.mpc {
        let cost = mpc.objective().value(&data.sensordata, false).unwrap_or(f64::NAN);
        all.push(("Cost", format!("{cost:.4}")));
        let lag = mpc.lag(data.time[0]);
        let lag = lag.map_or("no plan yet".to_owned(), |(lag, s)| {
            format!("{:.0} ms old, made in {:.0} ms", 1e3 * lag, 1e3 * s)
        });
        all.push(("Plan", if mpc.is_on() { lag } else { "off".to_owned() }));
    }
    if session.pull.perturb.body > 0 {
        all.push(("Selected", name(model, Kind::Body, session.pull.perturb.body)));
    }
    all.push(("Physics", session.device()));
    all.push(("Drawn by", app.adapter.clone()));
    all
}

/// The lines, over the picture, at its lower left corner.
pub(super) fn overlay(ui: &Ui, app: &App) {
    let area = ui.max_rect().shrink(8.0);
    let rows = lines(app);
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let text: Vec<String> = rows.iter().map(|(name, value)| format!("{name:width$}  {value}")).collect();
    let painter = ui.painter().with_clip_rect(ui.max_rect());
    let (font, text) = (FontId::monospace(12.0), text.join("\n"));
    let galley = painter.layout_no_wrap(text, font, Color32::WHITE);
    let rect = Align2::LEFT_BOTTOM.anchor_size(area.left_bottom(), galley.size());
    painter.rect_filled(rect.expand(5.0), 3.0, Color32::from_black_alpha(150));
    painter.galley(rect.min, galley, Color32::WHITE);
}

/// A number of any field of the chosen world.
pub(super) fn watch(ui: &mut Ui, app: &mut App) {
    ui.horizontal(|ui| {
        ui.add(egui::TextEdit::singleline(&mut app.watch.field).desired_width(120.0));
        ui.add(DragValue::new(&mut app.watch.place).speed(0.1));
    });
    let field = app.watch.field.trim();
    let entry = Data::<f64>::FIELDS.iter().find(|f| f.name == field);
    let Some((entry, values)) = entry.zip(app.session.data().get(field)) else {
        let near = suggest(field, Data::<f64>::FIELDS.iter().map(|f| f.name));
        ui.weak(format!("there is no field '{field}'{near}"));
        return;
    };
    match values.to_f64().get(app.watch.place) {
        Some(value) => ui.monospace(format!("{value:.6} {}", entry.unit)),
        None => ui.weak(format!("it has {} numbers", values.to_f64().len())),
    };
    ui.weak(entry.doc);
}
