//! What the window holds: the simulation, and how it is looked at; and what actions do.

use std::path::PathBuf;

use glam::DVec3;
use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::model::state::keyframe_fields;
use manyworlds::schema::Kind;
use manyworlds_render::camera::{Camera, Orbit};
use manyworlds_render::visuals::Visuals;

use super::carry;
use super::keys::Action;
use super::many::Many;
use super::mouse::Click;
use super::plots::Plots;
use super::session::Session;
use super::traces::{self, Traced};

/// Parts of the window that are shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panels {
    pub(super) left: bool,
    pub(super) right: bool,
    pub(super) help: bool,
    pub(super) info: bool,
    pub(super) timing: bool,
    pub(super) sensors: bool,
    pub(super) costs: bool,
}

/// A field and a number of it that is watched.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) field: String,
    pub(super) place: usize,
}

/// Everything behind the window.
pub(crate) struct App {
    pub(crate) session: Session,
    pub(super) camera: Camera,
    pub(super) visuals: Visuals,
    pub(super) shown: Panels,
    pub(super) many: Many,
    pub(super) plots: Plots,
    pub(super) watch: Watch,
    /// Seconds of the last picture, and pictures a second.
    pub(super) picture: f64,
    pub(crate) rate: f64,
    /// Adapter that draws.
    pub(crate) adapter: String,
    /// True if bodies are traced along the plan.
    pub(super) traces_on: bool,
    pub(super) traces: Vec<Vec<DVec3>>,
    traced: (u64, usize, u64),
    /// Folder for pictures, and the next one to be written.
    pub(super) folder: PathBuf,
    pub(super) shot: Option<PathBuf>,
    pub(crate) shots: usize,
    /// Text for the clipboard.
    pub(super) copied: Option<String>,
    pub(super) fullscreen: bool,
    pub(super) quit: bool,
}

impl App {
    /// A window on a simulation.
    pub(crate) fn new(session: Session, camera: Camera, folder: PathBuf) -> Self {
        let worlds = session.worlds();
        let is_task = session.mpc.is_some();
        let left = true;
        Self {
            camera,
            visuals: Visuals::default(),
            shown: Panels {
                left,
                right: true,
                help: false,
                info: true,
                timing: false,
                sensors: false,
                costs: is_task,
            },
            many: Many::new(worlds),
            plots: Plots::default(),
            watch: Watch { field: "qpos".to_owned(), place: 0 },
            picture: 0.0,
            rate: 0.0,
            adapter: String::new(),
            traces_on: true,
            traces: Vec::new(),
            traced: (0, 0, 0),
            folder,
            shot: None,
            shots: 0,
            copied: None,
            fullscreen: false,
            quit: false,
            session,
        }
    }

    /// Does something; what goes wrong is shown in a line.
    pub(super) fn act(&mut self, action: Action) {
        let done = self.try_act(action);
        self.noted(done);
    }

    /// Shows what went wrong in a line.
    pub(super) fn noted(&mut self, done: Result<()>) {
        if let Err(error) = done {
            self.session.failed(&error);
        }
    }

    fn try_act(&mut self, action: Action) -> Result<()> {
        let shown = &mut self.shown;
        match action {
            Action::Help => shown.help = !shown.help,
            Action::Info => shown.info = !shown.info,
            Action::Timing => shown.timing = !shown.timing,
            Action::Sensors => shown.sensors = !shown.sensors,
            Action::Left => shown.left = !shown.left,
            Action::Right => shown.right = !shown.right,
            Action::Fullscreen => self.fullscreen = !self.fullscreen,
            Action::Pause => self.session.pause(self.session.is_running()),
            Action::Forwards(n) => (0..n).try_for_each(|_| self.session.forwards())?,
            Action::Backwards(1) => self.session.backwards()?,
            Action::Backwards(n) => self.session.go(self.session.history().1.saturating_sub(n))?,
            Action::Faster => self.session.clock.change(true),
            Action::Slower => self.session.clock.change(false),
            Action::Reset => self.session.reset_again()?,
            Action::Reload => self.reload(true)?,
            Action::Free => self.camera = Camera::Free(self.orbit()),
            Action::Previous => self.cycle(false),
            Action::Next => self.cycle(true),
            Action::Align => self.camera = Camera::Free(Orbit::of(self.session.model())),
            Action::CopyCamera => {
                self.copy(camera_text(&self.camera, self.session.model(), self.session.data()));
            }
            Action::CopyPose => self.copy(pose_text(self.session.data())),
            Action::Screenshot => self.shoot(),
            Action::Parent => self.select_parent(),
            Action::PreviousWorld => self.session.choose(self.session.chosen().saturating_sub(1))?,
            Action::NextWorld => self.session.choose(self.session.chosen() + 1)?,
            Action::Worst => {
                if let Some(world) = self.many.worst() {
                    self.session.choose(world)?;
                }
            }
            Action::Diverged => self.choose_diverged()?,
            Action::Steer(number, up) => self.session.steer(number, up)?,
            Action::Planner => {
                let acts = self.session.acting().by_policy();
                self.session.let_policy(!acts);
                if let Some(mpc) = &mut self.session.mpc {
                    mpc.set_on(!mpc.is_on());
                    if !mpc.is_on() {
                        self.session.clear_controls()?;
                    }
                }
            }
            Action::Quit => self.quit = true,
            Action::Flag(flag) => self.visuals.set(flag, !self.visuals.has(flag)),
            Action::Geoms(k) => self.visuals.geoms[k] = !self.visuals.geoms[k],
            Action::Sites(k) => self.visuals.sites[k] = !self.visuals.sites[k],
        }
        Ok(())
    }

    /// Copies a text, and shows it.
    fn copy(&mut self, text: String) {
        self.session.set_notice(Some(format!("copied: {text}")));
        self.copied = Some(text);
    }

    /// Reads the file again, if it has changed or if asked to, and keeps the camera.
    pub(super) fn reload(&mut self, always: bool) -> Result<()> {
        let old = self.session.model().clone();
        let is_new = if always { self.session.reload()? } else { self.session.reload_if_changed()? };
        if is_new {
            let new = self.session.model();
            self.camera = match self.camera {
                Camera::Free(orbit) => Camera::Free(orbit),
                Camera::Fixed(id) => carry::counterpart(&old, new, Kind::Camera, id)
                    .map_or_else(|| Camera::initial(new), Camera::Fixed),
                Camera::Tracking(body, orbit) => carry::counterpart(&old, new, Kind::Body, body)
                    .map_or(Camera::Free(Orbit::of(new)), |id| Camera::Tracking(id, orbit)),
            };
        }
        Ok(())
    }

    /// Writes a picture into the next file.
    fn shoot(&mut self) {
        // asked twice for the same frame, it is one picture
        if self.shot.is_none() {
            self.shot = Some(self.folder.join(format!("view-{}.png", self.shots)));
            self.shots += 1;
        }
    }

    /// The orbit of a free camera where this one is.
    fn orbit(&self) -> Orbit {
        self.camera.to_orbit(self.session.model(), self.session.data())
    }

    /// The next camera, or the one before.
    fn cycle(&mut self, forwards: bool) {
        self.camera = self.camera.next(self.session.model(), self.session.data(), forwards);
    }

    fn select_parent(&mut self) {
        let body = self.session.pull.perturb.body;
        let parent = self.session.model().body_parentid.get(body).map_or(0, |p| *p as usize);
        let at = DVec3::from_slice(&self.session.data().xipos[3 * parent..]);
        self.session.select(parent, at);
    }

    fn choose_diverged(&mut self) -> Result<()> {
        let all = self.session.diverged()?;
        let (count, now) = (all.len(), self.session.chosen());
        let next = (1..=count).map(|k| (now + k) % count).find(|w| all[*w]);
        match next {
            Some(world) => self.session.choose(world)?,
            None => self.session.set_notice(Some("no world has diverged".to_owned())),
        }
        Ok(())
    }

    /// A double click on a point of a body.
    pub(super) fn clicked(&mut self, click: Click, body: usize, point: DVec3) {
        match click {
            Click::Select => self.session.select(body, point),
            Click::LookAt => self.camera = Camera::Free(Orbit { lookat: point.as_vec3(), ..self.orbit() }),
            // the world does not move
            Click::Track if body == 0 => {}
            Click::Track => {
                self.camera = Camera::Tracking(body, Orbit { lookat: glam::Vec3::ZERO, ..self.orbit() });
            }
        }
    }

    /// Traces of the plan in force, computed when there is a new one.
    pub(super) fn trace(&mut self) {
        let Some(mpc) = self.session.mpc.as_ref().filter(|mpc| self.traces_on && mpc.is_on()) else {
            self.traces.clear();
            self.traced = (0, 0, 0);
            return;
        };
        let now = (mpc.iteration().1, self.session.pull.perturb.body, self.session.generation());
        if self.traced != now {
            let model = self.session.model();
            let points: Vec<Traced> = traces::points(model, self.session.pull.perturb.body);
            self.traces = traces::traces(model, self.session.data(), mpc.path(), &points);
            self.traced = now;
        }
    }
}

/// Numbers for a file: short, as they are read again.
fn numbers(all: impl IntoIterator<Item = f64>) -> String {
    // no minus before a zero
    let text = all.into_iter().map(|x| ((1e5 * x).round() / 1e5 + 0.0).to_string());
    text.collect::<Vec<_>>().join(" ")
}

/// A camera as an element of MJCF.
fn camera_text(camera: &Camera, model: &Model, data: &manyworlds::model::data::Data) -> String {
    let (pos, axes) = camera.pose(model, data);
    let all = |v: glam::Vec3| v.to_array().map(f64::from);
    let axes = numbers(all(axes.x_axis).into_iter().chain(all(axes.y_axis)));
    let (fovy, orthographic) = camera.fovy(model);
    let projection = if orthographic { " projection=\"orthographic\"" } else { "" };
    format!("<camera pos=\"{}\" xyaxes=\"{axes}\" fovy=\"{fovy}\"{projection}/>", numbers(all(pos)))
}

/// A state as a keyframe of MJCF.
fn pose_text(data: &manyworlds::model::data::Data) -> String {
    let attributes = keyframe_fields().filter_map(|(field, key)| {
        let values = data.get(field.name)?.to_f64();
        let name = key.name.strip_prefix("key_").filter(|_| !values.is_empty())?;
        Some(format!(" {name}=\"{}\"", numbers(values)))
    });
    format!("<key{}/>", attributes.collect::<String>())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::batch::{Backend, BatchOptions};
    use manyworlds_render::visuals::Flag;

    fn app() -> App {
        let text = "<mujoco><worldbody><camera name='side' pos='0 -2 1' xyaxes='1 0 0 0 0 1' fovy='60'/>\
            <body name='a' pos='0 0 1'><freejoint/><geom size='.1'/><body name='b' pos='.5 0 0'><joint/>\
            <geom size='.1'/></body></body></worldbody></mujoco>";
        let model = manyworlds::load_str(text).unwrap();
        let session = Session::new(&model, None, 3, &BatchOptions::on(Backend::Cpu), None).unwrap();
        App::new(session, Camera::initial(&model), PathBuf::from("."))
    }

    #[test]
    fn actions_do_what_they_say() {
        let mut app = app();
        app.act(Action::Pause);
        assert!(!app.session.is_running());
        app.act(Action::Forwards(100));
        assert!((app.session.data().time[0] - 0.2).abs() < 1e-9);
        app.act(Action::Backwards(40));
        assert_eq!(app.session.history(), (101, 60));
        app.act(Action::Next);
        assert_eq!(app.camera, Camera::Fixed(0));
        app.act(Action::Next);
        assert!(matches!(app.camera, Camera::Free(_)));
        app.act(Action::Previous);
        app.act(Action::CopyCamera);
        assert_eq!(
            app.copied.as_deref(),
            Some("<camera pos=\"0 -2 1\" xyaxes=\"1 0 0 0 0 1\" fovy=\"60\"/>")
        );
        app.act(Action::Flag(Flag::ContactForce));
        app.act(Action::Geoms(3));
        assert!(app.visuals.has(Flag::ContactForce) && app.visuals.geoms[3]);
        app.act(Action::NextWorld);
        assert_eq!(app.session.chosen(), 1);
        (0..9).for_each(|_| app.act(Action::NextWorld));
        assert_eq!(app.session.chosen(), 2);
        app.act(Action::Diverged);
        assert!(app.session.notice().is_some_and(|n| n.contains("no world")));
        app.act(Action::Reset);
        assert_eq!((app.session.data().time[0], app.session.resets()), (0.0, 1));
        app.act(Action::Screenshot);
        assert!(app.shot.as_ref().is_some_and(|p| p.ends_with("view-0.png")));
        app.act(Action::Quit);
        assert!(app.quit);
    }

    #[test]
    fn clicks_select_look_and_follow() {
        let mut app = app();
        app.clicked(Click::Select, 2, DVec3::new(0.5, 0.0, 1.0));
        assert_eq!(app.session.pull.perturb.body, 2);
        app.act(Action::Parent);
        assert_eq!(app.session.pull.perturb.body, 1);
        app.clicked(Click::LookAt, 1, DVec3::new(0.1, 0.2, 0.3));
        assert!(matches!(app.camera, Camera::Free(o) if (o.lookat.z - 0.3).abs() < 1e-6));
        app.clicked(Click::Track, 1, DVec3::ZERO);
        assert!(matches!(app.camera, Camera::Tracking(1, _)));
        // a free camera stays where the tracking one was
        app.act(Action::Free);
        assert!(matches!(app.camera, Camera::Free(o) if o.lookat.z > 0.5));
    }

    #[test]
    fn a_copied_state_is_a_keyframe_that_compiles() {
        let mut app = app();
        app.act(Action::Forwards(100));
        app.act(Action::CopyPose);
        let key = app.copied.unwrap();
        assert!(key.starts_with("<key time=\"0.2\" qpos=\"0 0 0."), "{key}");
        let text = format!(
            "<mujoco><worldbody><body><freejoint/><geom size='.1'/><body><joint/><geom size='.1'/></body></body>\
             </worldbody><keyframe>{key}</keyframe></mujoco>"
        );
        assert_eq!(manyworlds::load_str(&text).unwrap().sizes.nkey, 1);
    }
}
