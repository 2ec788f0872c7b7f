//! Memory per world, and checks against the available memory.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::schema::{Elem, Sizes};

/// Upper bound on worlds: world indices are 32-bit on the GPU.
const MAX_WORLDS: u64 = u32::MAX as u64;

/// Fraction of the available memory that a batch may use.
const SHARE: f64 = 0.9;

/// Bytes of all fields of one world with reals of `real` bytes; `None` on overflow.
pub fn bytes_of_world(sizes: &Sizes, real: u64) -> Option<u64> {
    Data::<f64>::FIELDS.iter().try_fold(0u64, |sum, f| {
        let size = if f.elem == Elem::Real { real } else { 4 };
        let bytes = f.shape(sizes).iter().try_fold(size, |n, &d| n.checked_mul(d as u64))?;
        sum.checked_add(bytes)
    })
}

/// Bytes of one world on the CPU backend.
pub(super) fn cpu_bytes(sizes: &Sizes) -> usize {
    let fields = bytes_of_world(sizes, 8).and_then(|n| usize::try_from(n).ok());
    fields.unwrap_or(usize::MAX).saturating_add(size_of::<Data<f64>>())
}

/// Rejects a number of worlds whose array sizes would overflow.
pub(super) fn check_count(sizes: &Sizes, worlds: usize) -> Result<()> {
    let most = i64::MAX as u64;
    let Some(one) = bytes_of_world(sizes, 8).filter(|n| *n <= most) else {
        let (nconmax, njmax) = (sizes.nconmax, sizes.njmax);
        return Err(Error::Argument(format!(
            "a world with nconmax {nconmax} and njmax {njmax} is larger than any memory; lower them"
        )));
    };
    if worlds as u64 > MAX_WORLDS || one.checked_mul(worlds as u64).is_none_or(|n| n > most) {
        let text = format!("{worlds} worlds are too many: a batch holds at most {MAX_WORLDS}");
        return Err(Error::Argument(text));
    }
    Ok(())
}

/// Rejects worlds if `copies` of each exceed the available memory; the message has the largest number that fits.
///
/// # Errors
/// [`Error::Argument`], with the largest number of worlds that fits.
pub fn check_memory(model: &Model, capacity: Capacity, worlds: usize, copies: usize) -> Result<()> {
    let sizes = capacity.sizes(model);
    check_count(&sizes, worlds)?;
    match available() {
        Some(free) => {
            check_fits((cpu_bytes(&sizes) as u64).saturating_mul(copies as u64), worlds as u64, free)
        }
        None => Ok(()),
    }
}

/// Rejects what exceeds the available memory; the message has the largest number that fits.
pub(super) fn check_available(sizes: &Sizes, worlds: usize) -> Result<()> {
    match available() {
        Some(free) => check_fits(cpu_bytes(sizes) as u64, worlds as u64, free),
        None => Ok(()),
    }
}

fn check_fits(bytes: u64, worlds: u64, free: u64) -> Result<()> {
    let most = (free as f64 * SHARE) as u64 / bytes.max(1);
    if worlds <= most {
        return Ok(());
    }
    let (kib, gib) = (bytes as f64 / 1024.0, free as f64 / f64::from(1 << 30));
    Err(Error::Argument(format!(
        "{worlds} worlds of {kib:.0} KiB do not fit the {gib:.1} GiB of free memory; the most that fit are {most}"
    )))
}

/// Rejects what exceeds the memory of a software adapter, which is main memory.
#[cfg(feature = "gpu")]
pub(super) fn check_software(sizes: &Sizes, worlds: usize) -> Result<()> {
    match (available(), bytes_of_world(sizes, 4)) {
        (Some(free), Some(bytes)) => check_fits(bytes, worlds as u64, free),
        _ => Ok(()),
    }
}

/// Available memory in bytes, if the system reports it.
fn available() -> Option<u64> {
    let ram = MemoryRefreshKind::nothing().with_ram();
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(ram)).ok()?;
    let free = Some(system.available_memory()).filter(|&bytes| bytes > 0)?;
    // files that the system keeps in a container's memory make room when it is needed: only the rest counts
    let room = system.cgroup_limits().map(|c| c.total_memory.saturating_sub(c.rss));
    Some(room.map_or(free, |room| room.min(free)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_that_fits_is_named() {
        let sizes = Sizes { nq: 7, nv: 6, nbody: 2, ..Sizes::default() };
        assert!(check_count(&sizes, 1).is_ok());
        assert!(check_count(&sizes, usize::MAX).is_err());
        let huge = Sizes { nconmax: usize::MAX, ..sizes };
        let error = check_count(&huge, 1).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains("nconmax"), "{error}");
        assert!(check_fits(1024, 90, 102_400).is_ok());
        let error = check_fits(1024, 91, 102_400).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.ends_with("the most that fit are 90"), "{error}");
    }

    #[test]
    fn sizes_that_overflow_are_counted_as_such() {
        let sizes = Sizes { nv: usize::MAX / 2, njmax: 3, ..Sizes::default() };
        assert_eq!(bytes_of_world(&sizes, 8), None);
    }
}
