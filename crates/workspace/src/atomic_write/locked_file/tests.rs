use std::ffi::OsStr;

use super::*;
use crate::WorkspaceRoots;
use crate::atomic_write::folder_lock::FolderLocks;

#[test]
fn a_file_put_there_at_the_last_moment_stays() {
    for exchanges in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "ours").expect("written");
        let roots = WorkspaceRoots::open(&[folder.path()]).expect("a root");
        let located = roots.resolve("a").expect("there");
        let locks = FolderLocks::acquire(&[&located], &CancelToken::NEVER).expect("locked");
        let held = LockedFile { located: &located, name: OsStr::new("a"), dir: locks.dir(0) };
        let take_place = |before: &[u8]| {
            let name = ".foveal-1.tmp".to_owned();
            let mut temporary = TemporaryFile::new(held.dir, name, true).expect("made");
            assert!(temporary.write_content(b"new", &CancelToken::NEVER).expect("written"));
            held.exchange_expected(&mut temporary, &ContentDigest::from_bytes(before), exchanges)
        };
        let names = || std::fs::read_dir(folder.path()).expect("listed").count();
        let read = || std::fs::read_to_string(&path).expect("there");
        std::fs::write(folder.path().join("b"), "theirs").expect("written");
        std::fs::rename(folder.path().join("b"), &path).expect("renamed");
        assert!(matches!(take_place(b"ours"), Err(WriteError::Changed { .. })));
        assert_eq!((read(), names()), ("theirs".to_owned(), 1));
        assert!(take_place(b"theirs").is_ok());
        assert_eq!((read(), names()), ("new".to_owned(), 1));
        std::fs::remove_file(&path).expect("removed");
        assert!(matches!(take_place(b"ours"), Err(WriteError::Changed { .. })));
        assert_eq!(names(), 0);
    }
}
