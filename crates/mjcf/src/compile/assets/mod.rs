//! Assets: meshes, height fields, skins, textures and their files.

pub(crate) mod files;
pub(crate) mod hfields;
pub(crate) mod meshes;
pub(crate) mod skins;
pub(crate) mod textures;
