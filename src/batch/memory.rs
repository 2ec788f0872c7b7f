//! Memory per world, and checks against the available memory.

use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, RefreshKind, System};

use super::probe::{self, slots};
use crate::cpu::solver::metric_solve::kept_factors;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::candidates::NearPairs;
use crate::model::capacity::max_capacity;
use crate::model::data::{Capacity, Data};
use crate::model::jacobian::{Jacobian, RowPlace};
use crate::model::kept::Kept;
use crate::schema::{Elem, Needs, Sizes};

/// Upper bound on worlds: world indices are 32-bit on the GPU.
const MAX_WORLDS: u64 = u32::MAX as u64;

/// Fraction of the available memory that a batch may use.
const SHARE: f64 = 0.9;

/// Bytes of the fields of one world that are needed, with reals of `real` bytes; `None` on overflow.
fn bytes_of_world(sizes: &Sizes, real: u64, needs: Needs) -> Option<u64> {
    Data::<f64>::FIELDS.iter().filter(|f| needs.has(f.traits.need)).try_fold(0u64, |sum, f| {
        let size = if f.elem == Elem::Real { real } else { 4 };
        let bytes = f.shape(sizes).iter().try_fold(size, |n, &d| n.checked_mul(d as u64))?;
        sum.checked_add(bytes)
    })
}

/// Bytes of one world in kernels, as a GPU with 32 KiB of workgroup memory has them without options. No device is opened.
///
/// # Errors
/// As [`Program::new`](crate::gpu::program::Program::new).
#[cfg(feature = "gpu")]
pub fn kernel_bytes(model: &Model, capacity: Capacity) -> Result<usize> {
    let adapter = crate::gpu::Adapter::described("described", false, 32 << 10);
    let options = crate::gpu::KernelOptions { tuning_file: None, ..Default::default() };
    let program = crate::gpu::program::Program::new(model.clone(), &adapter, capacity, &options)?;
    Ok(program.layout.bytes_per_world())
}

/// Bytes of one world on the CPU backend, in its initial state. In a large world, rows and the Hessian grow with contacts.
pub fn cpu_bytes(model: &Model, capacity: Capacity) -> usize {
    let mut data = Data::new(model, capacity);
    data.keep_asleep(model);
    crate::cpu::forward(model, &mut data);
    data.bytes()
}

/// Bytes that a world on the CPU may grow to. Packed rows and the Hessian grow with contacts: they count as for contacts
/// between trees of the mean size.
fn grown_bytes(model: &Model, sizes: &Sizes) -> usize {
    let near = if sizes.nsap > 0 { NearPairs::<f64>::reserved_bytes(sizes) } else { 0 };
    let kept = if sizes.nasleep > 0 { Kept::<f64>::bytes(sizes) } else { 0 };
    let [nv, rows, contacts] = [sizes.nv, sizes.njmax, sizes.njmax / 4].map(|n| n as u64);
    let width = nv.div_ceil(sizes.ntree.max(1) as u64);
    let hessian = (nv.saturating_mul(width + 1) / 2).saturating_add(contacts.saturating_mul(width * width));
    // whole rows are what kernels keep
    let whole = rows.saturating_mul(nv);
    let packed = if Jacobian::is_packed_in(sizes) { rows.saturating_mul(nv.min(2 * width)) } else { whole };
    // dual solvers keep as many products with the inverse inertia
    let [whole, packed] = [whole, packed].map(|n| if sizes.ndual > 0 { n.saturating_mul(2) } else { n });
    let places = rows.saturating_mul(size_of::<RowPlace>() as u64);
    let factors = sizes.nH.max(kept_factors(model));
    let fields = bytes_of_world(sizes, 8, model.needs()).map_or(u64::MAX, |all| {
        let others = all.saturating_sub(whole.saturating_mul(8));
        others
            .saturating_add(packed.saturating_add(hessian.min(factors as u64)).saturating_mul(8))
            .saturating_add(places)
    });
    usize::try_from(fields).unwrap_or(usize::MAX).saturating_add(near + kept + size_of::<Data<f64>>())
}

/// Rejects a number of worlds whose array sizes would overflow.
pub(super) fn check_count(sizes: &Sizes, worlds: usize) -> Result<()> {
    let most = i64::MAX as u64;
    let Some(one) = bytes_of_world(sizes, 8, Needs::ALL).filter(|n| *n <= most) else {
        let (nconmax, njmax) = (sizes.nconmax, sizes.njmax);
        return Err(Error::Memory(format!(
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
/// [`Error::Memory`], with the largest number of worlds that fits.
pub fn check_memory(model: &Model, capacity: Capacity, worlds: usize, copies: usize) -> Result<()> {
    let sizes = capacity.sizes(model);
    check_count(&sizes, worlds)?;
    let bytes = (grown_bytes(model, &sizes) as u64).saturating_mul(copies as u64);
    check_memory_of_worlds(bytes, worlds as u64)
}

/// Rejects a model of which the worlds that [`probe`](super::probe()) steps side by side exceed the available memory.
///
/// # Errors
/// [`Error::Memory`], with the largest number of worlds that fits.
fn check_probe(model: &Model) -> Result<()> {
    check_memory(model, slots(max_capacity(model)), rayon::current_num_threads(), 1)
}

/// [`probe`](super::probe()), where the backends support the model and there is memory for it.
///
/// # Errors
/// [`Error::Unsupported`] for a model that is not simulated,
/// [`Error::Memory`] where the worlds of a probe do not fit.
pub fn measured(model: &Model) -> Result<Capacity> {
    crate::model::unsupported::check(model)?;
    check_probe(model)?;
    Ok(probe::probe(model))
}

/// Capacities as given; the number that is missing is measured. `None` where neither is given.
///
/// # Errors
/// As [`measured`], where it is needed.
pub fn capacity(model: &Model, nconmax: Option<usize>, njmax: Option<usize>) -> Result<Option<Capacity>> {
    match (nconmax, njmax) {
        (None, None) => Ok(None),
        (Some(nconmax), Some(njmax)) => Ok(Some(Capacity { nconmax, njmax })),
        _ => {
            let found = measured(model)?;
            let (nconmax, njmax) = (nconmax.unwrap_or(found.nconmax), njmax.unwrap_or(found.njmax));
            Ok(Some(Capacity { nconmax, njmax }))
        }
    }
}

/// Rejects what exceeds the available memory; the message has the largest number that fits.
pub(super) fn check_available(model: &Model, sizes: &Sizes, worlds: usize) -> Result<()> {
    check_memory_of_worlds(grown_bytes(model, sizes) as u64, worlds as u64)
}

/// Rejects worlds of so many bytes that exceed the available memory, or that the system does not give.
fn check_memory_of_worlds(bytes: u64, worlds: u64) -> Result<()> {
    if let Some(available) = available() {
        check_fits(bytes, worlds, available)?;
    }
    check_allocation(bytes.saturating_mul(worlds))
}

fn check_fits(bytes: u64, worlds: u64, available: AvailableMemory) -> Result<()> {
    let most = (available.bytes as f64 * SHARE) as u64 / bytes.max(1);
    if worlds <= most {
        return Ok(());
    }
    let kib = bytes as f64 / 1024.0;
    Err(Error::Memory(format!(
        "{worlds} worlds of {kib:.0} KiB do not fit the {} of {}; the most that fit are {most}",
        readable(available.bytes),
        available.of
    )))
}

/// Bytes as text.
fn readable(bytes: u64) -> String {
    let mib = bytes as f64 / f64::from(1 << 20);
    if mib < 1024.0 { format!("{mib:.0} MiB") } else { format!("{:.1} GiB", mib / 1024.0) }
}

/// Fails where the system does not give so many bytes: to be asked before they are allocated in pieces, of which one
/// that fails would end the process.
pub(super) fn check_allocation(bytes: u64) -> Result<()> {
    let mut trial = Vec::<u8>::new();
    let given = usize::try_from(bytes).is_ok_and(|n| trial.try_reserve_exact(n).is_ok());
    // an allocation that nobody looks at is left out by the compiler
    std::hint::black_box(&mut trial);
    if given {
        return Ok(());
    }
    Err(Error::Memory(format!(
        "the system gives no {} of memory; take fewer worlds, or raise the limit of the process or container",
        readable(bytes)
    )))
}

/// Rejects what exceeds the memory of a software adapter, which is main memory.
#[cfg(feature = "gpu")]
pub(super) fn check_software(sizes: &Sizes, worlds: usize) -> Result<()> {
    match (available(), bytes_of_world(sizes, 4, Needs::ALL)) {
        (Some(available), Some(bytes)) => check_fits(bytes, worlds as u64, available),
        _ => Ok(()),
    }
}

/// Memory that can be had, and of what it is.
#[derive(Clone, Copy, Debug)]
struct AvailableMemory {
    bytes: u64,
    of: &'static str,
}

/// Available memory, if the system reports it: the least of what is free, what the container may still take, and what the
/// limits of the process leave.
fn available() -> Option<AvailableMemory> {
    let ram = MemoryRefreshKind::nothing().with_ram();
    let mut system = System::new_with_specifics(RefreshKind::nothing().with_memory(ram)).ok()?;
    let free = Some(system.available_memory()).filter(|&bytes| bytes > 0)?;
    let mut limits_of_memory = vec![AvailableMemory { bytes: free, of: "free memory" }];
    if let Ok(own) = sysinfo::get_current_pid() {
        let what = ProcessRefreshKind::nothing().without_tasks().with_memory();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, what);
        // files that the system keeps in a container's memory make room when it is needed: only the rest counts
        let own = system.process(own);
        let group = own.and_then(|process| process.cgroup_limits()).or_else(|| system.cgroup_limits());
        limits_of_memory.extend(group.map(|group| AvailableMemory {
            bytes: group.total_memory.saturating_sub(group.rss),
            of: "memory that the container has left",
        }));
        limits_of_memory.extend(limits(own.map_or(0, |process| process.virtual_memory())));
    }
    limits_of_memory.into_iter().min_by_key(|available| available.bytes)
}

/// What the limits of the process leave, given the size of its address space.
#[cfg(unix)]
fn limits(space: u64) -> Vec<AvailableMemory> {
    use rustix::process::{Resource, getrlimit};
    // numbers of pages: all, resident, shared, code, 0, data
    let table = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = table.split_whitespace().nth(5).and_then(|n| n.parse().ok()).unwrap_or(0u64);
    let data = pages.saturating_mul(rustix::param::page_size() as u64);
    let limits = [
        (Resource::As, space, "address space that the process has left (ulimit -v)"),
        (Resource::Data, data, "data that the process has left (ulimit -d)"),
    ];
    let left = |(limit, used, of): (Resource, u64, &'static str)| {
        getrlimit(limit).current.map(|most| AvailableMemory { bytes: most.saturating_sub(used), of })
    };
    limits.into_iter().filter_map(left).collect()
}

/// Other systems limit no process.
#[cfg(not(unix))]
fn limits(_: u64) -> Vec<AvailableMemory> {
    Vec::new()
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
        let available = AvailableMemory { bytes: 102_400, of: "free memory" };
        assert!(check_fits(1024, 90, available).is_ok());
        let error = check_fits(1024, 91, available).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains("of free memory") && error.ends_with("the most that fit are 90"), "{error}");
    }

    #[test]
    fn an_allocation_that_fails_is_an_error() {
        assert!(check_allocation(1 << 20).is_ok());
        for bytes in [1 << 60, u64::MAX] {
            let error = check_allocation(bytes).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(error.contains("gives no") && error.contains("fewer worlds"), "{error}");
        }
    }

    #[test]
    fn sizes_that_overflow_are_counted_as_such() {
        let sizes = Sizes { nv: usize::MAX / 2, njmax: 3, ..Sizes::default() };
        assert_eq!(bytes_of_world(&sizes, 8, Needs::ALL), None);
    }
}
