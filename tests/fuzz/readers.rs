//! The readers: each takes bytes and returns a word for the outcome.

use manyworlds::error::Error;
use manyworlds::mesh::{Fault, Format, Raw, Settings, finish, read_heights, read_png};
use manyworlds::model::Model;

/// A file reader.
pub(crate) struct Reader {
    /// Name of the test and of its folders.
    pub(crate) name: &'static str,
    /// True if inputs are text.
    pub(crate) text: bool,
    /// Reads an input.
    pub(crate) read: fn(&[u8]) -> String,
}

/// Calls a macro with the names of all readers.
macro_rules! for_each {
    ($with:ident) => {
        $with!(mjcf urdf stl obj msh gmsh skin png field mwb);
    };
}
pub(crate) use for_each;

const READERS: &[Reader] = &[
    Reader { name: "mjcf", text: true, read: model },
    Reader { name: "urdf", text: true, read: model },
    Reader { name: "stl", text: false, read: |bytes| mesh("stl", bytes) },
    Reader { name: "obj", text: true, read: |bytes| mesh("obj", bytes) },
    Reader { name: "msh", text: false, read: |bytes| mesh("msh", bytes) },
    Reader { name: "gmsh", text: true, read: |bytes| within(bytes, "gmsh", GMSH) },
    Reader { name: "skin", text: false, read: |bytes| within(bytes, "skin", SKIN) },
    Reader { name: "png", text: false, read: |bytes| told(read_png(bytes)) },
    Reader { name: "field", text: false, read: |bytes| told(read_heights(bytes)) },
    Reader { name: "mwb", text: false, read: compiled },
];

pub(crate) fn find(name: &str) -> &'static Reader {
    READERS.iter().find(|r| r.name == name).unwrap()
}

/// Reads and compiles a model; its first problem is the outcome.
fn model(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    match manyworlds::load_str(&text) {
        Ok(model) => format!("good {}", model.warnings.first().map_or("", |w| &w.message)),
        Err(Error::Model(problems)) => problems.first().map_or(String::new(), |p| p.message.clone()),
        Err(other) => other.to_string(),
    }
}

/// Reads a mesh and computes all that a model needs of it: normals, hull, polygons, inertia.
fn mesh(format: &str, input: &[u8]) -> String {
    let raw = Format::of(&format!("a.{format}")).unwrap().read(input);
    told(raw.and_then(|raw: Raw| finish(raw, &Settings::default())))
}

fn told<T>(outcome: Result<T, Fault>) -> String {
    outcome.map_or_else(|fault| fault.message, |_| "good".to_owned())
}

/// Models that read a file, whose name replaces FILE.
const GMSH: &str =
    "<mujoco><worldbody><flexcomp name='f' type='gmsh' dim='3' file='FILE'/></worldbody></mujoco>";
const SKIN: &str = "<mujoco><asset><skin name='s' file='FILE'/></asset>
<worldbody><body name='bone'><geom size='.1'/></body></worldbody></mujoco>";

/// Reads a file through a model, if its reader is not a function of its own.
fn within(input: &[u8], reader: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("manyworlds-fuzz-{}.{reader}", std::process::id()));
    std::fs::write(&path, input).unwrap();
    model(text.replace("FILE", &path.display().to_string()).as_bytes())
}

/// Length of the header, and positions of the payload's length and checksum.
const HEADER: usize = 28;

/// Reads a compiled model. Most inputs get a correct length and checksum, so that reading continues.
fn compiled(input: &[u8]) -> String {
    let mut bytes = input.to_vec();
    if bytes.len() > HEADER && !bytes.len().is_multiple_of(8) {
        let length = (bytes.len() - HEADER) as u64;
        let crc = crc32fast::hash(&bytes[HEADER..]);
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        bytes[24..28].copy_from_slice(&crc.to_le_bytes());
    }
    match Model::from_mwb(&bytes) {
        Ok(_) => "good".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Generated inputs, not stored in the corpus: compiled models follow from the table of fields.
pub(crate) fn made(name: &str, models: &[Vec<u8>]) -> Vec<Vec<u8>> {
    if name != "mwb" {
        return Vec::new();
    }
    let compiled =
        |text: &Vec<u8>| manyworlds::load_str(&String::from_utf8_lossy(text)).ok().map(|m| m.to_mwb());
    models.iter().filter_map(compiled).collect()
}
