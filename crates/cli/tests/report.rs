//! Reports of verbs: pages that any reader of XML takes, with the figures of the JSON object, a sentence where there is nothing
//! to draw, and nothing written where the input is bad.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// Balls that fall on a plane, one with a motor, and a sensor.
const BALLS: &str = r#"<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="ball" pos="0 0 .2"><freejoint name="root"/><geom size=".1"/><site name="here"/></body>
    <body pos="1 0 .5"><joint name="hinge" axis="0 1 0" damping=".1"/><geom size=".1" pos=".2 0 0"/></body>
  </worldbody>
  <actuator><motor name="push" joint="hinge" ctrlrange="-1 1" ctrllimited="true"/></actuator>
  <sensor><gyro name="turn &lt;&amp;&gt;" site="here"/></sensor>
</mujoco>"#;

/// A mass on a rail that is to be brought to a place.
const TASK: &str = r#"<mujoco>
  <option timestep="0.02"/>
  <custom>
    <text name="formula:place" data="qpos - 1"/>
    <text name="formula:effort" data="ctrl"/>
    <text name="formula:success" data="abs(place) &lt; 0.2"/>
    <numeric name="agent_horizon" data="0.5"/>
  </custom>
  <worldbody>
    <body name="mass"><joint name="rail" type="slide" axis="1 0 0" damping="1" range="-2 2" limited="true"/>
      <geom size=".1" mass="1"/></body>
  </worldbody>
  <actuator><motor name="push" joint="rail" gear="20" ctrlrange="-1 1" ctrllimited="true"/></actuator>
  <sensor><user name="place" dim="1" user="0 4"/><user name="effort" dim="1" user="0 .01"/><user name="success" dim="1"/></sensor>
</mujoco>"#;

/// A folder with the models.
struct Case {
    folder: tempfile::TempDir,
}

/// A page as XML.
struct Page {
    text: String,
}

impl Case {
    fn new() -> Self {
        let case = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(case.path("balls.xml"), BALLS).unwrap();
        std::fs::write(case.path("task.xml"), TASK).unwrap();
        case
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command in the folder, with words that spaces divide.
    fn run(&self, words: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
        command.current_dir(self.folder.path()).args(words.split(' ')).output().unwrap()
    }

    /// The page that a command writes, and its JSON object.
    fn report(&self, words: &str) -> (Page, Value) {
        let done = self.run(&format!("{words} --backend cpu --report r.html --format json"));
        let message = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "{words}: {}", String::from_utf8_lossy(&done.stderr));
        let text = std::fs::read_to_string(self.path("r.html")).unwrap();
        assert!(text.len() < 300_000, "{} bytes", text.len());
        (Page { text }, serde_json::from_str(message.lines().last().unwrap()).unwrap())
    }

    /// That a command ends with one message, and writes nothing.
    fn refused(&self, words: &str, part: &str) {
        let names = || {
            let all = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
            let mut all: Vec<(PathBuf, Vec<u8>)> = all
                .filter(|path| path.is_file())
                .map(|path| (path.clone(), std::fs::read(&path).unwrap()))
                .collect();
            all.sort();
            all
        };
        let before = names();
        let done = self.run(words);
        let message = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{words}: {message}");
        assert!(message.contains(part) && message.lines().count() == 1, "{words}: {message}");
        assert!(before == names(), "{words}: files have changed");
    }
}

impl Page {
    fn read(&self) -> roxmltree::Document<'_> {
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        roxmltree::Document::parse_with_options(&self.text, options).unwrap()
    }

    /// Names of the figures, each of which has a heading, a chart with something in it, and a sentence.
    fn figures(&self) -> Vec<String> {
        let page = self.read();
        let figures =
            page.descendants().filter(|n| n.has_tag_name(("http://www.w3.org/1999/xhtml", "figure")));
        figures
            .map(|figure| {
                let has = |tag: &str| figure.descendants().filter(|n| n.tag_name().name() == tag).count();
                let id = figure.attribute("id").unwrap();
                assert!(has("h3") == 1 && has("figcaption") == 1 && has("svg") > 0, "{id}");
                for svg in figure.descendants().filter(|n| n.tag_name().name() == "svg") {
                    let drawn = |n: &roxmltree::Node| {
                        ["polyline", "polygon", "circle", "rect"].contains(&n.tag_name().name())
                    };
                    assert!(svg.descendants().any(|n| drawn(&n)), "{id} has an empty chart");
                    assert!(svg.descendants().any(|n| n.tag_name().name() == "text"), "{id} has no labels");
                    let words = svg.attribute("aria-label").unwrap();
                    assert!(!words.is_empty() && svg.attribute("viewBox").is_some(), "{id}");
                }
                id.to_owned()
            })
            .collect()
    }

    /// Numbers behind the figures of the page, by name.
    fn numbers(&self) -> BTreeMap<String, Vec<f64>> {
        let page = self.read();
        let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for data in page.descendants().filter(|n| n.tag_name().name() == "data") {
            let value = data.attribute("value").unwrap().parse().unwrap();
            found.entry(data.attribute("class").unwrap().to_owned()).or_default().push(value);
        }
        found
    }

    /// That numbers of the page are those of the object.
    fn agrees(&self, object: &Value, names: &[&str]) {
        let numbers = self.numbers();
        for name in names {
            let (page, object) = (numbers.get(*name).unwrap_or_else(|| panic!("no {name}")), &object[*name]);
            assert_eq!(page[0], object.as_f64().unwrap(), "{name}");
        }
    }

    /// All words.
    fn words(&self) -> String {
        self.read().descendants().filter_map(|n| n.is_text().then(|| n.text()).flatten()).collect()
    }
}

/// That a page works alone: no script, nothing from elsewhere.
fn stands_alone(page: &Page) {
    let read = page.read();
    for node in read.descendants() {
        assert!(!["script", "link", "img", "iframe"].contains(&node.tag_name().name()));
        assert!(
            !node.attributes().any(|a| a.name() == "href" || a.name() == "src" || a.name().starts_with("on"))
        );
    }
    assert!(!page.text.contains("url(") && !page.text.contains("@import"));
    // both themes
    assert!(page.text.contains("prefers-color-scheme:dark"));
}

#[test]
fn a_rollout_is_drawn_with_the_numbers_that_it_prints() {
    let case = Case::new();
    let (page, object) = case.report(
        "rollout balls.xml --worlds 12 --steps 90 --warmup 5 --ctrl noise --record qpos,contact_dist --out q.npz",
    );
    stands_alone(&page);
    assert_eq!(page.figures(), ["speed", "cold", "state", "recorded", "sensors", "distributions"]);
    let names = ["steps_per_second", "realtime_factor", "worlds", "steps", "finite", "nconmax", "njmax"];
    page.agrees(&object, &names);
    page.agrees(&object, &["contacts_mean", "bytes_per_world", "grown"]);
    // joints, sensors and worlds by name, characters of a model as they are
    let words = page.words();
    for part in ["root, position (m)", "hinge (rad)", "turn <&> (rad/s)", "fastest", "time (s)"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(words.contains("contact_dist: rows of contacts"), "{words}");
    // what it costs is shown
    let (reading, all) = (object["report_seconds"].as_f64().unwrap(), object["seconds"].as_f64().unwrap());
    assert!(reading > 0.0 && reading < all, "{object}");
}

#[test]
fn a_report_changes_neither_bits_nor_what_is_recorded() {
    let case = Case::new();
    let words =
        "rollout balls.xml --worlds 3 --steps 40 --ctrl noise --backend cpu --record qpos,qvel --every 4";
    assert!(case.run(&format!("{words} --out a.npz")).status.success());
    assert!(case.run(&format!("{words} --out b.npz --report r.html")).status.success());
    let read = |name: &str| manyworlds::formats::npz::read(&case.path(name)).unwrap();
    let (a, b) = (read("a.npz"), read("b.npz"));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, array) in &a {
        let bits = |x: Vec<f64>| x.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(array.data.to_f64()), bits(b[name].data.to_f64()), "{name}");
    }
    // without one the page does not name it
    let plain = case.run("rollout balls.xml --steps 4 --backend cpu --format json");
    let object: Value = serde_json::from_slice(&plain.stdout).unwrap();
    assert!(object.get("report_seconds").is_none());
}

#[test]
fn what_is_not_there_is_a_sentence_and_no_empty_frame() {
    let case = Case::new();
    let still = r#"<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>"#;
    std::fs::write(case.path("still.xml"), still).unwrap();
    let (page, _) = case.report("rollout still.xml --steps 1 --warmup 0");
    assert_eq!(page.figures(), ["cold"]);
    let words = page.words();
    for part in [
        "Too few moments",
        "Zero throughout: speed |qvel|",
        "has no sensors",
        "Energies are drawn for a model with",
        "make no distribution",
        "one world, number 0",
        "No world has a status bit",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    // energies where the model has them
    let text = still.replace("<worldbody>", r#"<option><flag energy="enable"/></option><worldbody>"#);
    std::fs::write(case.path("energy.xml"), text).unwrap();
    let words = case.report("rollout energy.xml --steps 4").0.words();
    assert!(words.contains("potential energy (J)") && !words.contains("Energies are drawn"), "{words}");
}

#[test]
fn worlds_that_diverge_are_named_and_break_no_chart() {
    let case = Case::new();
    let wild = BALLS.replace("<motor name=\"push\"", "<motor gear=\"1e12\" name=\"push\"");
    std::fs::write(case.path("wild.xml"), wild).unwrap();
    let (page, object) =
        case.report("rollout wild.xml --worlds 9 --steps 30 --ctrl noise --record qvel --out q.npz");
    let raised: Vec<_> =
        object["status"].as_object().unwrap().iter().filter(|s| s.1.as_u64() > Some(0)).collect();
    assert!(!raised.is_empty(), "{object}");
    page.figures();
    let words = page.words();
    for (name, count) in raised {
        assert!(
            words.contains(&format!("{name} in {count}")) && words.contains(&format!("status {name}")),
            "{words}"
        );
        assert_eq!(page.numbers()[name.as_str()], [count.as_f64().unwrap()]);
    }
}

#[test]
fn speeds_are_drawn_with_the_numbers_of_all_rows() {
    let case = Case::new();
    let words = "bench balls.xml task.xml --worlds 1,4 --steps 5 --warmup 5";
    let (page, object) = case.report(&format!("{words} --against cpu"));
    stands_alone(&page);
    assert_eq!(page.figures(), ["rates", "ratios", "stages", "cold"]);
    let rows = object["rows"].as_array().unwrap();
    let of = |name: &str| rows.iter().map(|row| row[name].as_f64().unwrap()).collect::<Vec<f64>>();
    let numbers = page.numbers();
    for name in ["steps_per_second", "ratio", "worlds"] {
        assert_eq!(numbers[name], of(name), "{name}");
    }
    // rows and their baselines
    let count = page.read().descendants().filter(|n| n.tag_name().name() == "tr").count();
    assert_eq!(count, 1 + 2 * rows.len());

    // against a file, of which a row is missing
    let (page, object) = case.report("bench balls.xml --worlds 4 --steps 5 --warmup 5");
    assert_eq!(page.figures(), ["rates", "stages", "cold"]);
    assert!(page.words().contains("Compared with nothing"));
    std::fs::write(case.path("old.json"), object.to_string()).unwrap();
    let (page, _) = case.report(&format!("{words} --against old.json"));
    assert!(page.words().contains("Against the file old.json") && page.words().contains("earlier"));
    assert_eq!(page.numbers()["ratio"].iter().filter(|ratio| ratio.is_finite()).count(), 1);
}

#[test]
fn a_motion_is_drawn_with_its_costs_and_its_success() {
    let case = Case::new();
    let (page, object) = case.report("plan task.xml --seconds 2 --push mass@1.5:0.1=5:0:0");
    stands_alone(&page);
    assert_eq!(page.figures(), ["cost", "plan_cost", "iterations", "controls", "joints"]);
    page.agrees(
        &object,
        &["cost", "seconds", "iteration_seconds", "realtime_factor", "success_since", "iterations", "steps"],
    );
    let words = page.words();
    for part in ["place,", "effort,", "success", "push", "rail (m)", "limit", "(--lag)"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    // the means of the terms are those of the cost
    let mean = |name: &str| -> f64 {
        let (_, rest) = words.split_once(&format!("{name}, ")).unwrap();
        rest.split_once(" on average").unwrap().0.parse().unwrap()
    };
    let (sum, cost) = (mean("place") + mean("effort"), object["cost"].as_f64().unwrap());
    assert!((sum - cost).abs() < 0.02 * cost, "{sum} {cost}");
}

#[test]
fn the_lag_of_a_planner_in_real_time_is_drawn() {
    let case = Case::new();
    let (page, _) = case.report("plan task.xml --seconds 0.6 --real 2");
    assert!(page.figures().contains(&"lag".to_owned()), "{:?}", page.figures());
    let (page, _) = case.report("plan task.xml --seconds 2 --planner sampling --lag 0");
    assert!(!page.figures().contains(&"lag".to_owned()));
}

#[test]
fn a_fit_is_drawn_with_its_parameters_and_residuals() {
    let case = Case::new();
    let record = "rollout balls.xml --backend cpu --worlds 2 --steps 60 --warmup 0 --ctrl noise \
                  --record qpos,qvel,ctrl,sensordata --out rec.npz";
    assert!(case.run(record).status.success());
    std::fs::write(case.path("other.xml"), BALLS.replace("damping=\".1\"", "damping=\".3\"")).unwrap();
    let fit = "fit other.xml rec.npz --segment 20 --fields qpos,qvel,sensordata --parameter dof_damping:hinge=0.01..2";
    let (page, object) = case.report(fit);
    stands_alone(&page);
    assert_eq!(page.figures(), ["parameters", "cost", "fitted", "residuals"]);
    page.agrees(&object, &["cost", "start_cost", "seconds", "residuals", "segments", "evaluations"]);
    assert_eq!(page.numbers()["value"], [object["parameters"][0]["value"].as_f64().unwrap()]);
    let words = page.words();
    assert!(words.contains("A single parameter has no correlation"), "{words}");
    for part in ["qpos: root, position (m)", "qpos: root, rotation (rad)", "sensordata: turn <&>"] {
        assert!(words.contains(part), "{part}: {words}");
    }

    // two parameters, and corrections of the start that lie between the residuals
    let both = format!("{fit} --parameter dof_armature:hinge=0..0.1 --parameter start_qvel:hinge");
    let (page, object) = case.report(&both);
    assert_eq!(page.figures(), ["parameters", "correlation", "cost", "fitted", "residuals"]);
    let cells = page.read();
    let numbers = object["correlation"].as_array().unwrap();
    assert_eq!(numbers.len(), 2 + 6);
    let apart = (0..8).flat_map(|i| (0..i).map(move |j| (i, j))).find_map(|(i, j)| numbers[i][j].as_f64());
    let last = format!("{:.2}", apart.unwrap()).replace('-', "−");
    let shown = cells.descendants().filter(|n| n.tag_name().name() == "text" && n.text() == Some(&last));
    assert!(shown.count() >= 2, "{last} is in no cell");
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_runs() {
    let case = Case::new();
    let record = "rollout balls.xml --backend cpu --steps 20 --record qpos,qvel,ctrl --out rec.npz";
    assert!(case.run(record).status.success());
    std::fs::write(case.path("notes.html"), "a list").unwrap();
    std::fs::copy(case.path("balls.xml"), case.path("model.html")).unwrap();
    // steps that would take hours
    for verb in [
        "rollout balls.xml --worlds 4096 --steps 100000000 --backend cpu",
        "bench balls.xml --worlds 4096 --steps 100000000 --backend cpu",
        "plan task.xml --seconds 100000 --backend cpu",
        "fit balls.xml rec.npz --parameter mass:ball --backend cpu",
    ] {
        case.refused(&format!("{verb} --report r.pdf"), "end the name with .html");
        case.refused(&format!("{verb} --report nowhere/r.html"), "its folder does not exist");
        case.refused(&format!("{verb} --report ."), "is a folder");
        case.refused(&format!("{verb} --report notes.html"), "does not hold a report");
    }
    let model = "rollout model.html --steps 100000000 --backend cpu --report model.html";
    case.refused(model, "is the input model.html, which would be lost");
    case.refused("bench balls.xml model.html --report ./model.html", "is the input model.html");
    case.refused("rollout balls.xml --ctrl gone.npz --report r.html", "gone.npz");
    case.refused("rollout balls.xml --backend cpu --steps 0 --report r.html", "--steps");
}

#[cfg(unix)]
#[test]
fn a_rollout_that_is_interrupted_leaves_a_report_of_what_there_was() {
    let case = Case::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
    let words = "rollout balls.xml --backend cpu --worlds 64 --steps 20000000 --warmup 0 --ctrl noise --report r.html";
    let mut running = command
        .current_dir(case.folder.path())
        .args(words.split(' '))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let pid = rustix::process::Pid::from_child(&running);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(1));
    let page = Page { text: std::fs::read_to_string(case.path("r.html")).unwrap() };
    assert!(page.words().contains("Interrupted after"), "{}", page.words());
    page.figures();
}
