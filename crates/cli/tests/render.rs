//! The verb `render` from outside: pictures and films in files.

#![cfg(feature = "gpu")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;
use std::process::{Command, Output};

use manyworlds::formats::npz::{self, Array, ArrayData};
use manyworlds::images::Image;

/// A red box of 1 m on a floor, seen by a camera 3 m in front of it, and a green ball that falls.
const BOX: &str = include_str!("../../render/tests/box.xml");

/// A folder with the model of a box.
struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new() -> Self {
        let case = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(case.path("box.xml"), BOX).unwrap();
        case
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Runs `render` on the box.
    fn render(&self, out: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
        command.args(["render", &self.name("box.xml"), "-o", &self.name(out), "--backend", "cpu"]);
        if !arguments.contains(&"--size") {
            command.args(["--size", "64x48"]);
        }
        command.args(arguments).output().unwrap()
    }

    /// What it says where it refuses, with nothing written.
    fn refused(&self, out: &str, arguments: &[&str]) -> String {
        let done = self.render(out, arguments);
        let message = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{message}");
        let left: Vec<String> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| !name.ends_with(".xml") && !name.starts_with("states"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
        message
    }
}

#[cfg(unix)]
#[test]
fn interrupted_films_keep_their_frames() {
    let case = Case::new();
    let mut run = Command::new(env!("CARGO_BIN_EXE_manyworlds"))
        .args(["render", &case.name("box.xml"), "-o", &case.name("f%05d.png"), "--backend", "cpu"])
        .args(["--size", "64x48", "--duration", "1000", "--fps", "50"])
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !case.path("f00005.png").exists() && run.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let done = run.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{message}");
    let kept: usize = message.split("the first ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(
        message.contains(&format!("interrupted; the first {kept} of 50001 frames are kept")),
        "{message}"
    );
    // so many, and no more
    let frames = (0..=kept).filter(|k| case.path(&format!("f{k:05}.png")).exists()).count();
    assert!(kept > 5 && frames == kept, "{kept} {frames}");
}

#[test]
fn pictures_and_films_are_files_that_others_read() {
    let case = Case::new();
    let good = |out: &str, arguments: &[&str]| {
        let done = case.render(out, arguments);
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    };
    good("one.png", &["--camera", "front"]);
    let image = Image::decode(&std::fs::read(case.path("one.png")).unwrap(), 3).unwrap();
    assert_eq!((image.width, image.height), (64, 48));
    assert_eq!(image.pixel(24, 32), [255, 0, 0]);
    // a frame each, the first and the last of half a second
    good("f%03d.png", &["--duration", "0.5", "--fps", "10"]);
    assert!(case.path("f005.png").exists() && !case.path("f006.png").exists());
    // worlds side by side
    good("tiles.png", &["--worlds", "3", "--tile", "3x1", "--camera", "front"]);
    let image = Image::decode(&std::fs::read(case.path("tiles.png")).unwrap(), 3).unwrap();
    assert_eq!((image.width, image.height), (192, 48));
    assert_eq!(image.pixel(24, 160), [255, 0, 0]);
    // a film
    good("film.gif", &["--duration", "0.4", "--fps", "10"]);
    let mut decoder =
        gif::DecodeOptions::new().read_info(std::fs::File::open(case.path("film.gif")).unwrap()).unwrap();
    let mut delays = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
    }
    assert_eq!(delays, [10; 5]);
    // depths and objects in 16 bits
    for (pixels, value) in [("depth", 3000), ("objects", 2)] {
        good("grey.png", &["--pixels", pixels, "--camera", "front"]);
        let mut reader =
            png::Decoder::new(std::io::BufReader::new(std::fs::File::open(case.path("grey.png")).unwrap()))
                .read_info()
                .unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.bit_depth, info.color_type), (png::BitDepth::Sixteen, png::ColorType::Grayscale));
        let at = 2 * (24 * 64 + 32);
        assert_eq!(u16::from_be_bytes([bytes[at], bytes[at + 1]]), value, "{pixels}");
    }
    // all frames as arrays
    good("frames.npz", &["--duration", "0.1", "--fps", "10", "--pixels", "depth", "--camera", "front"]);
    let arrays = npz::read(&case.path("frames.npz")).unwrap();
    assert_eq!(arrays["depth"].shape, [2, 48, 64]);
}

#[test]
fn a_film_in_mp4_plays_or_says_what_is_missing() {
    let case = Case::new();
    let done = case.render("film.mp4", &["--duration", "0.2", "--fps", "10"]);
    let message = String::from_utf8_lossy(&done.stderr).into_owned();
    if Command::new("ffmpeg").arg("-version").output().is_ok() {
        assert_eq!(done.status.code(), Some(0), "{message}");
        let bytes = std::fs::read(case.path("film.mp4")).unwrap();
        assert_eq!(bytes[4..8], *b"ftyp");
    } else {
        assert_eq!(done.status.code(), Some(2));
    }
    // without it
    let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
    command.args(["render", &case.name("box.xml"), "-o", &case.name("none.mp4")]).env("PATH", "");
    let done = command.output().unwrap();
    let message = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{message}");
    assert!(message.contains("ffmpeg") && message.contains(".gif"), "{message}");
    assert!(!case.path("none.mp4").exists());
}

#[test]
fn recorded_states_are_shown() {
    let case = Case::new();
    let ball = |z: f64| vec![1.0, 0.0, z, 1.0, 0.0, 0.0, 0.0];
    let array = |shape: Vec<usize>, values: Vec<f64>| Array { shape, data: ArrayData::F64(values) };
    let states = case.path("states.npz");
    let values = [ball(1.0), ball(0.3), ball(0.5), ball(0.4)].concat();
    npz::write(&states, &[("qpos".to_owned(), array(vec![2, 2, 7], values))]).unwrap();
    let done =
        case.render("s%d.png", &["--states", &case.name("states.npz"), "--camera", "front", "--tile", "2x1"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let image = Image::decode(&std::fs::read(case.path("s1.png")).unwrap(), 3).unwrap();
    assert_eq!((image.width, image.height), (128, 48));
    assert_ne!(std::fs::read(case.path("s0.png")).unwrap(), std::fs::read(case.path("s1.png")).unwrap());
    for file in ["s0.png", "s1.png"] {
        std::fs::remove_file(case.path(file)).unwrap();
    }
    // of another model
    npz::write(&states, &[("qpos".to_owned(), array(vec![2, 3], vec![0.0; 6]))]).unwrap();
    let message = case.refused("x.png", &["--states", &case.name("states.npz")]);
    assert!(message.contains("[2, 3]") && message.contains('7'), "{message}");
}

#[test]
fn bad_requests_are_refused_before_anything_is_written() {
    let case = Case::new();
    for (out, arguments, words) in [
        ("x.bmp", &[][..], &[".png", ".gif", ".mp4", ".npz"][..]),
        ("x", &[], &[".png"]),
        ("missing/x.png", &[], &["folder"]),
        ("x.png", &["--camera", "frnt"], &["no camera 'frnt'", "did you mean 'front'"]),
        ("x.png", &["--camera", "track:bal"], &["did you mean 'ball'"]),
        ("x.png", &["--size", "0x5"], &["--size", "640x480"]),
        ("x.png", &["--size", "70000x5"], &["--size"]),
        ("x.png", &["--size", "60000x60000"], &["device"]),
        ("x.png", &["--duration", "1"], &["%05d.png"]),
        ("x.png", &["--duration", "nan"], &["--duration"]),
        ("x.gif", &["--fps", "0"], &["--fps"]),
        ("x.gif", &["--pixels", "depth"], &["colours"]),
        ("x.png", &["--show", "jiont"], &["did you mean 'joint'"]),
        ("x.png", &["--groups", "7"], &["group 7"]),
        ("x.png", &["--samples", "3"], &["1 or 4"]),
        ("x.png", &["--camera", "front", "--orbit", "1,2,3"], &["--camera free"]),
        ("x.png", &["--orbit", "1,2"], &["three numbers"]),
        ("x.png", &["--worlds", "0"], &["at least one world"]),
        ("x.png", &["--states", "nothing.npz"], &["nothing.npz"]),
        ("box.xml", &[], &["box.xml"]),
    ] {
        let message = case.refused(out, arguments);
        assert!(words.iter().all(|w| message.contains(w)), "{out} {arguments:?}: {message}");
    }
    assert_eq!(std::fs::read_to_string(case.path("box.xml")).unwrap(), BOX);
    // no adapter
    let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
    command.args(["render", &case.name("box.xml"), "-o", &case.name("x.png"), "--backend", "cpu"]);
    let done = command.env("VK_DRIVER_FILES", "/none").env("VK_ICD_FILENAMES", "/none").output().unwrap();
    let message = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{message}");
    assert!(message.contains("manyworlds doctor"), "{message}");
}

#[test]
fn a_missing_texture_is_named_and_its_geom_drawn_plain() {
    let case = Case::new();
    let text = BOX.replace(
        "<worldbody>",
        "<asset><texture name='t' type='2d' file='nothing.png'/><material name='m' texture='t' rgba='1 1 0 1'/></asset>\
         <worldbody><geom type='sphere' size='0.1' pos='0 -1 0.5' material='m'/>",
    );
    std::fs::write(case.path("box.xml"), text).unwrap();
    let done = case.render("x.png", &["--camera", "front"]);
    let message = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(0), "{message}");
    assert!(message.contains("nothing.png") && message.contains("texture 't' has no pixels"), "{message}");
    let image = Image::decode(&std::fs::read(case.path("x.png")).unwrap(), 3).unwrap();
    assert_eq!(image.pixel(24, 32), [255, 255, 0]);
}
