//! One world on the CPU: every Data field as a flat array, generated from the field table.

use super::Model;
use crate::cpu::actuation::history;
use crate::real::Real;
use crate::schema::enums::solver;
use crate::schema::{
    Column, Field, Sizes, Tolerance, Traits, Values, ValuesMut, column, data_fields::data_table, dim, elem,
    ids,
};

macro_rules! define_data {
    ($($stage:ident $name:ident: $elem:ident $(($($ids:tt)*))? [$($d:tt)*] $unit:literal $doc:literal $({ $($trait:tt)* })?;)*) => {
        /// State and results of one world.
        #[allow(non_snake_case)]
        pub struct Data<T: Real = f64> {
            /// Axis lengths, capacities included.
            pub sizes: Sizes,
            $(
                #[doc = $doc]
                #[doc = concat!("\n\nUnit: ", $unit, ". Shape: `[", stringify!($($d),*), "]`. Written by: ", stringify!($stage), ".")]
                pub $name: column!($elem, T),
            )*
        }

        // by hand and one field at a time, as for `Model`
        impl<T: Real> Clone for Data<T> {
            fn clone(&self) -> Self {
                let mut data = Self { sizes: self.sizes, ..Self::default() };
                $(data.$name.clone_from(&self.$name);)*
                data
            }
        }

        impl<T: Real> Default for Data<T> {
            fn default() -> Self {
                Self { sizes: Sizes::default(), $($name: Vec::new(),)* }
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
                traits: Traits { $($($trait)*,)? ..Traits::USUAL }, stage: stringify!($stage),
            },)*];

            /// A world of the given sizes, all zero.
            pub fn zeroed(sizes: Sizes) -> Self {
                let mut fields = Self::FIELDS.iter().map(|f| f.len(&sizes));
                let mut next = move || fields.next().unwrap_or(0);
                let mut data = Self { sizes, ..Self::default() };
                $(data.$name = <column!($elem, T) as Column<T>>::zeroed(next());)*
                data
            }

            /// One field by name.
            pub fn get(&self, name: &str) -> Option<Values<'_, T>> {
                match name { $(stringify!($name) => Some(Column::<T>::values(&self.$name)),)* _ => None }
            }

            /// Mutable access to a field by name.
            pub fn get_mut(&mut self, name: &str) -> Option<ValuesMut<'_, T>> {
                match name { $(stringify!($name) => Some(Column::<T>::values_mut(&mut self.$name)),)* _ => None }
            }

            /// The same world in another precision.
            pub fn cast<U: Real>(&self) -> Data<U> {
                let mut data = Data::<U> { sizes: self.sizes, ..Data::default() };
                $(data.$name = Column::<T>::cast::<U>(&self.$name);)*
                data
            }
        }
    };
}
data_table!(define_data);

/// Fixed capacities of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Contacts.
    pub nconmax: usize,
    /// Constraint rows.
    pub njmax: usize,
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

/// Counters that steps accumulate.
pub const COUNTERS: &[&str] = &["status", "nreset", "ncon_peak", "nefc_peak"];

impl<T: Real> Data<T> {
    /// Resets the counters that steps accumulate.
    pub fn clear_counters(&mut self) {
        for counter in [&mut self.status, &mut self.nreset, &mut self.ncon_peak, &mut self.nefc_peak] {
            counter.fill(0);
        }
    }

    /// A world of `model` in its initial state.
    pub fn new(model: &Model<T>, capacity: Capacity) -> Self {
        let mut data = Self::zeroed(capacity.sizes(model));
        data.reset(model, None);
        data
    }

    /// Resets the state to the model's initial one or to a keyframe; status and counters are kept.
    ///
    /// The caller checks that the keyframe exists.
    pub fn reset(&mut self, model: &Model<T>, key: Option<usize>) {
        let s = &model.sizes;
        self.time[0] = T::ZERO;
        self.time_compensation[0] = T::ZERO;
        self.qpos.copy_from_slice(&model.qpos0);
        for field in [&mut self.qvel, &mut self.act, &mut self.qacc_warmstart, &mut self.ctrl] {
            field.fill(T::ZERO);
        }
        self.qfrc_applied.fill(T::ZERO);
        self.xfrc_applied.fill(T::ZERO);
        self.eq_active.copy_from_slice(&model.eq_active0);
        // trees moved by a keyframe are awake
        if !self.tree_asleep.is_empty() {
            self.tree_asleep.copy_from_slice(&model.tree_asleep0);
            self.asleep_qpos.copy_from_slice(&model.qpos0);
        }
        history::reset(model, self);
        // mocap bodies start at their model poses
        for body in 0..s.nbody {
            if let Ok(id) = usize::try_from(model.body_mocapid[body]) {
                self.mocap_pos[3 * id..3 * id + 3].copy_from_slice(&model.body_pos[3 * body..3 * body + 3]);
                self.mocap_quat[4 * id..4 * id + 4].copy_from_slice(&model.body_quat[4 * body..4 * body + 4]);
            }
        }
        if let Some(k) = key {
            fn row<T>(v: &[T], k: usize, n: usize) -> &[T] {
                &v[k * n..(k + 1) * n]
            }
            self.time[0] = model.key_time[k];
            self.qpos.copy_from_slice(row(&model.key_qpos, k, s.nq));
            self.qvel.copy_from_slice(row(&model.key_qvel, k, s.nv));
            self.act.copy_from_slice(row(&model.key_act, k, s.na));
            self.ctrl.copy_from_slice(row(&model.key_ctrl, k, s.nu));
            self.mocap_pos.copy_from_slice(row(&model.key_mpos, k, 3 * s.nmocap));
            self.mocap_quat.copy_from_slice(row(&model.key_mquat, k, 4 * s.nmocap));
        }
    }
}
