//! Leases on files: whether anybody has a file open for writing, and whether anybody is about to.
//!
//! Linux gives a read lease only on a file that nobody has open for writing. Who opens it for
//! writing, or cuts it, then waits until the lease is given back. Who reads notices nothing.
//!
//! Elsewhere, on file systems that know no leases, and on files of other users there is no lease:
//! nothing is known then.

#[cfg(target_os = "linux")]
mod control;

use std::fs::File;

#[cfg(target_os = "linux")]
use self::control::{Leased, lease, set_lease, signal_by_what_is_ignored};

/// A read lease on a file, until it is dropped.
///
/// Give it back within milliseconds: programs that write to the file wait meanwhile. One that
/// opens it without waiting (`O_NONBLOCK`) gets an error.
#[derive(Debug)]
pub struct Lease<'a> {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there are no leases"))]
    file: &'a File,
}

impl<'a> Lease<'a> {
    /// Takes a lease on `file`, which is open for reading alone. None if somebody has it open for
    /// writing, this process included, and where there are no leases.
    #[cfg(target_os = "linux")]
    pub fn take(file: &'a File) -> Option<Self> {
        // The signal that is sent when somebody comes would end the process else.
        signal_by_what_is_ignored(file)?;
        set_lease(file, Leased::Reading)?;
        Some(Self { file })
    }

    /// No lease.
    #[cfg(not(target_os = "linux"))]
    pub fn take(_: &'a File) -> Option<Self> {
        None
    }

    /// Whether nobody has the file open for writing and nobody waits to.
    #[cfg(target_os = "linux")]
    pub fn holds(&self) -> bool {
        // Asked for anew: somebody may have come so far that the file counts as open, and not so
        // far that the lease was looked at.
        set_lease(self.file, Leased::Reading).is_some() && lease(self.file) == Leased::Reading
    }

    /// Never: there is none.
    #[cfg(not(target_os = "linux"))]
    pub fn holds(&self) -> bool {
        false
    }
}

#[cfg(target_os = "linux")]
impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // It goes with the file in any case.
        let _ = set_lease(self.file, Leased::Not);
    }
}
