//! From a file or string to a model in one call: joins the readers, the compiler and the writer.

use std::path::Path;

use crate::compile::compile;
use crate::mjcf;
use crate::spec::Spec;
use manyworlds_model::assets::Assets;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;

/// Loads a model file: parses and compiles XML, or reads a compiled model if the name ends with `.mwb`.
///
/// # Errors
/// [`Error::Model`] with every problem and its location, [`Error::Io`] if the file
/// cannot be read.
pub fn load<P: AsRef<Path> + ?Sized>(path: &P) -> Result<Model> {
    load_with(path.as_ref(), &Assets::default())
}

/// Loads a model file as [`load`], it and its files from memory where they are there.
///
/// # Errors
/// As [`load`].
pub fn load_with(path: &Path, assets: &Assets) -> Result<Model> {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("mwb")) {
        return compile(&mjcf::parse_with(path, assets)?);
    }
    let fail = |reason: String| Error::io(path.to_owned(), reason);
    let bytes = assets.read(path, u64::MAX).map_err(|e| fail(e.to_string()))?;
    Model::from_mwb(&bytes).map_err(|e| fail(e.to_string()))
}

/// Loads a model from a string.
///
/// ```
/// # mod manyworlds { pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
/// let model = manyworlds::load_str(
///     "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>",
/// )?;
/// assert_eq!(model.sizes.nv, 6);
/// # Ok::<(), manyworlds::error::Error>(())
/// ```
pub fn load_str(text: &str) -> Result<Model> {
    compile(&mjcf::parse_str(text, "model.xml")?)
}

/// Loads a model from a string, and the files that it names from memory where they are there, as MuJoCo's
/// `from_xml_string` with `assets`.
///
/// # Errors
/// [`Error::Model`] with every problem and its location.
pub fn load_str_with(text: &str, assets: &Assets) -> Result<Model> {
    compile(&mjcf::parse_str_with(text, "model.xml", assets)?)
}

impl Spec {
    /// Reads a model file, with all files that it includes or attaches.
    ///
    /// # Errors
    /// [`Error::Model`] with every problem and its location.
    pub fn from_file(path: &Path) -> Result<Self> {
        mjcf::parse(path)
    }

    /// Reads a model from a string.
    ///
    /// # Errors
    /// [`Error::Model`] with every problem and its location.
    pub fn from_text(text: &str) -> Result<Self> {
        mjcf::parse_str(text, "model.xml")
    }

    /// Reads a model file, it and its files from memory where they are there.
    ///
    /// # Errors
    /// [`Error::Model`] with every problem and its location.
    pub fn from_file_with(path: &Path, assets: &Assets) -> Result<Self> {
        mjcf::parse_with(path, assets)
    }

    /// Reads a model from a string, and its files from memory where they are there. They stay in
    /// [`assets`](Spec::assets) for meshes and textures that are added or compiled later.
    ///
    /// # Errors
    /// [`Error::Model`] with every problem and its location.
    pub fn from_text_with(text: &str, assets: &Assets) -> Result<Self> {
        mjcf::parse_str_with(text, "model.xml", assets)
    }

    /// Compiles the model; it can be edited and compiled again.
    ///
    /// # Errors
    /// [`Error::Model`] with every problem, located if read from files.
    pub fn compile(&self) -> Result<Model> {
        compile(self)
    }

    /// The model as MJCF without defaults, includes or attached models. `folder` is the folder of the output file:
    /// asset paths are relative to it.
    ///
    /// ```
    /// # mod manyworlds { pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
    /// use manyworlds::spec::*;
    /// let mut spec = Spec::new();
    /// spec.add_geom(0, Geom { size: [0.1, 0.0, 0.0], ..Geom::default() })?;
    /// let text = spec.to_xml(std::path::Path::new("."))?;
    /// assert_eq!(Spec::from_text(&text)?.compile()?, spec.compile()?);
    /// # Ok::<(), manyworlds::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Model`] if the model does not compile.
    pub fn to_xml(&self, folder: &Path) -> Result<String> {
        Ok(mjcf::write(self, &self.compile()?, folder))
    }
}
