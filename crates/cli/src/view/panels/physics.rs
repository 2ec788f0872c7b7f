//! Options and flags of the physics.

use egui::{ComboBox, DragValue, Grid, Ui};
use manyworlds::model::Model;
use manyworlds::schema::ValuesMut;
use manyworlds::schema::enums::{cone, disable, enable, integrator, jacobian, solver, word};

use super::super::app::App;

/// Label, field, and words with their values.
type Choice = (&'static str, &'static str, &'static [(&'static str, i32)]);

/// Enumerations.
const CHOICES: [Choice; 4] = [
    ("integrator", "opt_integrator", integrator::WORDS),
    ("cone", "opt_cone", cone::WORDS),
    ("jacobian", "opt_jacobian", jacobian::WORDS),
    ("solver", "opt_solver", solver::WORDS),
];

/// Numbers: label, field.
const NUMBERS: [(&str, &str); 15] = [
    ("timestep", "opt_timestep"),
    ("iterations", "opt_iterations"),
    ("tolerance", "opt_tolerance"),
    ("ls_iterations", "opt_ls_iterations"),
    ("ls_tolerance", "opt_ls_tolerance"),
    ("noslip_iterations", "opt_noslip_iterations"),
    ("noslip_tolerance", "opt_noslip_tolerance"),
    ("ccd_iterations", "opt_ccd_iterations"),
    ("ccd_tolerance", "opt_ccd_tolerance"),
    ("impratio", "opt_impratio"),
    ("gravity", "opt_gravity"),
    ("wind", "opt_wind"),
    ("magnetic", "opt_magnetic"),
    ("density", "opt_density"),
    ("viscosity", "opt_viscosity"),
];

/// Numbers of the contact override.
const OVERRIDE: [(&str, &str); 4] = [
    ("margin", "opt_o_margin"),
    ("solref", "opt_o_solref"),
    ("solimp", "opt_o_solimp"),
    ("friction", "opt_o_friction"),
];

/// A number of an option that was changed.
struct Edit(&'static str, usize, f64);

/// The panel.
pub(super) fn show(ui: &mut Ui, app: &mut App) {
    let model = app.session.model().clone();
    let mut edits: Vec<Edit> = Vec::new();
    Grid::new("options").num_columns(2).show(ui, |ui| {
        for (label, field, words) in CHOICES {
            choice(ui, &model, label, field, words, &mut edits);
        }
        for (label, field) in NUMBERS {
            numbers(ui, &model, label, field, &mut edits);
        }
    });
    ui.collapsing("Disable", |ui| flags(ui, &model, "opt_disableflags", disable::WORDS, &mut edits));
    ui.collapsing("Enable", |ui| flags(ui, &model, "opt_enableflags", enable::WORDS, &mut edits));
    ui.collapsing("Actuator groups", |ui| actuator_groups(ui, &model, &mut edits));
    ui.collapsing("Contact override", |ui| {
        Grid::new("override").num_columns(2).show(ui, |ui| {
            OVERRIDE.iter().for_each(|(label, field)| numbers(ui, &model, label, field, &mut edits));
        });
    });
    if !edits.is_empty() {
        let done = app.session.change(|m| edits.iter().for_each(|edit| write(m, edit)));
        // what is refused was not done: the simulation goes on
        if let Err(why) = done {
            app.session.set_notice(Some(why.to_string()));
        }
    }
}

fn write(model: &mut Model, Edit(field, place, value): &Edit) {
    match model.get_mut(field) {
        Some(ValuesMut::Real(all)) => all[*place] = *value,
        Some(ValuesMut::Int(all)) => all[*place] = *value as i32,
        None => {}
    }
}

fn choice(
    ui: &mut Ui,
    model: &Model,
    label: &str,
    field: &'static str,
    words: &[(&'static str, i32)],
    edits: &mut Vec<Edit>,
) {
    let now = model.get(field).map_or(0, |v| v.to_f64()[0] as i32);
    ui.label(label);
    ComboBox::from_id_salt(field).selected_text(word(words, now)).show_ui(ui, |ui| {
        for (text, value) in words {
            if ui.selectable_label(*value == now, *text).clicked() {
                edits.push(Edit(field, 0, f64::from(*value)));
            }
        }
    });
    ui.end_row();
}

fn numbers(ui: &mut Ui, model: &Model, label: &str, field: &'static str, edits: &mut Vec<Edit>) {
    let values = model.get(field).map(|v| v.to_f64()).unwrap_or_default();
    ui.label(label);
    ui.horizontal(|ui| {
        for (place, value) in values.iter().enumerate() {
            let mut changed = *value;
            let is_count = field.ends_with("iterations");
            let speed = if is_count { 1.0 } else { 0.01 * value.abs().max(1e-6) };
            let mut drag = DragValue::new(&mut changed).speed(speed).max_decimals(10);
            if is_count {
                drag = drag.range(0.0..=10_000.0).max_decimals(0);
            } else if field == "opt_timestep" {
                drag = drag.range(1e-6..=1.0);
            }
            if ui.add(drag).changed() {
                edits.push(Edit(field, place, changed));
            }
        }
    });
    ui.end_row();
}

fn flags(ui: &mut Ui, model: &Model, field: &'static str, words: &[(&str, i32)], edits: &mut Vec<Edit>) {
    let now = model.get(field).map_or(0, |v| v.to_f64()[0] as i32);
    ui.columns(2, |columns| {
        for (k, (text, bit)) in words.iter().enumerate() {
            let mut on = now & bit != 0;
            if columns[k % 2].checkbox(&mut on, *text).changed() {
                edits.push(Edit(field, 0, f64::from(now ^ bit)));
            }
        }
    });
}

/// Groups of actuators; those that are off are in the option.
fn actuator_groups(ui: &mut Ui, model: &Model, edits: &mut Vec<Edit>) {
    let now = model.opt_disableactuator[0];
    ui.horizontal(|ui| {
        for group in 0..6 {
            let mut on = now & (1 << group) == 0;
            if ui.checkbox(&mut on, group.to_string()).changed() {
                edits.push(Edit("opt_disableactuator", 0, f64::from(now ^ (1 << group))));
            }
        }
    });
}
