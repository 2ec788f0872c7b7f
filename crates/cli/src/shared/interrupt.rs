//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// True once Ctrl-C was pressed; the second time it ends the process at once.
pub(crate) fn interrupts() -> Arc<AtomicBool> {
    let ended = Arc::new(AtomicBool::new(false));
    let pressed = Arc::clone(&ended);
    // where a handler is refused, Ctrl-C does what it always does
    let _ = ctrlc::set_handler(move || {
        if pressed.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    ended
}
