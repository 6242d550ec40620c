//! Unique names of temporary files.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// A generator of hidden file names, unique by a random number of the process and a counter.
#[derive(Debug)]
pub(in crate::atomic_write) struct TemporaryNames {
    id: String,
    count: AtomicU64,
}

impl TemporaryNames {
    /// Returns the random number of this process.
    pub(super) fn process_token(&self) -> &str {
        &self.id
    }

    /// Returns a name that was not returned before.
    pub(in crate::atomic_write) fn next_name(&self) -> String {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        format!(".foveal-{}-{count}.tmp", self.id)
    }
}

impl Default for TemporaryNames {
    fn default() -> Self {
        // Each hasher state has its own keys from the system's source of randomness.
        let by_chance = || RandomState::new().build_hasher().finish();
        let process = u64::from(std::process::id());
        let mut keyed = RandomState::new().build_hasher();
        keyed.write_u64(process);
        let id = format!("{:016x}{:016x}", by_chance() ^ process, keyed.finish());
        Self { id, count: AtomicU64::new(0) }
    }
}
