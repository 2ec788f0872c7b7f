//! Results of a check.

use crate::schema::stages::Stage;

/// One field after one stage: the worst over all worlds and states.
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
    /// Tolerance.
    pub tolerance: f64,
    /// World of the worst error.
    pub world: usize,
    /// Element of the worst error within the world.
    pub index: usize,
}

impl FieldReport {
    /// True if the error exceeds the tolerance.
    pub fn over(&self) -> bool {
        !(self.double <= self.tolerance && self.single <= self.tolerance)
    }
}

/// All rows of a check, in stage order.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Rows.
    pub rows: Vec<FieldReport>,
    /// Comparisons skipped because rounding decides the number of contacts or rows: the CPU itself disagrees
    /// between its precisions.
    pub borderline: usize,
    /// Comparisons made, one per world, state and stage.
    pub compared: usize,
    /// Fields that the subject does not store, so that they could not be compared.
    pub absent: Vec<&'static str>,
}

impl Report {
    /// True if something was compared and every field is within its tolerance.
    pub fn passed(&self) -> bool {
        self.compared > 0 && !self.rows.iter().any(FieldReport::over)
    }

    /// Records a field that could not be compared, once.
    pub(crate) fn leave_out(&mut self, field: &'static str) {
        if !self.absent.contains(&field) {
            self.absent.push(field);
        }
    }

    /// Keeps the worst row of each stage and field.
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
