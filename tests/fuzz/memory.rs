//! The system allocator, with the peak memory of this thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Measuring;

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Measuring = Measuring;

/// Updates the counters. A thread that is ending has none; memory freed by other threads is not seen, so never below
/// zero.
fn change(old: usize, new: usize) {
    let _ = NOW.try_with(|now| {
        now.set(now.get().saturating_sub(old) + new);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now.get())));
    });
}

// SAFETY: every call is forwarded to the system allocator unchanged; counting does not allocate
unsafe impl GlobalAlloc for Measuring {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        change(0, layout.size());
        // SAFETY: the caller upholds the contract of the system allocator
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        change(0, layout.size());
        // SAFETY: as above
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        change(layout.size(), size);
        // SAFETY: as above
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        change(layout.size(), 0);
        // SAFETY: as above
        unsafe { System.dealloc(old, layout) }
    }
}

/// Starts a measurement.
pub(crate) fn start() {
    NOW.set(0);
    PEAK.set(0);
}

/// Peak number of bytes held since `start`.
pub(crate) fn peak() -> usize {
    PEAK.get()
}
