//! Which version of a file was read, and whether it is still there.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::{Metadata, MetadataExt as _};
use foveal_transcript::ContentHash;

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
    pub(crate) settled: bool,
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
}
