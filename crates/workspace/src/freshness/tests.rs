use std::time::{Duration, UNIX_EPOCH};

use foveal_transcript::ContentHash;

use super::*;

#[test]
fn a_stamp_is_trusted_only_where_a_change_would_show() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a"), "new").expect("written");
    let roots = crate::WorkspaceRoots::open(&[folder.path()]).expect("a root");
    let located = roots.resolve("a").expect("there");
    let stamp = FileStamp::from_metadata(&located.metadata().expect("there"));
    let changed_at = UNIX_EPOCH + Duration::from_nanos(stamp.ctime_ns.unsigned_abs());
    let freshness = |hash: &[u8], later: Duration| {
        let version = FileVersion::new(stamp, ContentHash::from_content(hash), changed_at + later);
        let freshness = version.check_freshness(&located, &CancelToken::NEVER).expect("read");
        matches!(freshness, FileFreshness::Same(_))
    };
    let (soon, later) = (Duration::from_millis(1), Duration::from_secs(10));
    assert!(freshness(b"new", soon));
    assert!(!freshness(b"old", soon));
    assert!(freshness(b"new", later));
    // A version with an equal stamp but other content, which cannot occur so late.
    assert!(freshness(b"old", later));
    let stored = FileVersion::from_store(stamp, ContentHash::from_content(b"old"));
    assert_eq!(
        stored.check_freshness(&located, &CancelToken::NEVER).expect("read"),
        FileFreshness::Changed
    );
}
