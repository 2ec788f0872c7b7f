//! The picture of the worlds in the window, and what the mouse does in it.

use egui::{PointerButton, Sense, Ui};
use glam::DVec3;
use manyworlds::analysis::query;
use manyworlds::error::Result;
use manyworlds::schema::Kind;
use manyworlds_render::{Canvas, Renderer, View};

use super::app::App;
use super::many::{Arrangement, tile_at};
use super::mouse::{self, Click, Drag};

/// What was drawn last, to look up what is below the pointer.
pub(super) struct Drawn<'a> {
    pub(super) renderer: &'a mut Renderer,
    pub(super) canvas: &'a Canvas,
    pub(super) views: &'a [View],
    pub(super) worlds: &'a [usize],
}

/// The picture, and what the mouse does in it; its rectangle in points.
pub(super) fn picture(
    ui: &mut Ui,
    app: &mut App,
    texture: egui::TextureId,
    drawn: &mut Drawn<'_>,
) -> egui::Rect {
    let area = ui.available_rect_before_wrap();
    let response = ui.allocate_rect(area, Sense::click_and_drag());
    let whole = egui::Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
    ui.painter().image(texture, area, whole, egui::Color32::WHITE);
    if app.many.layout == Arrangement::Grid {
        tiles(ui, app, area, drawn);
    }
    let held = ui.input(|i| i.modifiers);
    let buttons = [PointerButton::Primary, PointerButton::Secondary, PointerButton::Middle];
    for button in buttons {
        if response.double_clicked_by(button)
            && let (Some(click), Some(at)) = (mouse::click(button, held), response.interact_pointer_pos())
        {
            let scale = ui.ctx().pixels_per_point();
            let at = (at - area.min) * scale;
            let done = pick(app, click, [at.x, at.y], drawn);
            app.noted(done);
        }
        if response.drag_started_by(button)
            && let Some(Drag::Perturb(mode, _)) = mouse::drag(button, held, app.session.pull.perturb.body > 0)
        {
            let (model, data) = (app.session.model().clone(), app.session.data().clone());
            app.session.pull.perturb.begin(&model, &data, mode);
        }
        if response.dragged_by(button) {
            let moved = response.drag_delta() / area.height().max(1.0);
            dragged(app, button, held, [moved.x, moved.y]);
        }
        if response.drag_stopped_by(button) {
            app.session.pull.perturb.end();
        }
    }
    if response.hovered() {
        let notches = ui.input(|i| i.smooth_scroll_delta().y) / 50.0;
        if let Some(orbit) = app.camera.orbit_mut().filter(|_| notches != 0.0) {
            orbit.zoom(-notches);
        }
    }
    area
}

/// Numbers of the worlds in their tiles, and a frame about the chosen one.
fn tiles(ui: &Ui, app: &App, area: egui::Rect, drawn: &Drawn<'_>) {
    let scale = ui.ctx().pixels_per_point();
    for (view, world) in drawn.views.iter().zip(drawn.worlds) {
        let [x, y, width, height] = view.rect.map(|n| n as f32 / scale);
        let tile = egui::Rect::from_min_size(area.min + egui::vec2(x, y), egui::vec2(width, height));
        let (font, gray) = (egui::FontId::proportional(11.0), egui::Color32::from_white_alpha(160));
        let corner = tile.left_top() + egui::vec2(4.0, 3.0);
        ui.painter().text(corner, egui::Align2::LEFT_TOP, world.to_string(), font, gray);
        if *world == app.session.chosen() {
            let stroke = egui::Stroke::new(1.5, egui::Color32::from_rgb(255, 190, 90));
            ui.painter().rect_stroke(tile, 0.0, stroke, egui::StrokeKind::Inside);
        }
    }
}

/// A movement of the mouse with a button down, in heights of the picture.
fn dragged(app: &mut App, button: PointerButton, held: egui::Modifiers, moved: [f32; 2]) {
    // a pull goes on until the button is released, whatever becomes of the keys
    let drag = match app.session.pull.perturb.mode {
        Some(mode) => Some(Drag::Perturb(mode, held.shift)),
        None => mouse::drag(button, held, false),
    };
    let session = &mut app.session;
    match drag {
        Some(Drag::Perturb(_, level)) => {
            let at = session.pull.perturb.point(session.data());
            let height = app.camera.height_at(session.model(), session.data(), at);
            let (_, axes) = app.camera.pose(session.model(), session.data());
            let moved = moved.map(f64::from);
            session.pull.perturb.drag(moved, height, axes.x_axis, -axes.z_axis, level);
        }
        Some(Drag::Camera(drag)) => app.camera.drag(session.model(), drag, moved.into()),
        None => {}
    }
}

/// What is below a pixel, and what a double click does with it.
fn pick(app: &mut App, click: Click, [x, y]: [f32; 2], drawn: &mut Drawn<'_>) -> Result<()> {
    let size = [drawn.canvas.texture().width(), drawn.canvas.texture().height()];
    let is_grid = app.many.layout == Arrangement::Grid;
    let place = if is_grid { tile_at(drawn.worlds.len(), size, x, y) } else { Some(0) };
    let Some(view) = place.and_then(|k| drawn.views.get(k)) else { return Ok(()) };
    let [x, y] = [x, y].map(|pixel| pixel.max(0.0) as u32);
    let Some(hit) = drawn.renderer.pick(drawn.canvas, view, x, y, &app.visuals)? else {
        if click == Click::Select {
            app.session.select(0, DVec3::ZERO);
        }
        return Ok(());
    };
    if let Some(&world) = drawn.worlds.get(hit.world).filter(|w| **w != app.session.chosen()) {
        app.session.choose(world)?;
    }
    let pos = hit.pos.as_dvec3();
    // of a flex, the body of the nearest vertex
    let body = match hit.object {
        (Kind::Flex, flex) => query::flex_body(app.session.model(), app.session.data(), flex, pos.into())?,
        _ => None,
    };
    app.clicked(click, body.unwrap_or(hit.body), pos);
    Ok(())
}
