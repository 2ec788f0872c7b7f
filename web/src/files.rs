//! Files that were dropped on the page.

use std::path::Path;

use manyworlds::assets::Assets;
use wasm_bindgen::prelude::*;

use crate::report::thrown;

/// Bytes of the start of a file that are searched for its root element.
const HEAD: usize = 1 << 16;

/// Models with their meshes, textures and includes.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Files {
    pub(crate) assets: Assets,
}

#[wasm_bindgen]
impl Files {
    /// None yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; of a zip archive, the files in it.
    ///
    /// # Errors
    /// A list of problems as JSON for a broken archive.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), JsValue> {
        if !has_ending(name, "zip") {
            self.assets.insert(name, bytes);
            return Ok(());
        }
        let archive = Assets::from_zip(bytes).map_err(thrown)?;
        for file in archive.names() {
            if let Some(bytes) = archive.get(file) {
                self.assets.insert(file, bytes);
            }
        }
        Ok(())
    }

    /// Names of the files that are models, the likeliest first: those that no other file names, scenes before robots.
    pub fn models(&self) -> Vec<String> {
        let mut models: Vec<(bool, bool, usize, String)> = Vec::new();
        for name in self.assets.names() {
            let Some(bytes) = self.assets.get(name).filter(|bytes| is_model(name, bytes)) else { continue };
            let word = file_name(name);
            let used = self.assets.names().any(|other| {
                let is_text = other != name && (has_ending(other, "xml") || has_ending(other, "urdf"));
                is_text && self.assets.get(other).is_some_and(|text| contains(text, word.as_bytes()))
            });
            // a text without bodies is a part that others include
            let has_bodies =
                [&b"<worldbody"[..], b"<robot", b"<include"].iter().any(|tag| contains(bytes, tag));
            let empty = !has_ending(name, "mwb") && !has_bodies;
            let depth = name.matches('/').count();
            let scene = word.to_lowercase().contains("scene");
            models.push((used || empty, !scene, depth, name.to_owned()));
        }
        models.sort();
        models.into_iter().map(|model| model.3).collect()
    }
}

fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    !word.is_empty() && bytes.windows(word.len()).any(|part| part == word)
}

/// True for compiled models, and for texts of which an element starts as that of a model. A text that is broken counts,
/// so that the page can say what is wrong with it.
fn is_model(name: &str, bytes: &[u8]) -> bool {
    if has_ending(name, "mwb") {
        return true;
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    let is_text = has_ending(name, "xml") || has_ending(name, "urdf") || has_ending(name, "mjcf");
    is_text && (contains(head, b"<mujoco") || contains(head, b"<robot")) && !contains(head, b"<mujocoinclude")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn the_scene_comes_before_the_robot_that_it_includes() {
        let mut files = Files::new();
        files.add("robot/arm.xml", b"<mujoco><worldbody><body name='a'/></worldbody></mujoco>").unwrap();
        files.add("robot/scene.xml", b"<mujoco><include file='arm.xml'/></mujoco>").unwrap();
        files.add("robot/urdf/arm.urdf", b"<robot name='arm'/>").unwrap();
        files.add("robot/defaults.xml", b"<mujoco><default/></mujoco>").unwrap();
        files.add("robot/notes.xml", b"<notes/>").unwrap();
        files.add("robot/mesh.stl", b"solid").unwrap();
        assert_eq!(
            files.models(),
            ["robot/scene.xml", "robot/urdf/arm.urdf", "robot/arm.xml", "robot/defaults.xml"]
        );
    }
}
