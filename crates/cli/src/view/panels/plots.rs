//! Plots in windows over the picture.

use egui::{Ui, Window};
use egui_plot::{Legend, Line, Plot, PlotPoints};

use super::super::app::App;
use super::super::plots::{ENERGY, SOLVER, TIMES, sensor_name};
use super::super::series::Series;

/// Windows of plots that are open.
pub(super) fn show(ui: &Ui, app: &mut App) {
    let ctx = ui.ctx();
    let area = ctx.content_rect();
    let [right, bottom] = [area.right() - 620.0, area.bottom() - 330.0];
    let mut shown = app.shown;
    Window::new("Solver and times").open(&mut shown.timing).default_pos([right, 40.0]).show(ctx, |ui| {
        plot(ui, "solver", 130.0, SOLVER.iter().map(|n| (*n).to_owned()).zip(&app.plots.solver));
        plot(ui, "times", 130.0, TIMES.iter().map(|n| (*n).to_owned()).zip(&app.plots.times));
        if app.plots.energy.iter().any(|s| s.last().is_some()) {
            plot(ui, "energy", 130.0, ENERGY.iter().map(|n| (*n).to_owned()).zip(&app.plots.energy));
        }
    });
    let model = app.session.model();
    Window::new("Sensors").open(&mut shown.sensors).default_pos([right, bottom]).show(ctx, |ui| {
        if app.plots.sensors.is_empty() {
            ui.weak("no sensors");
        }
        let sensors = app.plots.sensors.iter().enumerate();
        plot(ui, "sensors", 220.0, sensors.map(|(k, series)| (sensor_name(model, k), series)));
    });
    if let Some(mpc) = &app.session.mpc {
        Window::new("Cost terms").open(&mut shown.costs).default_pos([right, bottom - 60.0]).show(
            ctx,
            |ui| {
                let terms = mpc.objective().running().terms().iter().map(|t| t.name.clone());
                plot(ui, "costs", 160.0, terms.zip(&app.plots.costs));
            },
        );
    }
    app.shown = shown;
}

/// Series over time.
fn plot<'a>(ui: &mut Ui, id: &str, height: f32, all: impl Iterator<Item = (String, &'a Series)>) {
    let plot = Plot::new(id).height(height).width(330.0).legend(Legend::default()).allow_scroll(false);
    plot.show(ui, |ui| {
        for (name, series) in all {
            ui.line(Line::new(name, PlotPoints::from(series.points())));
        }
    });
}
