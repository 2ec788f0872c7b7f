//! Keys and what they do: one table, from which the help sheet is made too.

use egui::{Key, Modifiers};
use manyworlds_render::visuals::Flag;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Help sheet.
    Help,
    /// Line of facts.
    Info,
    /// Plots of the solver and of times.
    Timing,
    /// Plots of sensors.
    Sensors,
    /// The whole screen.
    Fullscreen,
    /// Left panel.
    Left,
    /// Right panel.
    Right,
    /// Pause.
    Pause,
    /// Steps forwards.
    Forwards(usize),
    /// Steps back.
    Backwards(usize),
    /// Next faster speed.
    Faster,
    /// Next slower speed.
    Slower,
    /// Reset.
    Reset,
    /// Read the file again.
    Reload,
    /// Free camera.
    Free,
    /// Camera before.
    Previous,
    /// Next camera.
    Next,
    /// Free camera as at the beginning.
    Align,
    /// Camera as MJCF.
    CopyCamera,
    /// Positions as a keyframe in MJCF.
    CopyPose,
    /// Picture into a file.
    Screenshot,
    /// Parent of the selected body.
    Parent,
    /// World before.
    PreviousWorld,
    /// Next world.
    NextWorld,
    /// World with the largest number.
    Worst,
    /// Next world that has diverged.
    Diverged,
    /// Planner, or policy.
    Planner,
    /// A number of the task's first command, up or down.
    Steer(usize, bool),
    /// End.
    Quit,
    /// Visual flag.
    Flag(Flag),
    /// Group of geoms.
    Geoms(usize),
    /// Group of sites.
    Sites(usize),
}

/// A key with its modifiers, and what it does.
pub(super) struct Binding {
    /// Key.
    pub(super) key: Key,
    /// Modifiers; only those of [`MODIFIERS`] count.
    pub(super) modifiers: Modifiers,
    /// What it does.
    pub(super) action: Action,
}

const NONE: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::CTRL;
const SHIFT: Modifiers = Modifiers::SHIFT;

/// Keys for everything but flags and groups.
const KEYS: &[(Key, Modifiers, Action)] = &[
    (Key::F1, NONE, Action::Help),
    (Key::F2, NONE, Action::Info),
    (Key::F3, NONE, Action::Timing),
    (Key::F4, NONE, Action::Sensors),
    (Key::F5, NONE, Action::Fullscreen),
    (Key::Tab, NONE, Action::Left),
    (Key::Tab, SHIFT, Action::Right),
    (Key::Space, NONE, Action::Pause),
    (Key::ArrowRight, NONE, Action::Forwards(1)),
    (Key::ArrowLeft, NONE, Action::Backwards(1)),
    (Key::ArrowDown, NONE, Action::Forwards(100)),
    (Key::ArrowUp, NONE, Action::Backwards(100)),
    (Key::Equals, NONE, Action::Faster),
    (Key::Plus, NONE, Action::Faster),
    (Key::Minus, NONE, Action::Slower),
    (Key::Backspace, NONE, Action::Reset),
    (Key::L, CTRL, Action::Reload),
    (Key::Escape, NONE, Action::Free),
    (Key::OpenBracket, NONE, Action::Previous),
    (Key::CloseBracket, NONE, Action::Next),
    (Key::A, CTRL, Action::Align),
    (Key::M, CTRL, Action::CopyCamera),
    (Key::K, CTRL, Action::CopyPose),
    (Key::P, CTRL, Action::Screenshot),
    (Key::PageUp, NONE, Action::Parent),
    (Key::ArrowLeft, CTRL, Action::PreviousWorld),
    (Key::ArrowRight, CTRL, Action::NextWorld),
    (Key::W, CTRL, Action::Worst),
    (Key::D, CTRL, Action::Diverged),
    (Key::Enter, NONE, Action::Planner),
    (Key::ArrowUp, SHIFT, Action::Steer(0, true)),
    (Key::ArrowDown, SHIFT, Action::Steer(0, false)),
    (Key::PageUp, SHIFT, Action::Steer(1, true)),
    (Key::PageDown, SHIFT, Action::Steer(1, false)),
    (Key::ArrowLeft, SHIFT, Action::Steer(2, true)),
    (Key::ArrowRight, SHIFT, Action::Steer(2, false)),
    (Key::Q, CTRL, Action::Quit),
];

/// Letters of visual flags, those of MuJoCo's simulate where it has them.
const FLAGS: &[(Key, Modifiers, Flag)] = &[
    (Key::H, NONE, Flag::ConvexHull),
    (Key::X, NONE, Flag::Texture),
    (Key::J, NONE, Flag::Joint),
    (Key::Q, NONE, Flag::Camera),
    (Key::U, NONE, Flag::Actuator),
    (Key::Comma, NONE, Flag::Activation),
    (Key::Z, NONE, Flag::Light),
    (Key::V, NONE, Flag::Tendon),
    (Key::Y, NONE, Flag::Rangefinder),
    (Key::N, NONE, Flag::Constraint),
    (Key::I, NONE, Flag::Inertia),
    (Key::Quote, NONE, Flag::Scale),
    (Key::B, NONE, Flag::Perturb),
    (Key::C, NONE, Flag::ContactPoint),
    (Key::F, NONE, Flag::ContactForce),
    (Key::P, NONE, Flag::Split),
    (Key::T, NONE, Flag::Transparent),
    (Key::A, NONE, Flag::Autoconnect),
    (Key::M, NONE, Flag::Com),
    (Key::D, NONE, Flag::Static),
    (Key::Semicolon, NONE, Flag::Skin),
    (Key::S, NONE, Flag::Shadow),
    (Key::R, NONE, Flag::Reflection),
    (Key::K, NONE, Flag::Skybox),
    (Key::Slash, NONE, Flag::Haze),
    (Key::G, NONE, Flag::Fog),
    (Key::W, NONE, Flag::Wireframe),
    (Key::F6, NONE, Flag::WorldFrame),
    (Key::F7, NONE, Flag::BodyFrame),
    (Key::F8, NONE, Flag::GeomFrame),
    (Key::F9, NONE, Flag::SiteFrame),
];

/// Digits of groups.
const DIGITS: [Key; 6] = [Key::Num0, Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5];

/// All bindings.
pub(super) fn bindings() -> impl Iterator<Item = Binding> {
    let of = |(key, modifiers, action)| Binding { key, modifiers, action };
    let keys = KEYS.iter().copied().map(of);
    let flags = FLAGS.iter().map(move |&(key, modifiers, flag)| of((key, modifiers, Action::Flag(flag))));
    let digits = DIGITS.iter().enumerate();
    let groups = digits
        .flat_map(move |(k, &key)| [of((key, NONE, Action::Geoms(k))), of((key, SHIFT, Action::Sites(k)))]);
    keys.chain(flags).chain(groups)
}

/// What a pressed key asks for.
pub(super) fn action(key: Key, held: Modifiers) -> Option<Action> {
    let same = |wanted: Modifiers| {
        // plus is the shifted key of equals on many keyboards
        let shift = held.shift == wanted.shift || key == Key::Plus;
        shift && (held.ctrl || held.command) == wanted.ctrl && !held.alt
    };
    bindings().find(|b| b.key == key && same(b.modifiers)).map(|b| b.action)
}

impl Binding {
    /// The key as on a keyboard, with its modifiers.
    pub(super) fn keys(&self) -> String {
        let name = match self.key {
            Key::ArrowLeft => "Left",
            Key::ArrowRight => "Right",
            Key::ArrowUp => "Up",
            Key::ArrowDown => "Down",
            Key::OpenBracket => "[",
            Key::CloseBracket => "]",
            Key::Equals => "=",
            Key::Plus => "+",
            Key::Minus => "-",
            Key::Comma => ",",
            Key::Semicolon => ";",
            Key::Quote => "'",
            Key::Slash => "/",
            Key::PageUp => "Page up",
            Key::PageDown => "Page down",
            key => key.name(),
        };
        let ctrl = if self.modifiers.ctrl { "Ctrl " } else { "" };
        let shift = if self.modifiers.shift { "Shift " } else { "" };
        format!("{ctrl}{shift}{name}")
    }
}

impl Action {
    /// What it does, in a few words.
    pub(super) fn doc(self) -> String {
        let text = match self {
            Self::Help => "this help",
            Self::Info => "facts about the simulation",
            Self::Timing => "plots of solver and times",
            Self::Sensors => "plots of sensors",
            Self::Fullscreen => "full screen",
            Self::Left => "left panel",
            Self::Right => "right panel",
            Self::Pause => "pause, go on",
            Self::Forwards(1) => "step forwards",
            Self::Forwards(n) => return format!("{n} steps forwards"),
            Self::Backwards(1) => "step back",
            Self::Backwards(n) => return format!("{n} steps back"),
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Reset => "reset",
            Self::Reload => "read the file again",
            Self::Free => "free camera",
            Self::Previous => "camera before",
            Self::Next => "next camera",
            Self::Align => "free camera as at the beginning",
            Self::CopyCamera => "copy the camera as MJCF",
            Self::CopyPose => "copy the state as a keyframe",
            Self::Screenshot => "picture into a file",
            Self::Parent => "select the parent",
            Self::PreviousWorld => "world before",
            Self::NextWorld => "next world",
            Self::Worst => "world with the largest number",
            Self::Diverged => "next world that has diverged",
            Self::Planner => "planner or policy on, off",
            Self::Steer(k, up) => {
                return format!("number {} of the command {}", k + 1, if up { "up" } else { "down" });
            }
            Self::Quit => "end",
            Self::Flag(flag) => return flag.word().to_owned(),
            Self::Geoms(k) => return format!("geoms of group {k}"),
            Self::Sites(k) => return format!("sites of group {k}"),
        };
        text.to_owned()
    }
}

/// What the mouse does, for the help sheet.
pub(super) const MOUSE: &[(&str, &str)] = &[
    ("Left drag", "turn the camera"),
    ("Right drag", "move the camera"),
    ("Shift right drag", "move it horizontally"),
    ("Scroll, middle drag", "closer, further away"),
    ("Double click", "select a body"),
    ("Double right click", "look at a point"),
    ("Ctrl double right click", "follow a body"),
    ("Ctrl left drag", "turn the selected body"),
    ("Ctrl right drag", "pull the selected body"),
    ("Ctrl shift drag", "about the view, horizontally"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_bindings_have_the_same_keys_and_each_does_what_the_table_says() {
        let all: Vec<Binding> = bindings().collect();
        assert!(all.len() > 60);
        for (k, a) in all.iter().enumerate() {
            assert_eq!(action(a.key, a.modifiers), Some(a.action), "{}", a.keys());
            assert!(!a.keys().is_empty() && !a.action.doc().is_empty());
            for b in &all[k + 1..] {
                assert!(a.key != b.key || a.modifiers != b.modifiers, "{}", a.keys());
            }
        }
    }

    #[test]
    fn keys_with_other_modifiers_do_something_else_or_nothing() {
        assert_eq!(action(Key::P, Modifiers::NONE), Some(Action::Flag(Flag::Split)));
        assert_eq!(action(Key::P, Modifiers::CTRL), Some(Action::Screenshot));
        assert_eq!(action(Key::P, Modifiers::CTRL | Modifiers::COMMAND), Some(Action::Screenshot));
        assert_eq!(action(Key::P, Modifiers::ALT), None);
        assert_eq!(action(Key::Plus, Modifiers::SHIFT), Some(Action::Faster));
        assert_eq!(action(Key::Tab, Modifiers::SHIFT), Some(Action::Right));
        assert_eq!(action(Key::Num3, Modifiers::SHIFT), Some(Action::Sites(3)));
    }
}
