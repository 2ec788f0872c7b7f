//! One world on the CPU: every Data field as a flat array, generated from the field table.

use std::borrow::Cow;

use super::Model;
use super::candidates::NearPairs;
use super::descent::{ConeLine, Descent, Helpers};
use super::flex_tree::FlexTree;
use super::hessian::Hessian;
use super::jacobian::Jacobian;
use super::kept::Kept;
use super::metric::Metric;
use crate::real::Real;
pub use crate::schema::Capacity;
use crate::schema::enums::solver;
use crate::schema::stages::Stage;
use crate::schema::{
    Column, Field, Need, Needs, Role, Sizes, Tolerance, Traits, Values, ValuesMut, column, counts,
    data_fields::data_table, dim, elem, ids, role, values,
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
            /// Threads that may work on this world at a time, where it is large; 0 is one. Results do not depend on it.
            pub threads: usize,
            /// What the world holds fields for; others are empty. [`Data::hold`] adds to it.
            pub held: Needs,
            /// Hessian of the last solution, of islands that Newton's method has solved; away while its rows are read.
            pub hessian: Option<Box<Hessian<T>>>,
            /// The metric of the integrator `discrete`; none with others.
            pub metric: Option<Box<Metric<T>>>,
            /// What other threads solve islands in.
            pub helpers: Helpers<T>,
            /// What the solver's last search noted of contacts with elliptic cones.
            pub cone_lines: Vec<ConeLine<T>>,
            /// Places of the rows of `efc_J`.
            pub jacobian: Jacobian,
            /// Pairs of geoms that are near each other, in a large world; away while they are listed.
            pub near_pairs: Option<Box<NearPairs<T>>>,
            /// Hierarchies of the elements of flexes, of those that have collided; each away while it is read.
            pub flex_trees: Vec<FlexTree<T>>,
            /// What stages leave out of sleeping trees, see [`Data::keep_asleep`]; `None` if they compute everything.
            pub kept: Option<Box<Kept<T>>>,
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
                let (capacity_limit, threads) = (self.capacity_limit, self.threads);
                let mut hessian = self.hessian.clone();
                if let Some(hessian) = &mut hessian {
                    hessian.reserve(self.sizes.ntree, self.sizes.nv);
                }
                let (jacobian, near_pairs) = (self.jacobian.clone(), self.near_pairs.clone());
                let (sizes, held, kept) = (self.sizes, self.held, self.kept.clone());
                // nothing is read from them later
                let cone_lines = Vec::with_capacity(self.cone_lines.capacity());
                let mut data = Self {
                    sizes, capacity_limit, threads, held, hessian, jacobian, near_pairs, kept,
                    cone_lines, metric: self.metric.clone(), flex_trees: self.flex_trees.clone(), ..Self::default()
                };
                $(data.$name.clone_from(&self.$name);)*
                data
            }
        }

        impl<T: Real> Default for Data<T> {
            fn default() -> Self {
                Self {
                    sizes: Sizes::default(), capacity_limit: Capacity::default(), threads: 0, held: Needs::NONE,
                    hessian: None, helpers: Helpers::default(), jacobian: Jacobian::default(), near_pairs: None,
                    kept: None, metric: None, flex_trees: Vec::new(), cone_lines: Vec::new(), $($name: Vec::new(),)*
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
            pub const READS: &'static [fn(&Self) -> Values<'_, T>] = &[$(|data| stored!(data $name)),*];

            /// For each field, in the order of the table: its values as they are stored, to be changed.
            pub const WRITES: &'static [fn(&mut Self) -> ValuesMut<'_, T>] =
                &[$(|data| Column::<T>::values_mut(&mut data.$name)),*];

            /// For each field, in the order of the table: its real values, as they are stored.
            pub const REAL_READS: &'static [fn(&Self) -> &[T]] = &[$(|data| Column::<T>::reals(&data.$name)),*];

            /// [`Data::REAL_READS`], to be changed.
            pub const REAL_WRITES: &'static [fn(&mut Self) -> &mut [T]] =
                &[$(|data| Column::<T>::reals_mut(&mut data.$name)),*];

            /// A world of the given sizes, all zero, with every field of the table.
            pub fn zeroed(sizes: Sizes) -> Self {
                Self::zeroed_with(sizes, Needs::ALL, false)
            }

            /// A world of the given sizes, all zero, with the fields that are needed, and the rows of its Jacobian packed
            /// or whole.
            pub(crate) fn zeroed_with(sizes: Sizes, held: Needs, is_packed: bool) -> Self {
                let mut fields = Self::FIELDS.iter().map(|f| stored_len(f, &sizes, held, is_packed));
                let mut next = move || fields.next().unwrap_or(0);
                let mut data = Self { sizes, held, ..Self::default() };
                $(data.$name = <column!($elem, T) as Column<T>>::zeroed(next());)*
                data.jacobian.is_packed = is_packed;
                data.jacobian.lengthen(sizes.njmax, sizes.nv);
                data
            }

            /// A world of the given sizes, all zero, with some fields alone; others are empty.
            pub fn with_fields(sizes: Sizes, wanted: impl Fn(&Field) -> bool) -> Self {
                let length = |f: &Field| if wanted(f) { f.len(&sizes) } else { 0 };
                let mut fields = Self::FIELDS.iter().map(length);
                let mut data = Self { sizes, held: Needs::ALL, ..Self::default() };
                $(data.$name = <column!($elem, T) as Column<T>>::zeroed(fields.next().unwrap_or(0));)*
                data
            }

            /// Lengthens every field whose first axis is a capacity; false, and nothing is changed, if there is no memory.
            fn lengthen(&mut self, sizes: Sizes) -> bool {
                let (held, is_packed) = (self.held, self.jacobian.is_packed);
                let lengths = Self::FIELDS.iter().map(|f| stored_len(f, &sizes, held, is_packed));
                let mut all = lengths.clone();
                $(if !Column::<T>::reserve(&mut self.$name, all.next().unwrap_or(0)) {
                    return false;
                })*
                let mut all = lengths;
                $(Column::<T>::lengthen(&mut self.$name, all.next().unwrap_or(0));)*
                self.jacobian.lengthen(sizes.njmax, sizes.nv);
                self.sizes = sizes;
                true
            }

            /// Gives fields that are not held yet their length, in zeros.
            fn fill_up(&mut self) {
                let (sizes, held, is_packed) = (self.sizes, self.held, self.jacobian.is_packed);
                let mut all = Self::FIELDS.iter().map(|f| stored_len(f, &sizes, held, is_packed));
                $(Column::<T>::lengthen(&mut self.$name, all.next().unwrap_or(0));)*
            }

            /// Bytes of all fields.
            fn bytes_of_fields(&self) -> usize {
                0 $(+ size_of_val(self.$name.as_slice()))*
            }

            /// Copies the fields with the wanted roles from a world of the same capacities. What that does not hold is zero.
            pub fn copy_fields(&mut self, from: &Self, wanted: impl Fn(Role) -> bool) {
                $(if wanted(role!($role)) {
                    self.$name.clone_from(&from.$name);
                })*
                if self.held != from.held {
                    self.held = self.held.and(from.held);
                    self.fill_up();
                }
                if wanted(Role::Result(Stage::make_constraint)) {
                    self.jacobian.clone_from(&from.jacobian);
                }
                if false $(|| (!role!($role).is_state() && wanted(role!($role))))* {
                    self.forget_asleep();
                }
            }

            /// One field by name, empty if [the world does not hold it](Data::holds); `efc_J` with all elements of each row.
            pub fn get(&self, name: &str) -> Option<Values<'_, T>> {
                match name { $(stringify!($name) => Some(stored!(self $name)),)* _ => None }
            }

            /// Mutable access to a field by name, as it is stored. After access to `efc_J`, rows of
            /// this world are whole, and none of their elements is known to be zero.
            pub fn get_mut(&mut self, name: &str) -> Option<ValuesMut<'_, T>> {
                if name == "efc_J" {
                    self.forget_spans();
                }
                match name {
                    $(stringify!($name) => {
                        if !role!($role).is_state() {
                            self.forget_asleep();
                        }
                        Some(Column::<T>::values_mut(&mut self.$name))
                    })*
                    _ => None,
                }
            }

            /// The same world in another precision.
            pub fn cast<U: Real>(&self) -> Data<U> {
                let (sizes, capacity_limit, held) = (self.sizes, self.capacity_limit, self.held);
                let mut data = Data::<U> { sizes, capacity_limit, held, ..Data::default() };
                data.jacobian = self.jacobian.clone();
                data.metric = self.metric.as_ref().map(|metric| Box::new(metric.cast()));
                $(data.$name = Column::<T>::cast::<U>(&self.$name);)*
                data
            }
        }
    };
}
/// Values of a field as they are asked for: as they are stored, but for packed rows of the Jacobian.
macro_rules! stored {
    ($data:ident efc_J) => {
        Values::Real($data.whole_rows())
    };
    ($data:ident dual_MinvJT) => {
        Values::Real($data.whole_rows_of(&$data.dual_MinvJT, $data.sizes.ndual))
    };
    ($data:ident $name:ident) => {
        Column::<T>::values(&$data.$name)
    };
}

/// Fields with a row for each constraint row, which may be packed.
const PACKED: [&str; 2] = ["efc_J", "dual_MinvJT"];

/// Elements of a field in a new world; packed rows of the Jacobian are added as they come.
fn stored_len(field: &Field, sizes: &Sizes, held: Needs, is_packed: bool) -> usize {
    let is_empty = !held.has(field.traits.need) || is_packed && PACKED.contains(&field.name);
    if is_empty { 0 } else { field.len(sizes) }
}

data_table!(define_data);

impl<T: Real> Data<T> {
    /// True if the world holds a field; one that it does not hold is empty.
    pub fn holds(&self, field: &Field) -> bool {
        self.held.has(field.traits.need)
    }

    /// Takes memory for the fields with a need, unless the world has it. Stages call it before they use such fields: a
    /// world of a model that needs them has them from the beginning.
    #[inline(always)]
    pub fn hold(&mut self, need: Need) {
        if !self.held.has(need) {
            self.hold_more(need);
        }
    }

    /// Bytes that the world holds. Packed rows of the Jacobian count as far as steps have used them.
    pub fn bytes(&self) -> usize {
        let hessian = self.hessian.as_ref().map_or(0, |hessian| hessian.bytes());
        let near = self.near_pairs.as_ref().map_or(0, |near| near.bytes());
        let kept = self.kept.as_ref().map_or(0, |_| Kept::<T>::bytes(&self.sizes));
        let fields = self.bytes_of_fields() + self.jacobian.bytes();
        let metric = self.metric.as_ref().map_or(0, |metric| metric.bytes());
        let trees: usize = self.flex_trees.iter().map(FlexTree::bytes).sum();
        let lines = self.cone_lines.capacity() * size_of::<ConeLine<T>>();
        size_of::<Self>() + fields + metric + hessian + self.helpers.bytes() + near + trees + kept + lines
    }

    #[cold]
    fn hold_more(&mut self, need: Need) {
        self.held = self.held.with(need);
        self.fill_up();
    }

    /// The Jacobian with all elements of each row, `[njmax, nv]`; what lies beyond the last row of packed ones is zero.
    pub fn whole_rows(&self) -> Cow<'_, [T]> {
        self.whole_rows_of(&self.efc_J, self.sizes.njmax)
    }

    /// `count` whole rows of a field whose rows lie as those of the Jacobian do.
    fn whole_rows_of<'a>(&self, stored: &'a [T], count: usize) -> Cow<'a, [T]> {
        if !self.jacobian.is_packed {
            return Cow::Borrowed(stored);
        }
        let nv = self.sizes.nv;
        let mut whole = vec![T::ZERO; count * nv];
        let rows = (self.nefc[0].max(0) as usize).min(self.sizes.njmax);
        // a world that has not solved yet has no rows of the dual problem
        let rows = if stored.len() < self.jacobian.used { 0 } else { rows };
        for (r, row) in whole.chunks_exact_mut(nv).enumerate().take(rows) {
            self.widen_row(stored, r, row);
        }
        Cow::Owned(whole)
    }

    /// All elements of a row of the Jacobian, into zeros.
    pub fn copy_whole_row(&self, r: usize, out: &mut [T]) {
        self.widen_row(&self.efc_J, r, out);
    }

    fn widen_row(&self, stored: &[T], r: usize, out: &mut [T]) {
        for (begin, end) in self.jacobian.places[r].ranges {
            let (begin, end) = (begin as usize, end as usize);
            let first = self.row_index(r, begin);
            out[begin..end].copy_from_slice(&stored[first..first + (end - begin)]);
        }
    }

    /// Stores all elements of each row of the Jacobian from now on.
    fn unpack_rows(&mut self) {
        if self.jacobian.is_packed {
            self.dual_MinvJT = self.whole_rows_of(&self.dual_MinvJT, self.sizes.ndual).into_owned();
            self.efc_J = self.whole_rows().into_owned();
            self.jacobian = Jacobian::default();
            self.jacobian.lengthen(self.sizes.njmax, self.sizes.nv);
        }
    }

    /// Degrees of freedom of a row of the Jacobian before and after its gap, outside of which it is zero; the second range
    /// is empty where there is no gap.
    #[inline(always)]
    pub fn row_parts(&self, r: usize) -> [(usize, usize); 2] {
        let (begin, end) = (self.efc_dof_begin[r] as usize, self.efc_dof_end[r] as usize);
        let gap = (self.efc_gap_begin[r] as usize, self.efc_gap_end[r] as usize);
        if gap.0 < gap.1 { [(begin, gap.0), (gap.1, end)] } else { [(begin, end), (end, end)] }
    }

    /// Elements of a row of the Jacobian for some degrees of freedom within one of its [parts](Data::row_parts), or of its
    /// tree.
    #[inline(always)]
    pub fn row(&self, r: usize, begin: usize, end: usize) -> &[T] {
        let first = self.row_index(r, begin);
        &self.efc_J[first..first + (end - begin)]
    }

    /// [`Data::row`], of rows that are known to be [plain](Jacobian::is_plain).
    #[inline(always)]
    pub fn row_if<const PLAIN: bool>(&self, r: usize, begin: usize, end: usize) -> &[T] {
        let first = self.row_index_if::<PLAIN>(r, begin);
        &self.efc_J[first..first + (end - begin)]
    }

    /// Place in `efc_J` of the element of a row for a degree of freedom.
    #[inline(always)]
    pub fn row_index(&self, r: usize, dof: usize) -> usize {
        if self.jacobian.is_packed { self.jacobian.places[r].index(dof) } else { r * self.sizes.nv + dof }
    }

    /// [`Data::row_index`], in rows that are known to be [plain](Jacobian::is_plain).
    #[inline(always)]
    pub fn row_index_if<const PLAIN: bool>(&self, r: usize, dof: usize) -> usize {
        if PLAIN { r * self.sizes.nv + dof } else { self.row_index(r, dof) }
    }

    /// Takes the Hessian out of the world, so that it is written while the world is read; whoever takes it puts it back.
    pub fn take_hessian(&mut self) -> Box<Hessian<T>> {
        self.hessian.take().unwrap_or_default()
    }

    /// Exchanges the vectors of a solver's iterations with those of the world.
    fn exchange_descent(&mut self, descent: &mut Descent<T>) {
        let own = [
            &mut self.qacc,
            &mut self.qfrc_constraint,
            &mut self.solver_Ma,
            &mut self.solver_Mv,
            &mut self.solver_grad,
            &mut self.solver_search,
            &mut self.solver_Mgrad,
            &mut self.efc_force,
            &mut self.solver_Jaref,
            &mut self.solver_Jv,
        ];
        own.into_iter().zip(descent.all_mut()).for_each(|(own, other)| std::mem::swap(own, other));
        std::mem::swap(&mut self.solver_quadratic, &mut descent.solver_quadratic);
        std::mem::swap(&mut self.cone_lines, &mut descent.cone_lines);
    }

    /// Takes the vectors of a solver's iterations out of the world, so that they are written while the world is read;
    /// whoever takes them [puts them back](Data::put_descent).
    pub fn take_descent(&mut self) -> Descent<T> {
        let mut descent = Descent::default();
        self.exchange_descent(&mut descent);
        descent
    }

    /// Puts back what [`Data::take_descent`] took.
    pub fn put_descent(&mut self, mut descent: Descent<T>) {
        self.exchange_descent(&mut descent);
    }

    /// Takes all rows of the Jacobian for full, after writes to it from outside of the pipeline.
    pub fn forget_spans(&mut self) {
        self.unpack_rows();
        self.efc_dof_begin.fill(0);
        self.efc_dof_end.fill(self.sizes.nv as i32);
        self.efc_gap_begin.fill(0);
        self.efc_gap_end.fill(0);
        self.jacobian.has_gaps = false;
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
        let sizes = to.sizes(model);
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
        let nflexcon = if model.sizes.nflex > 0 { self.nconmax } else { 0 };
        let (nasleep, nasleepq) =
            if model.has_sleep() { (model.sizes.ntree, model.sizes.nq) } else { (0, 0) };
        Sizes {
            nconmax: self.nconmax,
            njmax: self.njmax,
            nH: nh,
            ndual,
            nadhesive,
            nflexcon,
            nasleep,
            nasleepq,
            ..model.sizes
        }
    }
}
