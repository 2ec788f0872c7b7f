//! The window: worlds that move under the hands of a user or of a planner.

mod app;
mod carry;
mod history;
mod keys;
mod many;
mod model_files;
mod mouse;
mod mpc;
mod noise;
mod panels;
mod picture;
mod plots;
mod scene;
mod screen;
mod series;
mod session;
mod traces;
mod window;

pub(crate) use app::App;
pub(crate) use model_files::ModelFiles;
pub(crate) use mpc::Mpc;
pub(crate) use session::Session;
pub(crate) use window::open;
