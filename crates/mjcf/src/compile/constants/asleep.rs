//! Trees asleep at initialisation: those marked so, unless in contact with one that is not.

use manyworlds_cpu::position;
use manyworlds_cpu::sleep::asleep::AWAKE;
use manyworlds_cpu::sleep::sleep::may_sleep;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::model::unsupported;
use manyworlds_model::schema::enums::sleep as policy;
use manyworlds_model::schema::enums::status;

use crate::compile::Build;

/// Initial contact capacity, and constraint rows per contact.
const CONTACTS: usize = 256;
const ROWS: usize = 10;

impl Build<'_> {
    /// Fills `tree_asleep0`: the trees of an island sleep together.
    pub(crate) fn asleep(&mut self) {
        self.model.tree_asleep0.fill(AWAKE);
        let wanted: Vec<bool> = self.model.tree_sleep_policy.iter().map(|p| *p == policy::INIT).collect();
        // an unsupported model has no contacts to evaluate
        if !self.model.has_sleep() || !wanted.contains(&true) || unsupported::check(&self.model).is_err() {
            return;
        }
        let island = islands(&self.model);
        let island = &island;
        let mates = |t: usize| (0..wanted.len()).filter(move |&o| o == t || together(island, t, o));
        for t in 0..wanted.len() {
            if mates(t).all(|o| wanted[o]) {
                // cyclic list: the last tree points to the first
                let next = mates(t).find(|&o| o > t).or_else(|| mates(t).next());
                self.model.tree_asleep0[t] = next.map_or(AWAKE, |o| o as i32);
            } else if wanted[t] {
                self.stays_awake(t);
            } else if may_sleep(&self.model, t) {
                // the initial state counts as one step of rest
                self.model.tree_asleep0[t] = AWAKE + 1;
            }
        }
    }

    /// Warns that a tree marked as asleep starts awake.
    fn stays_awake(&self, tree: usize) {
        let body = &self.spec.bodies[self.model.tree_bodyadr[tree] as usize];
        let message =
            format!("{} starts awake: it touches what is not to sleep", self.called("body", &body.base));
        let help = "give all bodies that touch each other sleep='init'";
        self.log.warn(body.base.at.of("sleep"), message, help);
    }
}

/// True if both trees are in the same island.
fn together(island: &[i32], a: usize, b: usize) -> bool {
    island[a] >= 0 && island[a] == island[b]
}

/// Island of each tree at `qpos0` with all trees awake; -1 for none.
fn islands(model: &Model) -> Vec<i32> {
    let mut contacts = CONTACTS;
    loop {
        let rows = ROWS * contacts
            + 2 * (model.sizes.njnt + model.sizes.ntendon)
            + 6 * model.sizes.neq
            + model.sizes.nv;
        let mut data = Data::new(model, Capacity { nconmax: contacts, njmax: rows });
        position(model, &mut data);
        if data.status[0] & (status::CONTACT_OVERFLOW | status::CONSTRAINT_OVERFLOW) == 0 {
            return data.tree_island;
        }
        contacts = contacts.max(data.ncon_peak[0] as usize) * 2;
    }
}
