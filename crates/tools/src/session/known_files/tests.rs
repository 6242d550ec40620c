use foveal_files::{Roots, Stamp};

use super::*;

#[test]
fn the_files_met_longest_ago_go_first() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let roots = Roots::open(&[folder.path()]).expect("the folder is there");
    let key = |n: usize| roots.resolve(&format!("{n}")).expect("a path in it").key();
    let stamp = Stamp { len: 1, mtime_ns: 1, inode: 1, ctime_ns: 1 };
    let version = Version::stored(stamp, ContentHash::of(b"1"));
    let known = || KnownFile::recalled(version, Seen::all(1));
    let files = KnownFiles::default();
    files.recall((0..FILES_MAX).map(|n| (key(n), known())));
    files.change(&key(0), |_| Some(known()));
    drop(files.take_touched());
    files.change(&key(FILES_MAX), |_| Some(known()));
    assert_eq!(files.table().files.len(), FILES_MAX);
    let gone = files.take_touched().into_iter().filter(|seen| seen.version.is_none());
    let gone: Vec<PathKey> = gone.map(|seen| seen.key).collect();
    assert_eq!(gone, [key(1)]);
}
