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
