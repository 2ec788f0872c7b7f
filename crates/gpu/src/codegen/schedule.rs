//! Order of the stages of a step on the GPU: what needs no contact comes first, so that one dispatch hands it on within
//! itself.

use std::collections::{BTreeMap, BTreeSet};

use manyworlds_model::model::data::Data;
use manyworlds_model::schema::Role;
use manyworlds_model::schema::stages::{Room, Stage};

/// Fields that a stage reads and writes.
#[derive(Clone, Debug, Default)]
pub struct StageAccess {
    /// Fields read.
    pub reads: BTreeSet<&'static str>,
    /// Fields written.
    pub writes: BTreeSet<&'static str>,
}

impl StageAccess {
    /// True if two stages may not change places. Bits of the status are only ever set, in any order; scratch memory that
    /// both write is theirs alone while they run.
    fn conflicts(&self, other: &Self) -> bool {
        let both_write = |f: &str| self.writes.contains(f) && other.writes.contains(f);
        let free = |f: &str| f == "status" || (both_write(f) && is_scratch(f));
        let meet = |a: &BTreeSet<&str>, b: &BTreeSet<&str>| a.intersection(b).any(|f| !free(f));
        meet(&self.writes, &other.reads)
            || meet(&self.reads, &other.writes)
            || meet(&self.writes, &other.writes)
    }
}

fn is_scratch(field: &str) -> bool {
    Data::<f64>::FIELDS.iter().any(|f| f.name == field && f.role == Role::Scratch)
}

/// Accesses of every stage that a model has.
pub type Accesses = BTreeMap<Stage, StageAccess>;

/// The stages with those of constraints as late as they may be: another stage passes them, unless one of them, or a
/// stage that stayed behind them, writes what it reads or reads what it writes. The results are the same.
pub fn constraints_last(stages: impl Iterator<Item = Stage>, accesses: &Accesses) -> Vec<Stage> {
    let conflict = |a: Stage, b: Stage| match (accesses.get(&a), accesses.get(&b)) {
        (Some(a), Some(b)) => a.conflicts(b),
        _ => true,
    };
    let mut ahead = Vec::new();
    let mut behind: Vec<Stage> = Vec::new();
    for stage in stages {
        match stage {
            _ if [Room::collision, Room::constraint].contains(&stage.room()) => behind.push(stage),
            // nothing passes the solver
            Stage::solve => {
                ahead.append(&mut behind);
                ahead.push(stage);
            }
            _ if behind.iter().any(|other| conflict(stage, *other)) => behind.push(stage),
            _ => ahead.push(stage),
        }
    }
    ahead.append(&mut behind);
    ahead
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(stages: &[(Stage, &'static str, &'static str)]) -> Vec<Stage> {
        let of = |names: &'static str| names.split_whitespace().collect();
        let access = |&(stage, reads, writes): &(Stage, &'static str, &'static str)| {
            (stage, StageAccess { reads: of(reads), writes: of(writes) })
        };
        constraints_last(stages.iter().map(|s| s.0), &stages.iter().map(access).collect())
    }

    #[test]
    fn independent_stages_pass_constraints() {
        use Stage::{collision, com_vel, kinematics, make_constraint, reference_constraint, rne, solve};
        let stages = [
            (kinematics, "qpos", "xpos"),
            (collision, "xpos work_x status", "contact_pos work_x status"),
            (make_constraint, "contact_pos", "efc_J"),
            (com_vel, "xpos work_x status", "cvel work_x status"),
            (reference_constraint, "efc_J", "efc_aref"),
            (rne, "cvel", "qfrc_bias"),
            (solve, "efc_aref qfrc_bias", "qacc"),
        ];
        let want = [kinematics, com_vel, rne, collision, make_constraint, reference_constraint, solve];
        assert_eq!(order(&stages), want);
    }

    #[test]
    fn stages_that_need_contacts_stay_behind_them_and_so_do_theirs() {
        use Stage::{actuation, collision, euler, kinematics, passive, solve, transmission};
        let stages = [
            (kinematics, "qpos", "xpos"),
            (collision, "xpos", "contact_pos"),
            // adhesion
            (transmission, "contact_pos", "actuator_moment"),
            (passive, "qpos", "qfrc_passive"),
            (actuation, "actuator_moment", "qfrc_actuator"),
            (solve, "qfrc_actuator qfrc_passive", "qacc"),
            (euler, "qacc", "qpos"),
        ];
        let want = [kinematics, passive, collision, transmission, actuation, solve, euler];
        assert_eq!(order(&stages), want);
        // the next part of a step stays after this one
        let parts =
            [(collision, "xpos", "contact_pos"), (euler, "qacc", "qpos"), (kinematics, "qpos", "xpos")];
        assert_eq!(order(&parts), [euler, collision, kinematics]);
    }
}
