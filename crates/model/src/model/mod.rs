//! The compiled model: flat arrays under MuJoCo's names, generated from the field table.

pub mod candidates;
pub mod capacity;
pub mod data;
pub mod descent;
pub mod features;
pub mod flex_tree;
pub mod formula;
pub mod hessian;
pub mod history;
pub mod incidence;
pub mod jacobian;
mod keep_asleep;
pub mod kept;
mod key;
pub mod leaf;
pub mod metric;
mod names;
mod needs;
pub mod patches;
pub mod schedule;
pub mod smooth;
pub mod state;
pub mod structure;
pub mod task;
pub mod texture;
pub mod unsupported;

use crate::error::Problem;
use crate::real::Real;
use crate::schema::enums::{disable, enable, solver};
use crate::schema::{
    Column, Field, OwnedValues, Rule, Sizes, Traits, Values, ValuesMut, column, counts, dim, elem, ids,
    model_fields::model_table, values, variation::inputs,
};

pub use crate::schema::kinds::Names;
pub use key::{DataField, FieldName, ModelField};

/// A control or state beyond this is bad (`mjMAXVAL`).
pub const MAX_VALUE: f64 = 1e10;

macro_rules! define_model {
    ($($name:ident: $elem:ident $(($($ids:tt)*))? [$($d:tt)*] $unit:literal $doc:literal $({ $($trait:tt)* })?;)*) => {
        /// A compiled model, constant during simulation.
        #[allow(non_snake_case)]
        pub struct Model<T: Real = f64> {
            /// Axis lengths.
            pub sizes: Sizes,
            /// Names of the objects of each kind.
            pub names: Names,
            /// Warnings of the compiler.
            pub warnings: Vec<Problem>,
            /// What is observed and rewarded, see [`Model::set_task`](crate::model::Model::set_task).
            pub task: Option<std::sync::Arc<task::Program>>,
            /// What user sensors measure, see [`formula`].
            pub formulas: Option<std::sync::Arc<task::Program>>,
            /// Laws in code, see [`Model::add_leaf`](crate::model::Model::add_leaf).
            pub leaves: Vec<leaf::Leaf>,
            /// Where the pixels of textures come from, in the order of their ids.
            pub textures: Vec<texture::Texture>,
            $(
                #[doc = $doc]
                #[doc = concat!("\n\nUnit: ", $unit, ". Shape: `[", stringify!($($d),*), "]`.")]
                pub $name: column!($elem, T),
            )*
        }

        /// Places in the table.
        #[allow(non_camel_case_types)]
        enum Place { $($name),* }

        /// Every field of a model as a constant, for [`crate::model::ModelField`].
        #[allow(non_upper_case_globals)]
        pub mod field {
            use super::Place;
            use crate::model::ModelField;
            $(#[doc = $doc] pub const $name: ModelField = ModelField::at(Place::$name as usize);)*
        }

        // By hand: derives do not accept macro-generated field types. One field at a time: a single struct
        // expression would need drop code for every prefix of the fields, and minutes to compile.
        impl<T: Real> Clone for Model<T> {
            fn clone(&self) -> Self {
                let mut model = Self { sizes: self.sizes, ..Self::default() };
                model.names.clone_from(&self.names);
                model.warnings.clone_from(&self.warnings);
                model.task.clone_from(&self.task);
                model.formulas.clone_from(&self.formulas);
                model.leaves.clone_from(&self.leaves);
                model.textures.clone_from(&self.textures);
                $(model.$name.clone_from(&self.$name);)*
                model
            }
        }

        impl<T: Real> Default for Model<T> {
            fn default() -> Self {
                Self { sizes: Sizes::default(), names: Default::default(), warnings: Default::default(), task: None, formulas: None, leaves: Vec::new(), textures: Vec::new(), $($name: Vec::new(),)* }
            }
        }

        impl<T: Real> PartialEq for Model<T> {
            fn eq(&self, other: &Self) -> bool {
                self.sizes == other.sizes && self.names == other.names && self.warnings == other.warnings && self.task == other.task && self.formulas == other.formulas && self.leaves == other.leaves && self.textures == other.textures $(&& self.$name == other.$name)*
            }
        }

        impl<T: Real> std::fmt::Debug for Model<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct("Model").field("sizes", &self.sizes).finish_non_exhaustive()
            }
        }

        impl<T: Real> Model<T> {
            /// Table entries of all Model fields.
            pub const FIELDS: &'static [Field] = &[$(Field {
                name: stringify!($name), elem: elem!($elem), dims: &[$(dim!($d)),*],
                unit: $unit, doc: $doc, ids: ids!($elem $($($ids)*)?),
                counts: counts!($elem $($($ids)*)?), values: values!($elem $($($ids)*)?),
                traits: Traits { $($($trait)*,)? ..Traits::USUAL }, role: $crate::schema::Role::Constant,
            },)*];

            /// For each field, in the order of the table: exchanges its column for another.
            pub const EXCHANGES: &'static [fn(&mut Self, &mut OwnedValues<T>)] =
                &[$(|model, other| Column::<T>::exchange(&mut model.$name, other)),*];

            /// For each field, in the order of the table: its values.
            pub const READS: &'static [fn(&Self) -> Values<'_, T>] =
                &[$(|model| Column::<T>::values(&model.$name)),*];

            /// For each field, in the order of the table: its real values.
            pub const REAL_READS: &'static [fn(&Self) -> &[T]] = &[$(|model| Column::<T>::reals(&model.$name)),*];

            /// [`Model::REAL_READS`], to be changed.
            pub const REAL_WRITES: &'static [fn(&mut Self) -> &mut [T]] =
                &[$(|model| Column::<T>::reals_mut(&mut model.$name)),*];

            /// A model of the given sizes, all zero.
            pub fn zeroed(sizes: Sizes) -> Self {
                let mut fields = Self::FIELDS.iter().map(|f| f.len(&sizes));
                let mut next = move || fields.next().unwrap_or(0);
                let mut model = Self { sizes, ..Self::default() };
                $(model.$name = <column!($elem, T) as Column<T>>::zeroed(next());)*
                model
            }

            /// One field by name.
            pub fn get(&self, name: &str) -> Option<Values<'_, T>> {
                match name { $(stringify!($name) => Some(Column::<T>::values(&self.$name)),)* _ => None }
            }

            /// Mutable access to a field by name.
            pub fn get_mut(&mut self, name: &str) -> Option<ValuesMut<'_, T>> {
                match name { $(stringify!($name) => Some(Column::<T>::values_mut(&mut self.$name)),)* _ => None }
            }

            /// The same model in another precision.
            pub fn cast<U: Real>(&self) -> Model<U> {
                self.cast_fields(|_| true)
            }

            /// [`Model::cast`] of some fields; others are empty.
            pub fn cast_fields<U: Real>(&self, wanted: impl Fn(&Field) -> bool) -> Model<U> {
                let mut model = Model::<U> { sizes: self.sizes, ..Model::default() };
                model.names.clone_from(&self.names);
                model.warnings.clone_from(&self.warnings);
                model.task.clone_from(&self.task);
                model.formulas.clone_from(&self.formulas);
                model.leaves.clone_from(&self.leaves);
                model.textures.clone_from(&self.textures);
                let mut fields = Self::FIELDS.iter();
                $(if fields.next().is_some_and(&wanted) {
                    model.$name = Column::<T>::cast::<U>(&self.$name);
                })*
                model
            }
        }
    };
}
model_table!(define_model);

/// Most iterations of a solver or of a search in one step, and most starts of a search, in a batch: on a GPU, a watchdog ends what runs much longer.
pub const MAX_ITERATIONS: i32 = 10_000;

impl<T: Real> Model<T> {
    /// The model as a batch steps it: iterations at most [`MAX_ITERATIONS`].
    pub fn bounded(&self) -> std::borrow::Cow<'_, Self> {
        let limits = [
            &self.opt_iterations,
            &self.opt_ls_iterations,
            &self.opt_noslip_iterations,
            &self.opt_sdf_iterations,
            &self.opt_sdf_initpoints,
        ];
        if limits.iter().all(|n| n[0] <= MAX_ITERATIONS) {
            return std::borrow::Cow::Borrowed(self);
        }
        let mut model = self.clone();
        for limit in [
            &mut model.opt_iterations[0],
            &mut model.opt_ls_iterations[0],
            &mut model.opt_noslip_iterations[0],
            &mut model.opt_sdf_iterations[0],
            &mut model.opt_sdf_initpoints[0],
        ] {
            *limit = (*limit).min(MAX_ITERATIONS);
        }
        std::borrow::Cow::Owned(model)
    }

    /// True if constraint forces are found row by row, and the acceleration follows from them: by a solver of the dual problem,
    /// by noslip, or in closed form.
    pub fn is_dual(&self) -> bool {
        self.opt_solver[0] == solver::PGS || self.is_smooth() || self.opt_noslip_iterations[0] > 0
    }

    /// True if some geom or pair has adhesion.
    pub fn has_adhesion(&self) -> bool {
        self.geom_adhesion.iter().chain(&self.pair_adhesion).any(|force| *force != T::ZERO)
    }

    /// True if sleeping is enabled. Trees sleep by islands.
    pub fn has_sleep(&self) -> bool {
        self.enabled(enable::SLEEP) && !self.disabled(disable::ISLAND) && self.sizes.ntree > 0
    }

    /// True if a bit of `opt_disableflags` is set.
    #[inline]
    pub fn disabled(&self, bit: i32) -> bool {
        self.opt_disableflags[0] & bit != 0
    }

    /// True if a bit of `opt_enableflags` is set.
    #[inline]
    pub fn enabled(&self, bit: i32) -> bool {
        self.opt_enableflags[0] & bit != 0
    }
}
