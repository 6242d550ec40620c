use super::*;
use crate::Roots;

#[test]
fn a_file_put_there_at_the_last_moment_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    std::fs::write(&path, "ours").expect("written");
    let roots = Roots::open(&[folder.path()]).expect("a root");
    let located = roots.resolve("a").expect("there");
    let held = Held::take(&located, &Cancel::NEVER).expect("held");
    let take_place = |old: &Old| {
        let mut temporary = Temporary::new(held.lock.dir(), true).expect("made");
        assert!(temporary.fill(b"new", &Cancel::NEVER).expect("written"));
        held.take_place(temporary, old)
    };
    let names = || std::fs::read_dir(folder.path()).expect("listed").count();
    let read = || std::fs::read_to_string(&path).expect("there");
    let old = held.read(&Cancel::NEVER).expect("read");
    std::fs::write(folder.path().join("b"), "theirs").expect("written");
    std::fs::rename(folder.path().join("b"), &path).expect("renamed");
    assert!(matches!(take_place(&old), Err(WriteError::Changed { .. })));
    assert_eq!((read(), names()), ("theirs".to_owned(), 1));
    assert!(take_place(&held.read(&Cancel::NEVER).expect("read")).is_ok());
    assert_eq!((read(), names()), ("new".to_owned(), 1));
    std::fs::remove_file(&path).expect("removed");
    assert!(matches!(take_place(&old), Err(WriteError::Changed { .. })));
    assert_eq!(names(), 0);
}
