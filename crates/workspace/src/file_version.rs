//! File versions: content hash and metadata stamp.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::{Metadata, MetadataExt as _};
use foveal_transcript::ContentHash;

/// The granularity of file times with sub-second parts: one kernel tick.
const TIMESTAMP_TICK: Duration = Duration::from_millis(20);

/// The granularity of file times in whole seconds, as on FAT.
const COARSE_TIMESTAMP_TICK: Duration = Duration::from_secs(2);

/// The metadata by which a change is detected without reading the content. Times are nanoseconds
/// since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct FileStamp {
    /// The size in bytes.
    pub len: u64,
    /// The time of the last content change.
    pub mtime_ns: i64,
    /// The inode number; a replacement has another.
    pub inode: u64,
    /// The time of the last change of content, name or permissions; programs cannot set it.
    pub ctime_ns: i64,
}

impl FileStamp {
    /// Returns the stamp in `metadata`.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        let ns =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            len: metadata.len(),
            mtime_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
            inode: metadata.ino(),
            ctime_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Returns whether a change at `now` would alter the stamp. It might not shortly after the last
    /// change, when the times of both can be equal, or while the times lie in the future.
    fn would_show_changes(&self, now: SystemTime) -> bool {
        let tick =
            if self.mtime_ns % 1_000_000_000 == 0 { COARSE_TIMESTAMP_TICK } else { TIMESTAMP_TICK };
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(tick);
        let now_ns = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        self.mtime_ns < now_ns && self.ctime_ns < now_ns
    }
}

/// One version of a file: the hash of its content, and the stamp for a cheap comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FileVersion {
    /// The stamp at the time of the read.
    pub stamp: FileStamp,
    /// The hash of the content.
    pub hash: ContentHash,
    /// Whether the stamp alone proves that the content is unchanged. Not stored: the stamp of a
    /// stored version is trusted only after one comparison of hashes.
    #[serde(skip)]
    pub(crate) settled: bool,
}

impl FileVersion {
    /// Creates the version with `hash`, read at `now` at the latest from the file with `stamp`.
    pub(crate) fn new(stamp: FileStamp, hash: ContentHash, now: SystemTime) -> Self {
        Self { stamp, hash, settled: stamp.would_show_changes(now) }
    }

    /// Restores a version from a store. Its stamp is trusted only after one comparison of hashes.
    pub fn from_store(stamp: FileStamp, hash: ContentHash) -> Self {
        Self { stamp, hash, settled: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_soon_after_another_do_not_show() {
        let at = |ns: u64| UNIX_EPOCH + Duration::from_nanos(ns);
        let stamp = |mtime_ns, ctime_ns| FileStamp { len: 1, mtime_ns, inode: 1, ctime_ns };
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
