//! Data fields: one value per world. The first word is the field's [role](crate::schema::Role): a kind of state, `action`,
//! `task`, `scratch`, `integrator`, or the stage that writes the field.

mod force;
mod integrate;
mod position;
mod state;
mod task;
mod velocity;
mod views;

pub(crate) use force::force_data;
pub(crate) use integrate::integrate_data;
pub(crate) use position::position_data;
pub(crate) use state::state_data;
pub(crate) use task::task_data;
pub(crate) use velocity::velocity_data;
pub(crate) use views::views_data;

/// Hands the rows of all sections to a macro, in this order.
macro_rules! data_table {
    ($with:ident) => {
        $crate::schema::gather! { $with data_fields [state_data position_data velocity_data force_data integrate_data views_data task_data] {} {} }
    };
}
pub(crate) use data_table;
