//! Ctrl+C: the first asks to stop and show what is done, the second stops at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use foveal_cancel::Cancel;

use crate::exit_code::INTERRUPTED;

/// Is cancelled by Ctrl+C. Where that cannot be listened for, Ctrl+C ends the program as it
/// would without this.
pub(crate) fn listen() -> Cancel<'static> {
    let pressed = Arc::<AtomicBool>::default();
    let cancel = Cancel::from(Arc::clone(&pressed));
    let listening = ctrlc::set_handler(move || {
        if pressed.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
    drop(listening);
    cancel
}
