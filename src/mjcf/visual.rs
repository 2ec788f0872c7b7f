//! What only affects looks: `<visual>`, cameras, lights, textures, materials and skins. Attributes are checked
//! and kept; nothing of it is simulated.

use glam::DVec3;

use super::attrs::El;
use super::geom::reference;
use super::pose::pose;
use super::spec::{Camera, Compiler, Light, Pose, Ref};

const CAMERA_MODES: &[(&str, i32)] =
    &[("fixed", 0), ("track", 1), ("trackcom", 2), ("targetbody", 3), ("targetbodycom", 4)];

const COUNTS: &[&str] = &[
    "offwidth",
    "offheight",
    "shadowsize",
    "offsamples",
    "numslices",
    "numstacks",
    "numquads",
    "width",
    "height",
    "nchannel",
    "group",
];
const FLAGS: &[&str] = &[
    "orthographic",
    "ellipsoidinertia",
    "bvactive",
    "castshadow",
    "directional",
    "active",
    "texuniform",
    "hflip",
    "vflip",
];
const WORDS: &[(&str, &[&str])] = &[
    ("builtin", &["none", "gradient", "checker", "flat"]),
    ("mark", &["none", "edge", "cross", "random"]),
    ("colorspace", &["auto", "linear", "sRGB"]),
    ("projection", &["perspective", "orthographic"]),
    (
        "role",
        &[
            "user",
            "rgb",
            "occlusion",
            "roughness",
            "metallic",
            "normal",
            "opacity",
            "emissive",
            "rgba",
            "orm",
        ],
    ),
];
/// Attributes that are text: names, files and words that differ by element.
const TEXTS: &[&str] = &[
    "name",
    "class",
    "texture",
    "material",
    "file",
    "fileright",
    "fileleft",
    "fileup",
    "filedown",
    "filefront",
    "fileback",
    "gridlayout",
    "content_type",
    "target",
    "mode",
    "type",
    "output",
    "body",
    "embed",
];

/// Checks the attributes of a visual element: numbers are numbers and words are known.
pub(super) fn check(el: El<'_>) {
    for attr in &el.tree.nodes[el.id].attrs {
        let name = attr.name.as_str();
        if TEXTS.contains(&name) {
            continue;
        }
        // `active` of the headlight is a number, of a light a flag; `bvactive` is a flag or a colour
        let numeric =
            (name == "active" && el.tag() == "headlight") || (name == "bvactive" && el.tag() == "rgba");
        if COUNTS.contains(&name) {
            el.set_count(name, &mut 0);
        } else if FLAGS.contains(&name) && !numeric {
            el.set_flag(name, &mut false);
        } else if let Some((_, words)) = WORDS.iter().find(|w| w.0 == name) {
            let words: Vec<(&str, i32)> = words.iter().map(|&w| (w, 0)).collect();
            el.keyword(name, &words);
        } else {
            el.list(name);
        }
    }
}

/// Checks an element and all below it.
pub(super) fn check_tree(el: El<'_>) {
    let mut stack = vec![el];
    while let Some(el) = stack.pop() {
        check(el);
        stack.extend(el.children());
    }
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            base: Default::default(),
            body: 0,
            frame: None,
            pose: Pose::default(),
            mode: 0,
            target: Ref::default(),
            fovy: 45.0,
        }
    }
}

impl Default for Light {
    fn default() -> Self {
        Self {
            base: Default::default(),
            body: 0,
            frame: None,
            pos: DVec3::ZERO,
            dir: DVec3::NEG_Z,
            mode: 0,
            target: Ref::default(),
        }
    }
}

/// Reads the attributes of a camera over what it has.
pub(super) fn camera(el: El<'_>, compiler: &Compiler, to: &mut Camera) {
    to.base.at.note(el);
    check(el);
    pose(el, compiler, &mut to.pose);
    el.set_keyword("mode", CAMERA_MODES, &mut to.mode);
    reference(el, "target", &mut to.target);
    el.set_positive("fovy", &mut to.fovy);
    intrinsics(el, to);
    if to.fovy >= 180.0 {
        el.wrong("fovy", format!("fovy is too large: {}", to.fovy), "less than 180 degrees");
    }
}

/// Reads the attributes of a light over what it has.
pub(super) fn light(el: El<'_>, to: &mut Light) {
    to.base.at.note(el);
    check(el);
    if let Some(pos) = el.fixed("pos") {
        to.pos = DVec3::from_array(pos);
    }
    if let Some(dir) = el.fixed("dir") {
        to.dir = DVec3::from_array(dir);
        if to.dir.length() < 1e-10 {
            el.wrong("dir", "the direction of the light is zero", "for example dir=\"0 0 -1\"");
        }
    }
    el.set_keyword("mode", CAMERA_MODES, &mut to.mode);
    el.keyword("type", &[("spot", 0), ("directional", 1), ("point", 2), ("image", 3)]);
    reference(el, "target", &mut to.target);
}

/// The field of view of a camera that is given by its sensor and focal length.
fn intrinsics(el: El<'_>, to: &mut Camera) {
    let Some([_, height]) = el.fixed("sensorsize") else {
        return;
    };
    let ratio = match (el.fixed::<2>("focal"), el.fixed::<2>("focalpixel"), el.fixed::<2>("resolution")) {
        (_, Some([_, focal]), Some([_, pixels])) if focal > 0.0 => pixels / focal,
        (Some([_, focal]), ..) if focal > 0.0 => height / focal,
        _ => return,
    };
    to.fovy = 2.0 * (ratio / 2.0).atan().to_degrees();
}
