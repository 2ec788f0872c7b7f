//! Speed that is measured and compared.

use serde_json::{Value, json};

use crate::helpers::{in_folder, model, object, refused, run, text};

#[test]
fn bench_gives_a_row_for_each_size() {
    let model = model("hopper.xml");
    let bench =
        object(&["bench", &model, "--worlds", "1,4", "--steps", "20", "--warmup", "5", "--backend", "cpu"]);
    assert_eq!(bench["rows"].as_array().unwrap().len(), 2);
    assert!(bench["rows"][0]["cold_seconds"]["load"].as_f64().unwrap() > 0.0);
    assert!(bench["rows"][1]["stage_nanoseconds"]["solve"].as_f64().unwrap() > 0.0);
}

#[test]
fn bench_measures_two_backends_in_turns() {
    let common = ["bench", &model("hopper.xml"), "--steps", "5", "--warmup", "5", "--backend", "cpu"];
    let more = ["--worlds", "2", "--repeat", "3", "--against", "cpu"];
    let done = run(&[&common[..], &more, &["--format", "json"]].concat());
    // one line for each row, and one for all rows
    let lines: Vec<Value> = text(&done.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!((lines.len(), &lines[1]["rows"][0]), (2, &lines[0]));
    assert_eq!(lines[0]["samples"].as_array().unwrap().len(), 3);
    assert!(lines[0]["ratio"].as_f64().unwrap() > 0.0);
}

#[test]
fn bench_says_what_a_step_costs() {
    let both = object(&[
        "bench",
        &model("pendulum.xml"),
        &model("humanoid.xml"),
        "--worlds",
        "3",
        "--steps",
        "5",
        "--warmup",
        "5",
        "--backend",
        "cpu",
    ]);
    let figure = |row: usize, name: &str| both["rows"][row][name].as_f64().unwrap();
    assert!(figure(0, "flops_per_step") > 100.0);
    assert!(figure(1, "flops_per_step") > 10.0 * figure(0, "flops_per_step"));
    // stages and kinds have the same total
    for part in ["stage_flops", "flops_by_kind"] {
        let sum: f64 = both["rows"][1][part].as_object().unwrap().values().filter_map(Value::as_f64).sum();
        assert!((sum / figure(1, "flops_per_step") - 1.0).abs() < 1e-9, "{part}");
    }
    assert!((figure(1, "nanoseconds_per_step") * figure(1, "steps_per_second") / 1e9 - 1.0).abs() < 1e-9);
    // kernels move bytes; the CPU reports none
    assert!(both["rows"][1]["bytes_per_step"].is_null());
}

#[cfg(feature = "gpu")]
#[test]
fn bench_knows_traffic_and_limits_of_an_adapter() {
    let begin = std::time::Instant::now();
    let done = object(&[
        "bench",
        &model("pendulum.xml"),
        "--worlds",
        "8",
        "--steps",
        "5",
        "--warmup",
        "5",
        "--backend",
        "gpu",
    ]);
    let figure = |name: &str| done["rows"][0][name].as_f64().unwrap();
    let (split, used) = (figure("bytes_per_step_split"), figure("bytes_per_step"));
    let fused = figure("bytes_per_step_fused");
    assert!(split >= used && used >= fused && fused > 0.0, "{split} {used} {fused}");
    let each = done["rows"][0]["dispatch_bytes"].as_object().unwrap();
    let sum: f64 = each.values().filter_map(Value::as_f64).sum();
    assert!((sum - used).abs() < 1e-6);
    assert!(figure("copy_bytes_per_second") > 1e6 && figure("peak_flops_per_second") > 1e6);
    assert!(figure("copy_share") > 0.0 && figure("peak_share") > 0.0 && figure("peak_share") < 1.0);
    assert!(figure("roofline_seconds") < begin.elapsed().as_secs_f64());
}

#[test]
fn bench_compares_with_what_it_printed_before() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "old.jsonl");
    let model = model("pendulum.xml");
    let common = ["bench", &model, "--steps", "5", "--warmup", "5", "--backend", "cpu", "--worlds"];
    let done = run(&[&common[..], &["2", "--format", "json"]].concat());
    std::fs::write(&path, &done.stdout).unwrap();
    // the saved row appears beside the new one; a missing size is reported without failure
    let new = object(&[&common[..], &["2,3", "--against", &name]].concat());
    let (known, unknown) = (&new["rows"][0], &new["rows"][1]);
    let speeds = [&known["steps_per_second"], &known["against"]["steps_per_second"]];
    let ratio = speeds[0].as_f64().unwrap() / speeds[1].as_f64().unwrap();
    assert!((known["ratio"].as_f64().unwrap() - ratio).abs() < 1e-9 * ratio);
    assert_eq!(
        (&known["ratios"]["flops_per_step"], &known["against_differs"]),
        (&Value::from(1.0), &json!([]))
    );
    assert!(unknown["against"].is_null() && unknown["ratio"].is_null());
    let message = text(&run(&[&common[..], &["2,3", "--against", &name]].concat()).stdout);
    assert!(message.contains("has no row of pendulum.xml x 3 on cpu"), "{message}");
    // a different device is named
    let other = text(&done.stdout).replace("threads", "cores");
    std::fs::write(&path, other).unwrap();
    let message = text(&run(&[&common[..], &["2", "--against", &name]].concat()).stdout);
    assert!(message.contains("not the same device") && message.contains("cores"), "{message}");
}

#[test]
fn bench_refuses_what_it_cannot_compare_with() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "old.jsonl");
    let model = model("pendulum.xml");
    let says = |against: &str, part: &str| {
        let common = ["bench", &model, "--steps", "5", "--worlds", "2", "--backend", "cpu", "--against"];
        let message = refused(&[&common[..], &[against]].concat());
        assert!(message.contains(part) && message.contains("(auto, cpu, gpu)"), "{message}");
    };
    says("no_such_file.jsonl", "no_such_file.jsonl");
    says("gpux", "gpux");
    says(folder.path().to_str().unwrap(), "--against");
    let given = |bytes: &[u8]| std::fs::write(&path, bytes).unwrap();
    given(b"");
    says(&name, "no row of `bench --format json`");
    given(b"{\"workload\": \"hold\"}\nnonsense\n");
    says(&name, "line 2 is not JSON");
    given(b"\xff\xfe\x00");
    says(&name, "not text");
    given(b"[1, {\"rows\": 7}, {\"model\": \"pendulum.xml\", \"worlds\": -2, \"backend\": \"cpu\"}]");
    says(&name, "no row of `bench --format json`");
    given(br#"{"model": "pendulum.xml", "worlds": 2, "backend": "gpu", "steps_per_second": 1.0}"#);
    says(&name, "it has pendulum.xml x 2 on gpu");
}
