//! `<compiler>`, `<size>` and `<statistic>`.

use super::attrs::El;
use super::spec::{Compiler, Stat};

/// Reads one compiler element over the settings so far.
pub(super) fn compiler(el: El<'_>, to: &mut Compiler) {
    to.at.note(el);
    el.set_flag("autolimits", &mut to.autolimits);
    el.set_positive("boundmass", &mut to.boundmass);
    el.set_positive("boundinertia", &mut to.boundinertia);
    el.set_real("settotalmass", &mut to.settotalmass);
    el.set_flag("balanceinertia", &mut to.balanceinertia);
    el.set_flag("discardvisual", &mut to.discardvisual);
    el.set_flag("fusestatic", &mut to.fusestatic);
    el.set_flag("alignfree", &mut to.alignfree);
    el.set_auto("inertiafromgeom", &mut to.inertiafromgeom);
    if let Some(v) = el.ints("inertiagrouprange", 2, 2) {
        to.inertiagrouprange = [v[0], v[1]];
    }
    if let Some(v) = el.keyword("angle", &[("radian", 0), ("degree", 1)]) {
        to.degree = v == 1;
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

/// Checks `<size>`; memory sizes are inferred, so only the number of keyframes counts.
pub(super) fn size(el: El<'_>, nkey: &mut usize) {
    let mut count = *nkey as i32;
    el.set_count("nkey", &mut count);
    if count > 100_000 {
        el.wrong("nkey", format!("nkey is too large: {count}"), "at most 100000");
    } else {
        *nkey = count as usize;
    }
    for name in ["njmax", "nconmax", "nstack"] {
        el.set_int(name, &mut 0);
    }
    for kind in [
        "userdata",
        "user_body",
        "user_jnt",
        "user_geom",
        "user_site",
        "user_cam",
        "user_tendon",
        "user_actuator",
        "user_sensor",
    ] {
        el.set_int(&format!("n{kind}"), &mut 0);
    }
    let Some(memory) = el.text("memory") else {
        return;
    };
    let digits = memory.trim_end_matches(['K', 'M', 'G', 'T', 'P', 'E', 'k', 'm', 'g', 't', 'p', 'e']);
    if memory != "-1"
        && (digits.is_empty() || memory.len() - digits.len() > 1 || digits.parse::<u64>().is_err())
    {
        el.wrong(
            "memory",
            "memory must be a number of bytes",
            "for example memory=\"10M\"; it has no effect here",
        );
    }
}

/// Reads one statistic element over the values so far.
pub(super) fn statistic(el: El<'_>, to: &mut Stat) {
    for (name, place) in [
        ("meaninertia", &mut to.meaninertia),
        ("meanmass", &mut to.meanmass),
        ("meansize", &mut to.meansize),
        ("extent", &mut to.extent),
    ] {
        let mut value = 0.0;
        el.set_positive(name, &mut value);
        if el.attr(name).is_some() {
            *place = Some(value);
        }
    }
    if let Some(center) = el.fixed("center") {
        to.center = Some(center);
    }
}
