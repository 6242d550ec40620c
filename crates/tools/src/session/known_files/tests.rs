use foveal_workspace::{FileStamp, WorkspaceRoots};

use super::*;

#[test]
fn the_files_met_longest_ago_go_first() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let roots = WorkspaceRoots::open(&[folder.path()]).expect("the folder is there");
    let key = |n: usize| roots.resolve(&format!("{n}")).expect("a path in it").path_key();
    let stamp = FileStamp { len: 1, mtime_ns: 1, inode: 1, ctime_ns: 1 };
    let version = FileVersion::from_store(stamp, ContentHash::from_content(b"1"));
    let known = || KnownFile::from_stored(version, LineRangeSet::all(1));
    let files = KnownFiles::default();
    files.restore((0..FILES_MAX).map(|n| (key(n), known())));
    files.update(&key(0), |_| Some(known()));
    drop(files.take_seen_changes());
    files.update(&key(FILES_MAX), |_| Some(known()));
    assert_eq!(files.lock_table().files.len(), FILES_MAX);
    let gone = files.take_seen_changes().into_iter().filter(|seen| seen.version.is_none());
    let gone: Vec<PathKey> = gone.map(|seen| seen.key).collect();
    assert_eq!(gone, [key(1)]);
}
