//! What the buttons of a mouse do in the picture.

use egui::{Modifiers, PointerButton};
use manyworlds::analysis::perturb::Mode;
use manyworlds_render::interaction;

/// What a drag does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Drag {
    /// Moves the camera.
    Camera(interaction::Drag),
    /// Pulls or turns the selected body, horizontally or about the view if `true`.
    Perturb(Mode, bool),
}

/// What a double click does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Click {
    /// Selects a body.
    Select,
    /// Looks at a point.
    LookAt,
    /// Follows a body.
    Track,
}

/// What a drag does, by its button and the held keys; `selected`: a body is selected.
pub(super) fn drag(button: PointerButton, held: Modifiers, selected: bool) -> Option<Drag> {
    let perturbs = selected && (held.ctrl || held.command);
    Some(match button {
        PointerButton::Primary if perturbs => Drag::Perturb(Mode::Rotate, held.shift),
        PointerButton::Secondary if perturbs => Drag::Perturb(Mode::Translate, held.shift),
        PointerButton::Primary => Drag::Camera(interaction::Drag::Rotate),
        PointerButton::Secondary if held.shift => Drag::Camera(interaction::Drag::PanHorizontal),
        PointerButton::Secondary => Drag::Camera(interaction::Drag::Pan),
        PointerButton::Middle => Drag::Camera(interaction::Drag::Zoom),
        _ => return None,
    })
}

/// What a double click does.
pub(super) fn click(button: PointerButton, held: Modifiers) -> Option<Click> {
    match button {
        PointerButton::Primary => Some(Click::Select),
        PointerButton::Secondary if held.ctrl || held.command => Some(Click::Track),
        PointerButton::Secondary => Some(Click::LookAt),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buttons_and_keys_are_those_of_simulate() {
        let (none, ctrl, shift) = (Modifiers::NONE, Modifiers::CTRL, Modifiers::SHIFT);
        assert_eq!(drag(PointerButton::Primary, none, true), Some(Drag::Camera(interaction::Drag::Rotate)));
        assert_eq!(
            drag(PointerButton::Secondary, shift, true),
            Some(Drag::Camera(interaction::Drag::PanHorizontal))
        );
        assert_eq!(drag(PointerButton::Primary, ctrl, true), Some(Drag::Perturb(Mode::Rotate, false)));
        assert_eq!(
            drag(PointerButton::Secondary, ctrl | shift, true),
            Some(Drag::Perturb(Mode::Translate, true))
        );
        // without a selection control changes nothing
        assert_eq!(drag(PointerButton::Secondary, ctrl, false), Some(Drag::Camera(interaction::Drag::Pan)));
        assert_eq!(drag(PointerButton::Middle, none, false), Some(Drag::Camera(interaction::Drag::Zoom)));
        assert_eq!(click(PointerButton::Primary, none), Some(Click::Select));
        assert_eq!(click(PointerButton::Secondary, none), Some(Click::LookAt));
        assert_eq!(click(PointerButton::Secondary, ctrl), Some(Click::Track));
    }
}
