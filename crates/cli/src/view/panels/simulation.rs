//! Pause, speed, history, keyframes, camera, file.

use egui::{ComboBox, Slider, Ui};
use manyworlds::model::Model;
use manyworlds::schema::Kind;
use manyworlds_render::camera::{Camera, Orbit};

use super::super::app::App;
use super::super::keys::Action;

/// Name of an object, or its kind and number.
pub(super) fn name(model: &Model, kind: Kind, id: usize) -> String {
    model.name(kind, id).map_or_else(|| format!("{} {id}", kind.word()), str::to_owned)
}

/// The panel.
pub(super) fn show(ui: &mut Ui, app: &mut App) {
    let button = |ui: &mut Ui, app: &mut App, text: &str, action: Action| {
        if ui.button(text).clicked() {
            app.act(action);
        }
    };
    ui.horizontal(|ui| {
        let pause = if app.session.is_running() { "Pause" } else { "Run" };
        button(ui, app, pause, Action::Pause);
        button(ui, app, "Reset", Action::Reset);
        button(ui, app, "Reload", Action::Reload);
        button(ui, app, "Picture", Action::Screenshot);
    });
    ui.horizontal(|ui| {
        button(ui, app, "<", Action::Backwards(1));
        button(ui, app, ">", Action::Forwards(1));
        let (count, place) = app.session.history();
        let mut chosen = place;
        let slider = Slider::new(&mut chosen, 0..=count.saturating_sub(1)).show_value(false);
        if ui.add(slider).on_hover_text("history").changed() {
            let done = app.session.go(chosen);
            app.noted(done);
        }
        ui.label(format!("{}", place as i64 + 1 - count as i64));
    });
    ui.horizontal(|ui| {
        button(ui, app, "-", Action::Slower);
        button(ui, app, "+", Action::Faster);
        let (speed, measured) = (app.session.clock.speed, app.session.clock.measured());
        ui.label(format!("{:.1} % real time, now {:.0} %", 100.0 * speed, 100.0 * measured));
    });
    keyframes(ui, app);
    camera(ui, app);
    if app.session.model().sizes.nu > 0 && app.session.model().sizes.naction == 0 {
        ui.add(Slider::new(&mut app.session.noise.scale, 0.0..=1.0).text("control noise").max_decimals(3));
    }
    ui.horizontal(|ui| {
        button(ui, app, "Copy camera", Action::CopyCamera);
        button(ui, app, "Copy state", Action::CopyPose);
    });
}

/// Reset to a keyframe.
fn keyframes(ui: &mut Ui, app: &mut App) {
    let model = app.session.model();
    let names: Vec<String> = (0..model.sizes.nkey).map(|k| name(model, Kind::Key, k)).collect();
    let mut chosen = None;
    ComboBox::from_label("reset to").selected_text("…").show_ui(ui, |ui| {
        if ui.selectable_label(false, "initial state").clicked() {
            chosen = Some(None);
        }
        for (k, name) in names.iter().enumerate() {
            if ui.selectable_label(false, name).clicked() {
                chosen = Some(Some(k));
            }
        }
    });
    if let Some(key) = chosen {
        let done = app.session.reset(key);
        app.noted(done);
    }
}

/// Choice of the camera.
fn camera(ui: &mut Ui, app: &mut App) {
    let model = app.session.model();
    let text = match app.camera {
        Camera::Free(_) => "free".to_owned(),
        Camera::Tracking(body, _) => format!("tracks {}", name(model, Kind::Body, body)),
        Camera::Fixed(id) => name(model, Kind::Camera, id),
    };
    let names: Vec<String> = (0..model.sizes.ncam).map(|k| name(model, Kind::Camera, k)).collect();
    let (selected, orbit) = (app.session.pull.perturb.body, Orbit::of(model));
    ComboBox::from_label("camera").selected_text(text).show_ui(ui, |ui| {
        let is_free = matches!(app.camera, Camera::Free(_));
        if ui.selectable_label(is_free, "free").clicked() {
            app.act(Action::Free);
        }
        if selected > 0 && ui.selectable_label(false, "track the selected body").clicked() {
            app.camera = Camera::Tracking(selected, Orbit { lookat: glam::Vec3::ZERO, ..orbit });
        }
        for (id, name) in names.iter().enumerate() {
            ui.selectable_value(&mut app.camera, Camera::Fixed(id), name);
        }
    });
    if let Some(orbit) = app.camera.orbit_mut() {
        ui.checkbox(&mut orbit.orthographic, "orthographic");
    }
}
