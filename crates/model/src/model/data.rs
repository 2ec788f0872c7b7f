//! One world on the CPU: every Data field as a flat array, generated from the field table.

use super::Model;
use super::hessian::Hessian;
use crate::real::Real;
pub use crate::schema::Capacity;
use crate::schema::enums::solver;
use crate::schema::{
    Column, Field, Sizes, Tolerance, Traits, Values, ValuesMut, column, counts, data_fields::data_table, dim,
    elem, ids, role, values,
};

macro_rules! define_data {
    ($($role:ident $name:ident: $elem:ident $(($($ids:tt)*))? [$($d:tt)*] $unit:literal $doc:literal $({ $($trait:tt)* })?;)*) => {
        /// State and results of one world.
        #[allow(non_snake_case)]
        pub struct Data<T: Real = f64> {
            /// Axis lengths, capacities included.
            pub sizes: Sizes,
            /// Capacities up to which the world grows where it needs more than it has.
            pub capacity_limit: Capacity,
            /// Hessian of the last solution, of islands that Newton's method has solved.
            pub hessian: Hessian<T>,
            $(
                #[doc = $doc]
                #[doc = concat!("\n\nUnit: ", $unit, ". Shape: `[", stringify!($($d),*), "]`. Role: ", stringify!($role), ".")]
                pub $name: column!($elem, T),
            )*
        }

        /// Places in the table.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Place { $($name),* }

        /// Every field of Data as a constant, for [`crate::model::DataField`].
        #[allow(non_upper_case_globals)]
        pub mod field {
            use super::Place;
            use crate::model::DataField;
            $(#[doc = $doc] pub const $name: DataField = DataField::at(Place::$name as usize);)*
        }

        // by hand and one field at a time, as for `Model`
        impl<T: Real> Clone for Data<T> {
            fn clone(&self) -> Self {
                let (capacity_limit, hessian) = (self.capacity_limit, self.hessian.clone());
                let mut data = Self { sizes: self.sizes, capacity_limit, hessian, ..Self::default() };
                $(data.$name.clone_from(&self.$name);)*
                data
            }
        }

        impl<T: Real> Default for Data<T> {
            fn default() -> Self {
                Self {
                    sizes: Sizes::default(), capacity_limit: Capacity::default(), hessian: Hessian::default(),
                    $($name: Vec::new(),)*
                }
            }
        }

        impl<T: Real> PartialEq for Data<T> {
            fn eq(&self, other: &Self) -> bool {
                self.sizes == other.sizes $(&& self.$name == other.$name)*
            }
        }

        impl<T: Real> std::fmt::Debug for Data<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct("Data").field("sizes", &self.sizes).finish_non_exhaustive()
            }
        }

        impl<T: Real> Data<T> {
            /// Table entries of all Data fields.
            pub const FIELDS: &'static [Field] = &[$(Field {
                name: stringify!($name), elem: elem!($elem), dims: &[$(dim!($d)),*],
                unit: $unit, doc: $doc, ids: ids!($elem $($($ids)*)?),
                counts: counts!($elem $($($ids)*)?), values: values!($elem $($($ids)*)?),
                traits: Traits { $($($trait)*,)? ..Traits::USUAL }, role: role!($role),
            },)*];

            /// For each field, in the order of the table: its values.
            pub const READS: &'static [fn(&Self) -> Values<'_, T>] =
                &[$(|data| Column::<T>::values(&data.$name)),*];

            /// For each field, in the order of the table: its values, to be changed.
            pub const WRITES: &'static [fn(&mut Self) -> ValuesMut<'_, T>] =
                &[$(|data| Column::<T>::values_mut(&mut data.$name)),*];

            /// A world of the given sizes, all zero.
            pub fn zeroed(sizes: Sizes) -> Self {
                let mut fields = Self::FIELDS.iter().map(|f| f.len(&sizes));
                let mut next = move || fields.next().unwrap_or(0);
                let mut data = Self { sizes, ..Self::default() };
                $(data.$name = <column!($elem, T) as Column<T>>::zeroed(next());)*
                data
            }

            /// Lengthens every field whose first axis is a capacity; false, and nothing is changed, if there is no memory.
            fn lengthen(&mut self, sizes: Sizes) -> bool {
                let lengths = Self::FIELDS.iter().map(|f| f.len(&sizes));
                let mut all = lengths.clone();
                $(if !Column::<T>::reserve(&mut self.$name, all.next().unwrap_or(0)) {
                    return false;
                })*
                let mut all = lengths;
                $(Column::<T>::lengthen(&mut self.$name, all.next().unwrap_or(0));)*
                self.sizes = sizes;
                true
            }

            /// One field by name.
            pub fn get(&self, name: &str) -> Option<Values<'_, T>> {
                match name { $(stringify!($name) => Some(Column::<T>::values(&self.$name)),)* _ => None }
            }

            /// Mutable access to a field by name. After access to `efc_J`, none of its elements is known to be zero.
            pub fn get_mut(&mut self, name: &str) -> Option<ValuesMut<'_, T>> {
                if name == "efc_J" {
                    self.forget_spans();
                }
                match name { $(stringify!($name) => Some(Column::<T>::values_mut(&mut self.$name)),)* _ => None }
            }

            /// The same world in another precision.
            pub fn cast<U: Real>(&self) -> Data<U> {
                let mut data = Data::<U> { sizes: self.sizes, capacity_limit: self.capacity_limit, ..Data::default() };
                $(data.$name = Column::<T>::cast::<U>(&self.$name);)*
                data
            }
        }
    };
}
data_table!(define_data);

impl<T: Real> Data<T> {
    /// Takes all rows of the Jacobian for full, after writes to it from outside of the pipeline.
    pub fn forget_spans(&mut self) {
        self.efc_dof_begin.fill(0);
        self.efc_dof_end.fill(self.sizes.nv as i32);
        self.efc_gap_begin.fill(0);
        self.efc_gap_end.fill(0);
    }
}

impl<T: Real> Data<T> {
    /// Enlarges the capacities to what the world wants and more, as far as [`Data::capacity_limit`] reaches; true if that is
    /// more than there was. What is in the fields stays.
    pub fn grow(&mut self, model: &Model<T>, wanted: Capacity) -> bool {
        let now = self.capacity();
        let to = wanted.with_margin(self.capacity_limit).elementwise_max(now);
        to != now && self.lengthen(self.sizes_of(model, to))
    }

    /// Sizes with other capacities. A world whose adhesion is zero while others have some keeps room for it.
    fn sizes_of(&self, model: &Model<T>, to: Capacity) -> Sizes {
        let sizes = Sizes { nH: self.sizes.nH, ..to.sizes(model) };
        let nadhesive = if self.sizes.nadhesive > 0 { to.nconmax } else { sizes.nadhesive };
        Sizes { nadhesive, ..sizes }
    }

    /// The capacities of the world.
    pub fn capacity(&self) -> Capacity {
        Capacity::of(&self.sizes)
    }

    /// Gives the world larger capacities, whatever its limit; false if there is no memory.
    pub fn widen(&mut self, model: &Model<T>, to: Capacity) -> bool {
        let to = to.elementwise_max(self.capacity());
        to == self.capacity() || self.lengthen(self.sizes_of(model, to))
    }
}

impl Capacity {
    /// Sizes of a world of `model` with these capacities; fields of unused solvers and features have length zero.
    pub fn sizes<T: Real>(self, model: &Model<T>) -> Sizes {
        let nh = if model.opt_solver[0] == solver::NEWTON { model.sizes.nH } else { 0 };
        let ndual = if model.is_dual() { self.njmax } else { 0 };
        let nadhesive = if model.has_adhesion() { self.nconmax } else { 0 };
        let (nasleep, nasleepq) =
            if model.has_sleep() { (model.sizes.ntree, model.sizes.nq) } else { (0, 0) };
        Sizes {
            nconmax: self.nconmax,
            njmax: self.njmax,
            nH: nh,
            ndual,
            nadhesive,
            nasleep,
            nasleepq,
            ..model.sizes
        }
    }
}
