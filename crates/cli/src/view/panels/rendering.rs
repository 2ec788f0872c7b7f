//! Visual flags and groups.

use egui::{Grid, Ui};
use manyworlds_render::visuals::Flag;

use super::super::app::App;

/// Flags.
pub(super) fn flags(ui: &mut Ui, app: &mut App) {
    ui.columns(2, |columns| {
        for (k, flag) in Flag::ALL.iter().enumerate() {
            columns[k % 2].checkbox(app.visuals.flag_mut(*flag), flag.word()).on_hover_text(flag.doc());
        }
    });
}

/// Groups of objects.
pub(super) fn groups(ui: &mut Ui, app: &mut App) {
    let visuals = &mut app.visuals;
    let kinds = [
        ("geoms", &mut visuals.geoms),
        ("sites", &mut visuals.sites),
        ("joints", &mut visuals.joints),
        ("tendons", &mut visuals.tendons),
        ("actuators", &mut visuals.actuators),
        ("skins", &mut visuals.skins),
        ("flexes", &mut visuals.flexes),
    ];
    Grid::new("groups").num_columns(7).show(ui, |ui| {
        for (name, groups) in kinds {
            ui.label(name);
            for (k, on) in groups.iter_mut().enumerate() {
                ui.checkbox(on, k.to_string());
            }
            ui.end_row();
        }
    });
}
