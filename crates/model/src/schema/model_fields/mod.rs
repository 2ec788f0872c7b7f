//! Model fields: constant during simulation, except fields that a batch expands to one value per world.

mod actuation;
mod assets;
mod cameras;
mod collision;
mod constraint;
mod custom;
mod flexes;
mod options;
mod sensor;
mod tree;
mod visual;

pub(crate) use actuation::actuation_fields;
pub(crate) use assets::assets_fields;
pub(crate) use cameras::cameras_fields;
pub(crate) use collision::collision_fields;
pub(crate) use constraint::constraint_fields;
pub(crate) use custom::custom_fields;
pub(crate) use flexes::flexes_fields;
pub(crate) use options::options_fields;
pub(crate) use sensor::sensor_fields;
pub(crate) use tree::tree_fields;
pub(crate) use visual::visual_fields;

/// Passes the rows of all sections to a macro, in this order.
macro_rules! model_table {
    ($with:ident) => {
        $crate::schema::gather! { $with model_fields [options_fields visual_fields tree_fields collision_fields assets_fields cameras_fields flexes_fields actuation_fields constraint_fields sensor_fields custom_fields] {} {} }
    };
}
pub(crate) use model_table;
