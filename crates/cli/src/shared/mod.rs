//! What several verbs share.

pub(crate) mod arguments;
pub(crate) mod contents;
pub(crate) mod dense;
pub(crate) mod drive;
pub(crate) mod input;
pub(crate) mod interrupt;
pub(crate) mod measure;
pub(crate) mod output;
pub(crate) mod planned;
pub(crate) mod problem;
pub(crate) mod states;
pub(crate) mod summary;
pub(crate) mod version;
pub(crate) mod worlds;
