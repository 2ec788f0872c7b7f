//! When several threads share a part of one world's step.

use std::time::Duration;

/// Time of a part beyond which threads share it: waking one costs more than most parts in a virtual machine. It is measured
/// and not counted, as bits do not depend on who does what.
const PAYS: Duration = Duration::from_millis(2);

/// True if threads may share a part that took so long in the last step.
pub(crate) fn pays(busy: Duration) -> bool {
    busy >= PAYS
}
