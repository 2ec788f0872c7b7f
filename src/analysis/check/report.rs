//! What a check found.

use crate::schema::stages::Stage;

/// One field after one stage: the worst of all worlds and states.
#[derive(Clone, Debug)]
pub struct FieldReport {
    /// The stage.
    pub stage: Stage,
    /// The field.
    pub field: &'static str,
    /// Error against the CPU in double precision.
    pub double: f64,
    /// Error against the CPU in single precision.
    pub single: f64,
    /// What is allowed.
    pub tolerance: f64,
    /// World of the worst error.
    pub world: usize,
    /// Element of the worst error within the world.
    pub index: usize,
}

impl FieldReport {
    /// Whether the field is further away than it may be.
    pub fn over(&self) -> bool {
        !(self.double <= self.tolerance && self.single <= self.tolerance)
    }
}

/// All rows of a check, in the order of the stages.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Rows.
    pub rows: Vec<FieldReport>,
    /// Comparisons left out because rounding decides how many contacts or rows there are: the CPU itself
    /// disagrees between its precisions.
    pub borderline: usize,
    /// Comparisons made, one for each world, state and stage.
    pub compared: usize,
    /// Fields that the subject does not keep, and that no comparison could be made of.
    pub absent: Vec<&'static str>,
}

impl Report {
    /// Whether every field is within its tolerance and something was compared.
    pub fn passed(&self) -> bool {
        self.compared > 0 && !self.rows.iter().any(FieldReport::over)
    }

    /// Names a field that could not be compared, once.
    pub(crate) fn leave_out(&mut self, field: &'static str) {
        if !self.absent.contains(&field) {
            self.absent.push(field);
        }
    }

    /// Keeps one row for each stage and field, with the worst of all.
    pub(crate) fn keep(&mut self, row: FieldReport) {
        let same = self.rows.iter_mut().find(|r| r.stage == row.stage && r.field == row.field);
        let Some(old) = same else { return self.rows.push(row) };
        let single = old.single.max(row.single);
        if row.double > old.double {
            *old = row;
        }
        old.single = single;
    }
}
