//! Ctrl+C: the first asks to stop and show what is done, the second stops at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit_code::INTERRUPTED;

/// Whether the user asked to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to listen for Ctrl+C. Where that is not possible, Ctrl+C ends the program as
    /// it would without this.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let asked = Arc::clone(&interrupt.0);
        let listening = ctrlc::set_handler(move || {
            if asked.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(INTERRUPTED));
            }
        });
        drop(listening);
        interrupt
    }

    /// Whether to stop.
    pub(crate) fn requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
