//! `<compiler>`, `<size>` and `<statistic>`.

use crate::spec::conflict::POLICIES;
use crate::spec::{Compiler, Conflict, SizeSettings, Stat};
use crate::xml::El;

/// Reads a `<compiler>` element over the current settings.
pub(super) fn compiler(el: El<'_>, to: &mut Compiler) {
    to.at.note(el);
    el.set_flag("autolimits", &mut to.autolimits);
    el.set_real("boundmass", &mut to.boundmass);
    el.set_real("boundinertia", &mut to.boundinertia);
    el.set_real("settotalmass", &mut to.settotalmass);
    el.set_flag("balanceinertia", &mut to.balanceinertia);
    el.set_flag("discardvisual", &mut to.discardvisual);
    el.set_flag("fusestatic", &mut to.fusestatic);
    el.set_flag("alignfree", &mut to.alignfree);
    el.set_flag("saveinertial", &mut to.saveinertial);
    el.set_flag("savecompiled", &mut to.savecompiled);
    el.set_flag("savecanonical", &mut to.savecanonical);
    el.set_flag("strippath", &mut to.strippath);
    el.set_flag("fitaabb", &mut to.fitaabb);
    el.set_flag("usethread", &mut true);
    if let Some(kind) = el.keyword("passthrough", &[("none", 0), ("textures", 1)]) {
        to.passthrough = kind == 1;
    }
    // common asset folder first, then per asset type
    for (name, is_mesh, is_texture) in
        [("assetdir", true, true), ("meshdir", true, false), ("texturedir", false, true)]
    {
        let Some(folder) = el.text(name) else {
            continue;
        };
        if is_mesh {
            to.meshdir.clone_from(&folder);
        }
        if is_texture {
            to.texturedir = folder;
        }
    }
    el.set_auto("inertiafromgeom", &mut to.inertiafromgeom);
    if let Some(v) = el.ints("inertiagrouprange", 2, 2) {
        to.inertiagrouprange = [v[0], v[1]];
    }
    if let Some(v) = el.keyword("angle", &[("radian", 0), ("degree", 1)]) {
        to.degree = v == 1;
    }
    if let Some(policy) = el.keyword("conflict", POLICIES) {
        to.conflict = Conflict::of(policy);
    }
    if el.text("coordinate").is_some_and(|c| c != "local") {
        el.wrong(
            "coordinate",
            "global coordinates are not supported",
            "write positions relative to the parent, as local",
        );
    }
    eulerseq(el, to);
}

fn eulerseq(el: El<'_>, to: &mut Compiler) {
    let Some(text) = el.text("eulerseq") else {
        return;
    };
    match <[u8; 3]>::try_from(text.as_bytes()) {
        Ok(seq) if seq.iter().all(|c| b"xyzXYZ".contains(c)) => to.eulerseq = seq,
        _ => {
            el.wrong("eulerseq", "eulerseq must have three letters of xyzXYZ", "for example eulerseq=\"xyz\"")
        }
    }
}

/// Upper bound on user data per element.
const MAX_USER: i32 = 10_000;

/// Reads a `<size>` element over the current values. Memory sizes are inferred, so most of it is only kept.
pub(super) fn size(el: El<'_>, to: &mut SizeSettings) {
    for (name, value) in &mut to.int {
        let before = *value;
        el.set_int(name, value);
        let (low, high) = match *name {
            "nkey" => (-1, MAX_KEYS),
            "njmax" | "nconmax" | "nstack" => (-1, i32::MAX),
            "nuserdata" => (0, i32::MAX),
            _ => (-1, MAX_USER),
        };
        if *name == "nkey" && *value < low {
            el.doubt(name, format!("nkey {value} is negative and has no effect"), "write zero or more");
            *value = before;
        }
        if !(low..=high).contains(value) {
            el.wrong(name, format!("{name} {value} is out of range"), format!("between {low} and {high}"));
            *value = before;
        }
        if el.attr(name).is_some() && !to.written.contains(name) {
            to.written.push(name);
        }
    }
    let Some(memory) = el.text("memory") else {
        return;
    };
    let text = memory.trim();
    let digits = text.trim_end_matches(['K', 'M', 'G', 'T', 'P', 'E', 'k', 'm', 'g', 't', 'p', 'e']);
    let number = digits.parse::<u64>();
    if text != "-1" && (text.len() - digits.len() > 1 || number.is_err() || number == Ok(0)) {
        let help = "for example memory=\"10M\"; it has no effect here";
        el.wrong("memory", "memory must be a number of bytes", help);
    }
    for name in ["njmax", "nstack"] {
        if el.attr(name).is_some() {
            el.wrong(name, format!("both memory and {name} are given"), "keep memory");
        }
    }
    to.memory = Some(text.to_owned());
}

/// Upper bound on keyframes.
const MAX_KEYS: i32 = 100_000;

/// Reads a `<statistic>` element over the current values.
pub(super) fn statistic(el: El<'_>, to: &mut Stat) {
    for (name, place) in [
        ("meaninertia", &mut to.meaninertia),
        ("meanmass", &mut to.meanmass),
        ("meansize", &mut to.meansize),
        ("extent", &mut to.extent),
    ] {
        let mut value = 0.0;
        el.set_real(name, &mut value);
        if name == "extent" && el.attr(name).is_some() && value <= 0.0 {
            el.wrong(name, format!("extent is not positive: {value}"), "write a length above zero");
        }
        if el.attr(name).is_some() {
            *place = Some(value);
        }
    }
    if let Some(center) = el.fixed("center") {
        to.center = Some(center);
    }
}
