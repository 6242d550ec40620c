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
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use foveal_transcript::ContentHash;

    use super::*;

    #[test]
    fn a_stamp_is_trusted_only_where_a_change_would_show() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a"), "new").expect("written");
        let roots = crate::Roots::open(&[folder.path()]).expect("a root");
        let located = roots.resolve("a").expect("there");
        let stamp = Stamp::of(&located.metadata().expect("there"));
        let changed_at = UNIX_EPOCH + Duration::from_nanos(stamp.ctime_ns.unsigned_abs());
        let freshness = |hash: &[u8], later: Duration| {
            let version = Version::new(stamp, ContentHash::of(hash), changed_at + later);
            let freshness = version.check(&located, &Cancel::NEVER).expect("read");
            matches!(freshness, Freshness::Same(_))
        };
        let (soon, later) = (Duration::from_millis(1), Duration::from_secs(10));
        assert!(freshness(b"new", soon));
        assert!(!freshness(b"old", soon));
        assert!(freshness(b"new", later));
        // A version that the stamp cannot tell from this one, which does not happen so late.
        assert!(freshness(b"old", later));
        let stored = Version::stored(stamp, ContentHash::of(b"old"));
        assert_eq!(stored.check(&located, &Cancel::NEVER).expect("read"), Freshness::Changed);
    }
}
