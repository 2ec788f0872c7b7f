//! Results of a check.

use crate::schema::stages::Stage;

/// One field after one stage: the worst over all worlds and states, measured by its tolerance.
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
    /// Tolerance of the field, or [`MARGIN`](super::MARGIN) times what rounding explains in this world, if that is more.
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

    /// Larger error in units of the tolerance.
    fn excess(&self) -> f64 {
        let error = self.double.max(self.single);
        if error == 0.0 { 0.0 } else { error / self.tolerance }
    }
}

/// All rows of a check, in stage order.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Rows.
    pub rows: Vec<FieldReport>,
    /// Comparisons skipped because rounding decides the number of contacts or rows, or another integer that differs: the CPU
    /// itself disagrees between its precisions, or between inputs that are rounded in another way.
    pub borderline: usize,
    /// Errors beyond the tolerance of their field that rounding explains: judged by the conditioning of the stage.
    pub conditioned: usize,
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
    pub(crate) fn keep_worst(&mut self, row: FieldReport) {
        match self.rows.iter_mut().find(|r| r.stage == row.stage && r.field == row.field) {
            None => self.rows.push(row),
            Some(old) if row.excess() > old.excess() => *old = row,
            Some(_) => {}
        }
    }
}
