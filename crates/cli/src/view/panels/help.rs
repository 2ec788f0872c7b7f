//! The help sheet, from the tables of keys and of the mouse.

use egui::{Context, Grid, ScrollArea, Window};

use super::super::app::App;
use super::super::keys::{self, MOUSE};

/// The sheet.
pub(super) fn show(ctx: &Context, app: &mut App) {
    let mut open = app.shown.help;
    Window::new("Help").open(&mut open).default_size([720.0, 640.0]).default_pos([270.0, 40.0]).show(
        ctx,
        |ui| {
            ScrollArea::vertical().show(ui, |ui| {
                Grid::new("mouse").num_columns(4).striped(true).show(ui, |ui| {
                    for row in MOUSE.chunks(2) {
                        for (gesture, text) in row {
                            ui.strong(*gesture);
                            ui.label(*text);
                        }
                        ui.end_row();
                    }
                });
                ui.separator();
                let all: Vec<(String, String)> =
                    keys::bindings().map(|b| (b.keys(), b.action.doc())).collect();
                Grid::new("keys").num_columns(6).striped(true).show(ui, |ui| {
                    for row in all.chunks(3) {
                        for (keys, text) in row {
                            ui.strong(keys);
                            ui.label(text);
                        }
                        ui.end_row();
                    }
                });
            });
        },
    );
    app.shown.help = open;
}
