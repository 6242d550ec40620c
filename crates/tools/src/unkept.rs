//! That nothing can be kept, said once.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use foveal_store::StoreError;

type Tell = Box<dyn Fn(&StoreError) + Send + Sync>;

/// Tells somebody, once, that the store refuses to be written.
#[derive(Default)]
pub struct Unkept {
    is_told: AtomicBool,
    tell: Option<Tell>,
}

impl Unkept {
    /// Has `tell` told, from whatever thread, why the store cannot be written: the disk is full,
    /// its folder is closed, or another process holds it.
    pub fn new(tell: impl Fn(&StoreError) + Send + Sync + 'static) -> Self {
        Self { is_told: AtomicBool::new(false), tell: Some(Box::new(tell)) }
    }

    pub(crate) fn tell<T>(&self, done: &Result<T, StoreError>) {
        let Err(error) = done else { return };
        if let Some(tell) = &self.tell
            && (error.is_place() || error.is_busy())
            && !self.is_told.swap(true, Ordering::Relaxed)
        {
            tell(error);
        }
    }
}

impl fmt::Debug for Unkept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unkept").field("is_told", &self.is_told).finish_non_exhaustive()
    }
}
