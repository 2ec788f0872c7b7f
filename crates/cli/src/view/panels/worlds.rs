//! Many worlds: which are seen, their colours, the chosen one.

use egui::{ComboBox, DragValue, Slider, Ui};

use super::super::app::App;
use super::super::keys::Action;
use super::super::many::{Arrangement, Colour, MOST, range};

/// The panel.
pub(super) fn show(ui: &mut Ui, app: &mut App) {
    let worlds = app.session.worlds();
    ui.horizontal(|ui| {
        let mut chosen = app.session.chosen();
        ui.label("world");
        if ui.add(DragValue::new(&mut chosen).range(0..=worlds - 1).speed(0.2)).changed() {
            let done = app.session.choose(chosen);
            app.noted(done);
        }
        ui.label(format!("of {worlds}"));
        if ui.button("worst").clicked() {
            app.act(Action::Worst);
        }
        if ui.button("diverged").clicked() {
            app.act(Action::Diverged);
        }
    });
    ui.horizontal(|ui| {
        for (name, layout) in Arrangement::ALL {
            ui.selectable_value(&mut app.many.layout, layout, name);
        }
    });
    if app.many.layout != Arrangement::One {
        let most = worlds.min(MOST);
        ui.add(Slider::new(&mut app.many.count, 1..=most).text("shown"));
        ui.add(Slider::new(&mut app.many.first, 0..=worlds - app.many.count.min(worlds)).text("first"));
    }
    let text = Colour::ALL.iter().find(|(_, c)| *c == app.many.colour).map_or("", |(name, _)| name);
    ComboBox::from_label("colour by").selected_text(text).show_ui(ui, |ui| {
        for (name, colour) in Colour::ALL {
            ui.selectable_value(&mut app.many.colour, colour, name);
        }
    });
    if app.many.colour == Colour::Field {
        ui.horizontal(|ui| {
            ui.add(egui::TextEdit::singleline(&mut app.many.field).desired_width(120.0));
            ui.add(DragValue::new(&mut app.many.place).speed(0.1));
        });
    }
    match &app.many.problem {
        Some(why) => ui.weak(why),
        None => match range(&app.many.values) {
            [low, high] if low <= high => ui.weak(format!("{low:.4} to {high:.4}")),
            _ => ui.weak(""),
        },
    };
}
