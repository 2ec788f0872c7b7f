//! The initial state of a world, and resets to it.

use std::sync::LazyLock;

use super::data::{Capacity, Data};
use super::jacobian::Jacobian;
use super::{Model, history};
use crate::real::Real;
use crate::schema::enums::{solver, status};
use crate::schema::{Field, Role, Values, ValuesMut};

/// Status bits of a world that has diverged.
pub const DIVERGED: i32 = status::BAD_QPOS | status::BAD_QVEL | status::BAD_QACC;

/// Status bits of a world whose motion is not that of its model: it has diverged, or steps left out what they could not
/// compute.
pub const UNTRUE: i32 = DIVERGED | status::BAD_CTRL | status::SINGULAR_INERTIA | status::LOOP_LIMIT;

/// Names of the fields of a world that have one of these roles, in the order of the table.
///
/// ```
/// use manyworlds_model::model::state::names;
/// use manyworlds_model::schema::Role;
/// assert_eq!(names(&[Role::Time, Role::Motion]).collect::<Vec<_>>(), ["time", "qpos", "qvel", "act"]);
/// ```
pub fn names(roles: &[Role]) -> impl Iterator<Item = &'static str> + Clone {
    Data::<f64>::FIELDS.iter().filter(|f| roles.contains(&f.role)).map(|f| f.name)
}

/// The fields of a world that keyframes hold, in the order of the table: each with the field of the model that has them for
/// every keyframe, whose name is that of MJCF's attribute behind `key_`.
///
/// ```
/// use manyworlds_model::model::state::keyframe_fields;
/// let names: Vec<_> = keyframe_fields().map(|(field, key)| (field.name, key.name)).collect();
/// assert_eq!(names[1], ("qpos", "key_qpos"));
/// assert_eq!(names[5], ("mocap_pos", "key_mpos"));
/// assert_eq!(names.len(), 7);
/// ```
pub fn keyframe_fields() -> impl Iterator<Item = (&'static Field, &'static Field)> {
    KEYFRAME_PLACES.iter().map(|(field, key)| (&Data::<f64>::FIELDS[*field], &Model::<f64>::FIELDS[*key]))
}

/// Places of these fields in the tables of Data and of the model: names are compared once, not at every reset.
static KEYFRAME_PLACES: LazyLock<Vec<(usize, usize)>> = LazyLock::new(|| {
    let holds = |key: &Field, field: &Field| match (key.name.strip_prefix("key_"), field.name) {
        (Some(attribute), name) if field.role.is_state() => match name.strip_prefix("mocap_") {
            // `mpos` for `mocap_pos`
            Some(short) => attribute.strip_prefix('m') == Some(short),
            None => attribute == name,
        },
        _ => false,
    };
    let key_of = |field: &Field| Model::<f64>::FIELDS.iter().position(|key| holds(key, field));
    let fields = Data::<f64>::FIELDS.iter().enumerate();
    fields.filter_map(|(place, field)| Some((place, key_of(field)?))).collect()
});

impl<T: Real> Data<T> {
    /// Resets the counters that steps accumulate.
    pub fn clear_counters(&mut self) {
        self.zero(|field| field.role == Role::Counter);
    }

    /// Zeroes some of the fields.
    fn zero(&mut self, chosen: impl Fn(&Field) -> bool) {
        for (_, values) in Self::FIELDS.iter().zip(Self::WRITES).filter(|(field, _)| chosen(field)) {
            match values(self) {
                ValuesMut::Real(values) => values.fill(T::ZERO),
                ValuesMut::Int(values) => values.fill(0),
            }
        }
    }

    /// A world of `model` in its initial state.
    pub fn new(model: &Model<T>, capacity: Capacity) -> Self {
        let mut data = Self::zeroed_with(capacity.sizes(model), model.needs(), Jacobian::packs(model));
        let widest = model.tree_dofnum.iter().max().map_or(0, |n| *n as usize);
        if data.jacobian.is_packed
            && data.efc_J.try_reserve_exact(capacity.njmax * (2 * widest).min(model.sizes.nv)).is_err()
        {
            // it grows with the rows, as far as there is memory
            data.efc_J = Vec::new();
        }
        if model.opt_solver[0] == solver::NEWTON {
            data.hessian.get_or_insert_default().reserve(model.sizes.ntree, model.sizes.nv);
        }
        if model.sizes.nsap > 0 {
            data.near_pairs.get_or_insert_default().reserve(model);
        }
        data.reset(model, None);
        data
    }

    /// Resets the world to the model's initial state or to a keyframe, and zeroes what was computed of the state before;
    /// status and counters are kept.
    ///
    /// The caller checks that the keyframe exists.
    pub fn reset(&mut self, model: &Model<T>, key: Option<usize>) {
        self.clear_results();
        self.reset_state(model, key);
    }

    /// Zeroes everything that follows from the state.
    pub fn clear_results(&mut self) {
        self.forget_asleep();
        self.zero(Field::is_zeroed_by_reset);
    }

    /// Resets the state alone: results stay.
    pub fn reset_state(&mut self, model: &Model<T>, key: Option<usize>) {
        let s = &model.sizes;
        self.time[0] = T::ZERO;
        self.time_compensation[0] = T::ZERO;
        self.qpos.copy_from_slice(&model.qpos0);
        for field in [&mut self.qvel, &mut self.act, &mut self.qacc_warmstart, &mut self.ctrl] {
            field.fill(T::ZERO);
        }
        // states of laws
        for (state, numeric) in model.formulas.iter().flat_map(|formulas| formulas.states()) {
            self.act[*state] = model.numeric_data[*numeric];
        }
        self.qfrc_applied.fill(T::ZERO);
        self.xfrc_applied.fill(T::ZERO);
        self.action.fill(T::ZERO);
        self.eq_active.copy_from_slice(&model.eq_active0);
        // trees moved by a keyframe are awake
        if !self.tree_asleep.is_empty() {
            self.tree_asleep.copy_from_slice(&model.tree_asleep0);
            self.asleep_qpos.copy_from_slice(&model.qpos0);
        }
        self.history_compensation.fill(T::ZERO);
        history::reset_histories(model, &mut self.history, &mut self.ctrl);
        // mocap bodies start at their model poses
        for body in 0..s.nbody {
            if let Ok(id) = usize::try_from(model.body_mocapid[body]) {
                self.mocap_pos[3 * id..3 * id + 3].copy_from_slice(&model.body_pos[3 * body..3 * body + 3]);
                self.mocap_quat[4 * id..4 * id + 4].copy_from_slice(&model.body_quat[4 * body..4 * body + 4]);
            }
        }
        if let Some(k) = key {
            self.set_keyframe(model, k);
        }
    }

    /// Sets what a keyframe holds.
    fn set_keyframe(&mut self, model: &Model<T>, key: usize) {
        for (field, of_key) in KEYFRAME_PLACES.iter() {
            let (to, from) = (Self::WRITES[*field](self), Model::<T>::READS[*of_key](model));
            if let (ValuesMut::Real(to), Values::Real(from)) = (to, from) {
                let len = to.len();
                to.copy_from_slice(&from[key * len..(key + 1) * len]);
            }
        }
    }
}
