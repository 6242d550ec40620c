//! Names of new files that nobody else uses.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Names for one process: hidden, and with a number that it drew by chance.
#[derive(Debug)]
pub(in crate::replace) struct Names {
    id: String,
    count: AtomicU64,
}

impl Names {
    /// The number of this process.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// A name that was never given.
    pub(in crate::replace) fn next(&self) -> String {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        format!(".foveal-{}-{count}.tmp", self.id)
    }
}

impl Default for Names {
    fn default() -> Self {
        // Each state has keys of its own from the system's source of randomness.
        let by_chance = || RandomState::new().build_hasher().finish();
        let process = u64::from(std::process::id());
        let mut keyed = RandomState::new().build_hasher();
        keyed.write_u64(process);
        let id = format!("{:016x}{:016x}", by_chance() ^ process, keyed.finish());
        Self { id, count: AtomicU64::new(0) }
    }
}
