//! Names that the field has a word for: a name that was given up does not come back.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

/// Names that were given up, and what the thing is called.
const GIVEN_UP: &[(&str, &str)] = &[
    ("Photographer", "BatchRenderer"),
    ("Mold", "PrimitiveMesh"),
    ("Look", "Pass"),
    ("CameraOfModel", "ModelCamera"),
    ("MirrorOfScene", "MirrorPlane"),
    ("tell_room", "report_slots"),
    ("OnTheWay", "ReadbackSlot"),
    ("Later", "Readback"),
    ("forget_seen", "clear_step_outputs"),
    ("SEEN", "STEP_OUTPUTS"),
    ("begin_apart", "starts_differ"),
    ("candidate_waiting", "narrow_phase_queue"),
    ("penetration_bound", "expanding_polytope"),
    ("conform", "normalize_values"),
    ("read_settled", "read_flushed"),
    ("lean_groups", "reduced_groups"),
    ("lean_steps", "reduced_stores"),
    ("is_lean", "has_reduced_stores"),
    ("make_room", "reserve_checkpoint"),
    ("room_for", "checkpoint_buffers"),
    ("put_kept", "restore"),
    ("watch_later", "postpone_demand"),
    ("Wanted", "Demand"),
    ("Moved", "TransferStats"),
    ("Scripted", "Command"),
    ("seen_slots", "output_slots"),
    ("most_later", "start_maximum"),
    ("read_all_later", "start_read_in_parts"),
    ("PenetrationBound", "LeastPenetration"),
    ("pair2", "solref"),
    ("qpos_at4", "quat_at"),
    ("room_on_cpu", "cpu_capacity_limit"),
    ("check_room", "check_capacity, or check_memory_of_worlds"),
    ("has_room", "check_element_count"),
    ("Wrong", "FormulaError"),
    ("wrong_parameters", "parameter_fault"),
    ("keep_sizes_of_data", "restore_sizes_of_data"),
];

/// Sources in Rust and WGSL below a folder, but for what is built and fetched.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs" || e == "wgsl") && name != "words.rs" {
            found.push(path);
        }
    }
}

#[test]
fn names_that_were_given_up_stay_away() {
    let mut files = Vec::new();
    sources(Path::new(env!("CARGO_MANIFEST_DIR")), &mut files);
    assert!(files.len() > 400, "only {} files were read", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        // a sentence may begin with "Later"
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for word in code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')) {
            // `set_FIELD` and `template__FIELD` of kernels
            let of = |old: &str| word == old || word.ends_with(&format!("_{old}"));
            if let Some((_, instead)) = GIVEN_UP.iter().find(|(old, _)| of(old)) {
                found.push(format!("{}: {word} is {instead}", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
