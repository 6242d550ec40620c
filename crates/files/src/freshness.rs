//! Whether a file is still what was read of it.

use foveal_cancel::Cancel;

use crate::open::{Bounds, Opened, ReadError};
use crate::roots::Located;
use crate::stamp::{Stamp, Version};

/// What became of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// The file has the same bytes. The version to be asked about from now on is inside.
    Same(Version),
    /// The file has other bytes.
    Changed,
}

impl Version {
    /// Whether the file at `located` still has this content. Looks at the stamp, and reads the
    /// file only if that differs or was taken so soon after a change that the next could have
    /// the same.
    ///
    /// # Errors
    ///
    /// When the file is missing, no regular file any more, or cannot be read; or
    /// [`ReadError::Cancelled`].
    pub fn check(&self, located: &Located, cancel: &Cancel<'_>) -> Result<Freshness, ReadError> {
        let stamp = Stamp::of(&located.metadata()?);
        if self.settled && stamp == self.stamp {
            return Ok(Freshness::Same(*self));
        }
        if stamp.len != self.stamp.len {
            return Ok(Freshness::Changed);
        }
        let now = Opened::open(located)?.hash(&Bounds::for_hash(), cancel)?;
        Ok(if now.hash == self.hash { Freshness::Same(now) } else { Freshness::Changed })
    }
}

#[cfg(test)]
mod tests;
