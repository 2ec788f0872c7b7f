//! The window from outside: started under Xvfb, driven by keys and mouse, looked at by the pictures that it takes.

#![cfg(feature = "view")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longest wait for anything: software adapters and machines with much to do are slow.
const PATIENCE: Duration = Duration::from_secs(120);

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn model(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).to_str().unwrap().to_owned()
}

/// Waits until something is there.
fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "{what} did not come");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Manifest of lavapipe, which draws into windows; SwiftShader as packaged does not.
fn lavapipe() -> PathBuf {
    let folder =
        std::fs::read_dir("/usr/share/vulkan/icd.d").expect("no Vulkan drivers: install mesa-vulkan-drivers");
    let mut found = folder.map(|f| f.unwrap().path());
    found
        .find(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lvp_icd")))
        .expect("no lavapipe: install mesa-vulkan-drivers")
}

/// A display that nobody sees.
struct Display {
    server: Child,
    name: String,
    /// Windows are open one at a time: they would draw each other's time away.
    _alone: MutexGuard<'static, ()>,
}

impl Display {
    fn new() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"])
            // a server that begins anew when its last client goes refuses the next one for a while
            .arg("-noreset")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("no Xvfb: install xvfb");
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { server, name: format!(":{}", line.trim()), _alone: alone }
    }

    /// The command on this display.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
        command.args(arguments).env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY");
        command.env("VK_DRIVER_FILES", lavapipe()).env("VK_ICD_FILENAMES", lavapipe());
        command
    }

    fn xdotool(&self, arguments: &[&str]) -> Output {
        let tool = Command::new("xdotool").args(arguments).env("DISPLAY", &self.name).output();
        tool.expect("no xdotool: install xdotool")
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A window that is open, with a folder for its pictures.
struct Viewer {
    display: Display,
    child: Option<Child>,
    window: String,
    folder: tempfile::TempDir,
    pictures: usize,
    /// About the time of a frame.
    beat: Duration,
}

/// Pixels of a picture, three bytes each, and its width.
struct Picture {
    rgb: Vec<[u8; 3]>,
    width: usize,
}

impl Picture {
    fn read(path: &Path) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().ok()?;
        let mut pixels = vec![0; reader.output_buffer_size()?];
        let info = reader.next_frame(&mut pixels).ok()?;
        let rgb = pixels[..info.buffer_size()].chunks_exact(4).map(|p| [p[0], p[1], p[2]]).collect();
        Some(Self { rgb, width: info.width as usize })
    }

    /// Pixels of a rectangle, in shares of width and height.
    fn part(&self, [left, top, right, bottom]: [f64; 4]) -> Vec<[u8; 3]> {
        let height = self.rgb.len() / self.width;
        let at = |share: f64, of: usize| (share * of as f64) as usize;
        let rows = at(top, height)..at(bottom, height);
        rows.flat_map(|y| {
            let row = &self.rgb[self.width * y..self.width * (y + 1)];
            row[at(left, self.width)..at(right, self.width)].to_vec()
        })
        .collect()
    }

    /// Number of different colours in a part.
    fn colours(&self, part: [f64; 4]) -> usize {
        let mut all = self.part(part);
        all.sort_unstable();
        all.dedup();
        all.len()
    }

    /// Share of the pixels of a part that differ clearly.
    fn difference(&self, other: &Self, part: [f64; 4]) -> f64 {
        let (a, b) = (self.part(part), other.part(part));
        assert_eq!(a.len(), b.len());
        let differs = |(a, b): &(&[u8; 3], &[u8; 3])| a.iter().zip(*b).any(|(x, y)| x.abs_diff(*y) > 12);
        a.iter().zip(&b).filter(differs).count() as f64 / a.len() as f64
    }
}

/// The picture between the panels, without the facts at its lower left.
const MIDDLE: [f64; 4] = [0.25, 0.05, 0.78, 0.7];

impl Viewer {
    /// Opens a window, and waits until it has drawn its first picture.
    fn open(arguments: &[&str]) -> Self {
        let (display, folder) = (Display::new(), tempfile::tempdir().unwrap());
        let pictures = folder.path().to_str().unwrap().to_owned();
        let all = [&["view", "--format", "json", "--pictures", &pictures], arguments].concat();
        let child = display.command(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut viewer = Self {
            display,
            child: Some(child),
            window: String::new(),
            folder,
            pictures: 0,
            beat: Duration::ZERO,
        };
        viewer.window = wait_for("the window", || {
            if let Some(child) = &mut viewer.child
                && child.try_wait().unwrap().is_some()
            {
                let done = viewer.child.take().unwrap().wait_with_output().unwrap();
                panic!("it ended: {}", text(&done.stderr));
            }
            let found = viewer.display.xdotool(&["search", "--onlyvisible", "--name", "^manyworlds: "]);
            text(&found.stdout).lines().next().map(str::to_owned)
        });
        viewer.display.xdotool(&["windowfocus", "--sync", &viewer.window]);
        // it answers
        viewer.picture();
        viewer
    }

    fn key(&self, keys: &str) {
        assert!(self.display.xdotool(&["key", "--delay", "60", keys]).status.success());
        std::thread::sleep(Duration::from_millis(50));
    }

    /// Pixel of a place in shares of the window.
    fn place(&self, x: f64, y: f64) -> [String; 2] {
        [(1280.0 * x) as i32, (800.0 * y) as i32].map(|n| n.to_string())
    }

    fn drag(&self, button: &str, from: [f64; 2], to: [f64; 2]) {
        let [x, y] = self.place(from[0], from[1]);
        self.display.xdotool(&["mousemove", "--sync", &x, &y]);
        self.rest();
        self.display.xdotool(&["mousedown", button]);
        self.rest();
        for k in 1..=4 {
            let share = f64::from(k) / 4.0;
            let [x, y] = self.place(from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1]));
            self.display.xdotool(&["mousemove", "--sync", &x, &y]);
            self.rest();
        }
        self.rest();
        self.display.xdotool(&["mouseup", button]);
        self.rest();
    }

    fn double_click(&self, button: &str, at: [f64; 2]) {
        let [x, y] = self.place(at[0], at[1]);
        self.display.xdotool(&["mousemove", "--sync", &x, &y]);
        self.rest();
        self.display.xdotool(&["click", "--repeat", "2", "--delay", "80", button]);
        self.rest();
    }

    /// The window as it is. Also measures how long a frame takes, to which everything else keeps.
    fn picture(&mut self) -> Picture {
        let path = self.folder.path().join(format!("view-{}.png", self.pictures));
        let mut asked: Option<Instant> = None;
        let picture = wait_for("a picture", || {
            // the first key may come before the window has the focus
            if !path.exists() && asked.is_none_or(|at| at.elapsed() > Duration::from_secs(20)) {
                self.display.xdotool(&["windowfocus", &self.window]);
                self.display.xdotool(&["key", "ctrl+p"]);
                asked = Some(Instant::now());
            }
            Picture::read(&path)
        });
        let took = asked.map_or(Duration::ZERO, |at| at.elapsed());
        self.beat = took.clamp(Duration::from_millis(150), Duration::from_secs(3));
        self.pictures += 1;
        if let Some(folder) = std::env::var_os("MANYWORLDS_TEST_PICTURES") {
            let name = std::thread::current().name().unwrap_or("view").to_owned();
            let to = Path::new(&folder).join(format!("view-{name}-{}.png", self.pictures));
            std::fs::copy(&path, to).unwrap();
        }
        picture
    }

    /// Waits until the window looks as it should.
    fn until(&mut self, what: &str, mut is_so: impl FnMut(&Picture) -> bool) -> Picture {
        let begin = Instant::now();
        loop {
            let picture = self.picture();
            if is_so(&picture) {
                return picture;
            }
            assert!(begin.elapsed() < PATIENCE, "{what}");
            std::thread::sleep(self.beat);
        }
    }

    /// Waits for a few frames.
    fn rest(&self) {
        std::thread::sleep(2 * self.beat);
    }

    /// Ends it by its key; what it says was done.
    fn quit(mut self) -> Value {
        let mut child = self.child.take().unwrap();
        wait_for("the end", || {
            self.display.xdotool(&["windowfocus", &self.window]);
            self.display.xdotool(&["key", "ctrl+q"]);
            std::thread::sleep(Duration::from_millis(500));
            child.try_wait().unwrap()
        });
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        assert!(!text(&done.stderr).contains("panicked"), "{}", text(&done.stderr));
        serde_json::from_str(text(&done.stdout).lines().last().unwrap()).unwrap()
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A model in a file: a large ball that floats before the camera, without gravity.
fn ball(folder: &Path) -> PathBuf {
    let path = folder.join("ball.xml");
    let text = "<mujoco><option gravity='0 0 0'/><visual><global azimuth='90' elevation='0'/></visual>\
        <statistic center='0 0 0' extent='1'/><worldbody><light pos='0 -2 3' dir='0 .5 -1'/>\
        <body name='ball'><freejoint/><geom size='.3' rgba='.9 .3 .2 1'/><geom type='box' size='.35 .05 .05' rgba='.2 .4 .9 1'/>\
        </body></worldbody></mujoco>";
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_model_falls_pauses_and_is_reset() {
    let mut viewer = Viewer::open(&[&model("humanoid.xml"), "--keyframe", "none"]);
    let first = viewer.picture();
    assert!(first.colours(MIDDLE) > 30, "{} colours", first.colours(MIDDLE));
    viewer.until("nothing moved", |now| first.difference(now, MIDDLE) > 0.001);
    viewer.key("space");
    let paused = viewer.picture();
    let still = viewer.picture();
    assert!(paused.difference(&still, MIDDLE) < 1e-4, "it moves while paused");
    viewer.key("BackSpace");
    let reset = viewer.picture();
    assert!(paused.difference(&reset, MIDDLE) > 0.001, "nothing was reset");
    let done = viewer.quit();
    assert!(done["steps"].as_u64().unwrap() > 20 && done["resets"] == 1, "{done}");
    assert_eq!(done["time"], 0.0);
}

#[test]
fn a_mouse_selects_turns_and_pulls() {
    let folder = tempfile::tempdir().unwrap();
    let path = ball(folder.path());
    let mut viewer = Viewer::open(&[path.to_str().unwrap()]);
    viewer.key("Tab");
    viewer.key("shift+Tab");
    let before = viewer.picture();
    // a drag turns the camera
    viewer.drag("1", [0.7, 0.2], [0.75, 0.35]);
    let turned = viewer.until("the camera did not turn", |now| before.difference(now, MIDDLE) > 0.005);
    // a ball marks the selected point; clicks that come in different frames may be too slow for a double one
    let begin = Instant::now();
    let selected = loop {
        viewer.double_click("1", [0.5, 0.5]);
        let now = viewer.picture();
        if turned.difference(&now, MIDDLE) > 0.005 {
            break now;
        }
        assert!(begin.elapsed() < PATIENCE, "the ball was not selected");
    };
    // a pull moves the ball
    viewer.display.xdotool(&["keydown", "ctrl"]);
    viewer.drag("3", [0.5, 0.5], [0.7, 0.5]);
    viewer.display.xdotool(&["keyup", "ctrl"]);
    viewer.until("the ball was not pulled", |now| selected.difference(now, MIDDLE) > 0.02);
    let done = viewer.quit();
    assert_eq!(done["selected"], 1, "{done}");
}

#[test]
fn steps_go_forth_and_back_and_panels_open_and_close() {
    let mut viewer = Viewer::open(&[&model("cartpole.xml"), "--paused"]);
    let panels = viewer.picture();
    (0..5).for_each(|_| viewer.key("Right"));
    (0..2).for_each(|_| viewer.key("Left"));
    for key in ["Tab", "shift+Tab", "F2"] {
        viewer.key(key);
    }
    let bare = viewer.picture();
    let (left, right) = ([0.0, 0.0, 0.15, 0.5], [0.88, 0.0, 1.0, 0.5]);
    assert!(panels.difference(&bare, left) > 0.05 && panels.difference(&bare, right) > 0.02);
    for key in ["F1", "F3", "F4", "F1", "F3", "F4", "1", "shift+2", "j", "w", "w", "bracketright", "Escape"] {
        viewer.key(key);
    }
    let again = viewer.picture();
    assert!(again.colours([0.3, 0.1, 0.7, 0.9]) > 3);
    let done = viewer.quit();
    // five forth and two back
    let steps = done["time"].as_f64().unwrap() / 0.01;
    assert_eq!((done["steps"].as_u64(), done["resets"].as_u64()), (Some(5), Some(0)), "{done}");
    assert!((steps - 3.0).abs() < 1e-6, "{done}");
}

#[test]
fn a_window_survives_being_hidden_and_made_as_small_as_can_be() {
    let mut viewer = Viewer::open(&[&model("pendulum.xml")]);
    for size in [["1", "1"], ["40", "300"], ["700", "2"], ["1000", "700"]] {
        viewer.display.xdotool(&["windowsize", &viewer.window, size[0], size[1]]);
        std::thread::sleep(Duration::from_millis(700));
    }
    viewer.display.xdotool(&["windowunmap", &viewer.window]);
    std::thread::sleep(Duration::from_secs(1));
    viewer.display.xdotool(&["windowmap", "--sync", &viewer.window]);
    std::thread::sleep(Duration::from_millis(500));
    let picture = viewer.picture();
    assert_eq!(picture.width, 1000);
    assert!(picture.colours([0.0, 0.0, 1.0, 1.0]) > 30);
    viewer.quit();
}

#[test]
fn many_worlds_are_tiles_and_a_changed_file_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = ball(folder.path());
    let mut viewer = Viewer::open(&[path.to_str().unwrap(), "--worlds", "9"]);
    let tiles = viewer.picture();
    let old = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, old.replace("size='.3'", "size='bad'")).unwrap();
    // a line below says why
    viewer.until("no notice is shown", |now| tiles.difference(now, [0.0, 0.975, 1.0, 1.0]) > 0.005);
    std::fs::write(&path, old.replace("size='.3'", "size='.6'")).unwrap();
    viewer.until("the new file is not seen", |now| tiles.difference(now, MIDDLE) > 0.03);
    viewer.key("ctrl+Right");
    let done = viewer.quit();
    assert_eq!((done["worlds"].as_u64(), done["world"].as_u64()), (Some(9), Some(1)), "{done}");
}

#[test]
fn a_planner_moves_a_task_while_the_window_goes_on() {
    let mut viewer = Viewer::open(&[&model("tasks/cartpole.xml")]);
    let before = viewer.picture();
    viewer.until("nothing moved", |now| before.difference(now, MIDDLE) > 0.001);
    std::thread::sleep(Duration::from_secs(3));
    let done = viewer.quit();
    assert!(done["plans"].as_u64().unwrap() > 2, "{done}");
}

/// Standard error of a refused run.
fn refused(command: &mut Command) -> String {
    let done = command.output().unwrap();
    let message = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{message}");
    assert!(!message.contains("panicked"), "{message}");
    message
}

#[test]
fn bad_arguments_are_refused_in_one_message_and_no_window_opens() {
    let pendulum = model("pendulum.xml");
    let command = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
        command.arg("view").args(arguments).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command.env_remove("WAYLAND_SOCKET");
        command
    };
    let message = refused(&mut command(&[&pendulum]));
    assert!(
        message.contains("DISPLAY") && message.contains("WAYLAND_DISPLAY") && message.contains("render"),
        "{message}"
    );
    let message = refused(command(&[&pendulum]).env("DISPLAY", ":4711"));
    assert!(message.contains("no display") && !message.contains(".rs"), "{message}");
    assert!(refused(&mut command(&["no_such_file.xml"])).contains("no_such_file.xml"));
    let message = refused(&mut command(&[&pendulum, "--camera", "behind"]));
    assert!(message.contains("no camera 'behind'"), "{message}");
    assert!(refused(&mut command(&[&pendulum, "--size", "9"])).contains("WIDTHxHEIGHT"));
    assert!(refused(&mut command(&[&pendulum, "--pictures", "/no/such/folder"])).contains("no such folder"));
    assert!(refused(&mut command(&[&pendulum, "--worlds", "0", "--paused"])).contains("world"));
    // a task whose costs are none
    let folder = tempfile::tempdir().unwrap();
    let task = folder.path().join("task.xml");
    std::fs::write(&task, "<mujoco><custom><numeric name='agent_horizon' data='1'/></custom></mujoco>")
        .unwrap();
    let message = refused(&mut command(&[task.to_str().unwrap()]));
    assert!(message.contains("no cost"), "{message}");
    // a display, but no adapter that draws on it
    let display = Display::new();
    let mut blind = display.command(&["view", &pendulum]);
    blind.env("VK_DRIVER_FILES", "/nowhere.json").env("VK_ICD_FILENAMES", "/nowhere.json");
    let message = refused(&mut blind);
    assert!(message.contains("adapter") && message.contains("render"), "{message}");
}
