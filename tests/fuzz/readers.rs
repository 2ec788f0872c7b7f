//! The readers: each takes bytes and returns a word for the outcome.

use std::io::{Cursor, Write};
use std::path::Path;

use manyworlds::assets::Assets;
use manyworlds::error::Error;
use manyworlds::formats::npz;
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::images::Image;
use manyworlds::mesh::{Fault, Format, Raw, Settings, finish, read_heights, read_png};
use manyworlds::spec::{Kind, Part, Spec};

use super::compiled;
use super::files::files;
use super::mutate::{Random, changed};

/// A file reader.
pub(crate) struct Reader {
    /// Name of the test and of its folders.
    pub(crate) name: &'static str,
    /// True if inputs that are refused join the pool: they would be refused again where nothing mends them.
    pub(crate) keeps_refused: bool,
    /// Makes an input from a pool of others.
    pub(crate) change: fn(&[Vec<u8>], &mut Random) -> Vec<u8>,
    /// Reads an input.
    pub(crate) read: fn(&[u8]) -> String,
}

/// Changes of texts, and of other files.
fn text(pool: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    changed(pool, true, random)
}

fn bytes(pool: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    changed(pool, false, random)
}

/// Calls a macro with the names of all readers.
macro_rules! for_each {
    ($with:ident) => {
        $with!(mjcf urdf stl stl_text obj msh gmsh skin png field zip npz mwb numbers);
    };
}
pub(crate) use for_each;

const READERS: &[Reader] = &[
    Reader { name: "mjcf", keeps_refused: true, change: text, read: model },
    Reader { name: "urdf", keeps_refused: true, change: text, read: model },
    Reader { name: "stl", keeps_refused: true, change: bytes, read: |bytes| shape("stl", bytes) },
    Reader { name: "stl_text", keeps_refused: true, change: text, read: |bytes| shape("stl", bytes) },
    Reader { name: "obj", keeps_refused: true, change: text, read: |bytes| shape("obj", bytes) },
    Reader { name: "msh", keeps_refused: true, change: bytes, read: |bytes| mesh("msh", bytes) },
    Reader { name: "gmsh", keeps_refused: true, change: text, read: |bytes| within(bytes, "gmsh", GMSH) },
    Reader { name: "skin", keeps_refused: true, change: bytes, read: |bytes| within(bytes, "skin", SKIN) },
    Reader { name: "png", keeps_refused: true, change: bytes, read: picture },
    Reader {
        name: "field",
        keeps_refused: true,
        change: bytes,
        read: |bytes| outcome_text(read_heights(bytes)),
    },
    Reader { name: "zip", keeps_refused: true, change: bytes, read: folder },
    Reader { name: "npz", keeps_refused: true, change: bytes, read: arrays },
    Reader { name: "mwb", keeps_refused: true, change: bytes, read: compiled::patched },
    Reader { name: "numbers", keeps_refused: false, change: compiled::changed, read: compiled::whole },
];

pub(crate) fn find(name: &str) -> &'static Reader {
    READERS.iter().find(|r| r.name == name).unwrap()
}

/// Reads and compiles a model; its first problem is the outcome.
fn model(input: &[u8]) -> String {
    outcome(&String::from_utf8_lossy(input), files())
}

fn outcome(text: &str, assets: &Assets) -> String {
    let read = Spec::from_text_with(text, assets).and_then(|spec| Ok((spec.compile()?, spec)));
    match read {
        Ok((model, spec)) => {
            if model.sizes.nbody < MOST_BODIES {
                edited(spec);
            }
            format!("good {}", model.warnings.first().map_or("", |w| &w.message))
        }
        Err(Error::Model(problems)) => problems.first().map_or(String::new(), |p| p.message.clone()),
        Err(other) => other.to_string(),
    }
}

/// Most bodies of a model that is edited.
const MOST_BODIES: usize = 60;

/// Writes a model and reads it again, attaches a copy, and removes a body: nothing of it may panic.
fn edited(mut spec: Spec) {
    let written = spec.to_xml(Path::new("."));
    drop(written.and_then(|text| Spec::from_text_with(&text, files())?.compile()));
    let copy = spec.clone();
    let parent = spec.bodies.len() / 2;
    drop(spec.attach(&copy, Part::World, parent, "copy_", ""));
    drop(spec.attach(&copy, Part::Body(parent), 0, "", "_body"));
    drop(spec.compile());
    drop(spec.remove_with_referrers(Kind::Body, 1));
    drop(spec.compile());
}

/// Reads a mesh and computes all that a model needs of it: normals, hull, polygons, inertia.
fn mesh(format: &str, input: &[u8]) -> String {
    let raw = Format::of(&format!("a.{format}")).unwrap().read(input);
    outcome_text(raw.and_then(|raw: Raw| finish(raw, &Settings::default())))
}

fn outcome_text<T>(outcome: Result<T, Fault>) -> String {
    outcome.map_or_else(|fault| fault.message, |_| "good".to_owned())
}

/// Reads a mesh as an asset, and as a deformable body.
fn shape(format: &str, input: &[u8]) -> String {
    format!("{} {}", mesh(format, input), within(input, format, FLEX))
}

/// Reads a picture as a height field, as the model's texture, and its pixels.
fn picture(input: &[u8]) -> String {
    drop(Image::decode(input, 3));
    format!("{} {}", outcome_text(read_png(input)), within(input, "png", TEXTURE))
}

/// Reads a folder of files in an archive.
fn folder(input: &[u8]) -> String {
    let read = Assets::from_zip(input);
    read.map_or_else(|e| e.to_string(), |assets| format!("good {}", assets.len()))
}

/// Models that read a file, whose name replaces FILE.
const FLEX: &str = "<mujoco><worldbody><body name='b'><flexcomp name='f' type='mesh' dim='2' mass='1' file='FILE'/></body></worldbody></mujoco>";
const TEXTURE: &str = "<mujoco><asset><texture name='t' type='cube' file='FILE'/><material name='m' texture='t'/></asset></mujoco>";
const GMSH: &str =
    "<mujoco><worldbody><flexcomp name='f' type='gmsh' dim='3' file='FILE'/></worldbody></mujoco>";
const SKIN: &str = "<mujoco><asset><skin name='s' file='FILE'/></asset>
<worldbody><body name='bone'><geom size='.1'/></body></worldbody></mujoco>";

/// Reads a file through a model.
fn within(input: &[u8], reader: &str, text: &str) -> String {
    let name = format!("input.{reader}");
    let mut assets = Assets::new();
    assets.insert(&name, input);
    outcome(&text.replace("FILE", &name), &assets)
}

/// Reads arrays.
fn arrays(input: &[u8]) -> String {
    let path = std::env::temp_dir().join(format!("manyworlds-fuzz-{}.npz", std::process::id()));
    std::fs::write(&path, input).unwrap();
    let read = npz::read(&path);
    read.map_or_else(
        |error| error.to_string().replace(&path.display().to_string(), ""),
        |arrays| arrays.into_keys().collect(),
    )
}

/// Generated inputs, not stored in the corpus: compiled models follow from the table of fields, archives are binary.
pub(crate) fn made(name: &str, models: &[Vec<u8>]) -> Vec<Vec<u8>> {
    match name {
        "mwb" => compiled::of_texts(models),
        "numbers" => compiled::of_texts(models).into_iter().chain(compiled::of_files()).collect(),
        "npz" => vec![archive()],
        "zip" => vec![zipped()],
        _ => Vec::new(),
    }
}

/// An archive of a folder with files.
fn zipped() -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    writer.add_directory("robot", options).unwrap();
    for name in ["part.xml", "plain.obj"] {
        writer.start_file(format!("robot/{name}"), options).unwrap();
        writer.write_all(files().get(name).unwrap()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// An archive with an array of each type.
fn archive() -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("manyworlds-fuzz-{}-made.npz", std::process::id()));
    let reals = Array { shape: vec![2, 3], data: ArrayData::F64((0..6).map(f64::from).collect()) };
    let whole = Array { shape: vec![4], data: ArrayData::I32(vec![1, 2, 3, 4]) };
    npz::write(&path, &[("qpos".to_owned(), reals), ("eq_active".to_owned(), whole)]).unwrap();
    std::fs::read(&path).unwrap()
}
