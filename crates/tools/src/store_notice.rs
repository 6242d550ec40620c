//! A notice, given once, that the store cannot be written.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use foveal_store::StoreError;

type StoreErrorFn = Box<dyn Fn(&StoreError) + Send + Sync>;

/// Reports once that the store cannot be written.
#[derive(Default)]
pub struct StoreUnavailableNotice {
    is_told: AtomicBool,
    tell: Option<StoreErrorFn>,
}

impl StoreUnavailableNotice {
    /// Creates a notice that calls `tell`, from any thread, with the reason why the store cannot be
    /// written: the disk is full, its folder is read-only, or another process holds it.
    pub fn new(tell: impl Fn(&StoreError) + Send + Sync + 'static) -> Self {
        Self { is_told: AtomicBool::new(false), tell: Some(Box::new(tell)) }
    }

    pub(crate) fn check_result<T>(&self, done: &Result<T, StoreError>) {
        let Err(error) = done else { return };
        if let Some(tell) = &self.tell
            && (error.is_inaccessible() || error.is_busy())
            && !self.is_told.swap(true, Ordering::Relaxed)
        {
            tell(error);
        }
    }
}

impl fmt::Debug for StoreUnavailableNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreUnavailableNotice")
            .field("is_told", &self.is_told)
            .finish_non_exhaustive()
    }
}
