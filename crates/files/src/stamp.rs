//! Which version of a file was read, and whether it is still there.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::{Metadata, MetadataExt as _};
use foveal_cancel::Cancel;

use crate::open::{Bounds, Opened, ReadError};
use crate::roots::Located;

/// Times of files are this coarse where they have parts of a second: a tick of the kernel.
const TICK: Duration = Duration::from_millis(20);

/// The same where they have none, as on FAT.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// What a file system says of a file without its content being read. Times are nanoseconds
/// since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Stamp {
    /// Bytes.
    pub len: u64,
    /// When the content was changed last.
    pub mtime_ns: i64,
    /// The number of the file in its file system; another after it was replaced.
    pub inode: u64,
    /// When content, name or permissions were changed last; no program can set it.
    pub ctime_ns: i64,
}

impl Stamp {
    /// The stamp in `metadata`.
    pub fn of(metadata: &Metadata) -> Self {
        let ns =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            len: metadata.len(),
            mtime_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
            inode: metadata.ino(),
            ctime_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether a change at `now` would show in the stamp. Not so shortly after the last one,
    /// since the times of both may be the same, nor when they lie in the future.
    fn would_show_changes(&self, now: SystemTime) -> bool {
        let tick = if self.mtime_ns % 1_000_000_000 == 0 { COARSE_TICK } else { TICK };
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(tick);
        let now_ns = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        self.mtime_ns < now_ns && self.ctime_ns < now_ns
    }
}

/// The BLAKE3 hash of the bytes of a file.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The hash with these bytes, as it was stored.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, to be stored.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// One version of a file: its content by hash, and the stamp by which to see cheaply that it is
/// still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Version {
    /// The stamp when the content was read.
    pub stamp: Stamp,
    /// The content.
    pub hash: ContentHash,
    /// Not kept: the stamp of a stored version is not trusted until the hash was compared once.
    #[serde(skip)]
    settled: bool,
}

/// What became of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// The file has the same bytes. The version to be asked about from now on is inside.
    Same(Version),
    /// The file has other bytes.
    Changed,
}

impl Version {
    /// The version with `hash`, read from the file with `stamp` between the last change and `now`.
    pub(crate) fn new(stamp: Stamp, hash: ContentHash, now: SystemTime) -> Self {
        Self { stamp, hash, settled: stamp.would_show_changes(now) }
    }

    /// A version from a store: its stamp alone is not trusted until the hash was compared once.
    pub fn stored(stamp: Stamp, hash: ContentHash) -> Self {
        Self { stamp, hash, settled: false }
    }

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
    use super::*;

    #[test]
    fn changes_soon_after_another_do_not_show() {
        let at = |ns: u64| UNIX_EPOCH + Duration::from_nanos(ns);
        let stamp = |mtime_ns, ctime_ns| Stamp { len: 1, mtime_ns, inode: 1, ctime_ns };
        let second = 1_000_000_000_i64;
        let fine = stamp(7 * second + 5, 7 * second + 5);
        assert!(!fine.would_show_changes(at(7_010_000_000)));
        assert!(fine.would_show_changes(at(7_030_000_000)));
        let coarse = stamp(7 * second, 7 * second);
        assert!(!coarse.would_show_changes(at(8_500_000_000)));
        assert!(coarse.would_show_changes(at(9_500_000_000)));
        // A time set back does not hide that the file was changed just now.
        assert!(!stamp(second + 1, 7 * second).would_show_changes(at(7_010_000_000)));
        assert!(!stamp(9 * second + 1, 7 * second).would_show_changes(at(8_000_000_000)));
    }

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
