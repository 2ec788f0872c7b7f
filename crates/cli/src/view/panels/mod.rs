//! The panels of the window.

mod control;
mod facts;
mod help;
mod physics;
mod plots;
mod rendering;
mod simulation;
mod task;
mod worlds;

use egui::{CollapsingHeader, Panel, ScrollArea, Ui};

use super::app::App;

/// Draws everything but the picture, and gives the room that is left to `picture`.
pub(super) fn show(ui: &mut Ui, app: &mut App, picture: impl FnOnce(&mut Ui, &mut App)) {
    if let Some(line) = app.session.notice().map(str::to_owned) {
        Panel::bottom("notice").show(ui, |ui| notice(ui, app, &line));
    }
    if app.shown.left {
        Panel::left("left").default_size(290.0).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                section(ui, "Simulation", true, |ui| simulation::show(ui, app));
                if app.session.worlds() > 1 {
                    section(ui, "Worlds", true, |ui| worlds::show(ui, app));
                }
                section(ui, "Physics", false, |ui| physics::show(ui, app));
                section(ui, "Visualization", false, |ui| rendering::flags(ui, app));
                section(ui, "Groups", false, |ui| rendering::groups(ui, app));
                section(ui, "Watch", false, |ui| facts::watch(ui, app));
            });
        });
    }
    if app.shown.right {
        Panel::right("right").default_size(270.0).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                if app.session.mpc.is_some() {
                    section(ui, "Planner", true, |ui| task::planner(ui, app));
                    section(ui, "Costs", true, |ui| task::weights(ui, app));
                }
                section(ui, "Control", app.session.mpc.is_none(), |ui| control::controls(ui, app));
                section(ui, "Joints", false, |ui| control::joints(ui, app));
                section(ui, "Equalities", false, |ui| control::equalities(ui, app));
            });
        });
    }
    plots::show(ui, app);
    egui::CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| {
        picture(ui, app);
        if app.shown.info {
            facts::overlay(ui, app);
        }
    });
    help::show(ui.ctx(), app);
}

/// A part of a panel under a heading.
fn section(ui: &mut Ui, name: &str, open: bool, content: impl FnOnce(&mut Ui)) {
    CollapsingHeader::new(name).default_open(open).show(ui, content);
}

/// What went wrong, in a line that can be closed.
fn notice(ui: &mut Ui, app: &mut App, line: &str) {
    ui.horizontal_wrapped(|ui| {
        if ui.small_button("x").clicked() {
            app.session.set_notice(None);
        }
        ui.colored_label(egui::Color32::from_rgb(255, 190, 90), line);
    });
}
