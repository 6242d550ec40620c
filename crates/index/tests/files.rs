//! Which files are indexed, and when they are read again.

use foveal_index::{Index, UpdateSummary, read_definitions};
use foveal_transcript::CancelToken;

use crate::world::{World, files, update};

const CODE: &str = "fn answer() -> u32 {\n    42\n}\n";

#[test]
fn what_is_ignored_hidden_secret_or_no_text_is_left_out() {
    let world = World::new("left_out");
    for path in [
        "src/a.rs",
        "built/b.rs",
        "src/skipped.rs",
        ".hidden/c.rs",
        ".env",
        "prod.env",
        "deploy/id_rsa",
        "deploy/server.pem",
        "credentials.json",
        "credentials.rs",
        "deep/kept/d.rs",
        "deep/e.log.rs",
    ] {
        world.write(path, CODE);
    }
    world.write(".gitignore", "built/\n*.log.rs\n");
    world.write("src/.ignore", "skipped.rs\n");
    world.write("binary.rs", b"fn a() {}\0\0");
    world.write("notes.txt", "-----BEGIN RSA PRIVATE KEY-----\nabcdef\n");
    world.write("large.rs", CODE.repeat(40_000));
    world.write("Cargo.lock", "[[package]]\nname = \"a\"\n");
    world.write("latin.rs", b"// caf\xe9\nfn coffee() {}\n");
    let mut index = world.open();
    let summary = update(&mut index);
    assert_eq!(files(&mut index), ["credentials.rs", "deep/kept/d.rs", "latin.rs", "src/a.rs"]);
    // Secret by name and too large; hidden and ignored ones are not even counted.
    assert_eq!(summary.skipped, 5, "{summary:?}");
}

/// Hidden files are left out, whatever the ignore rules say, unless an agent read them.
#[test]
fn hidden_files_are_left_out_until_they_are_read() {
    let world = World::new("asked_for");
    for path in ["a.rs", ".github/b.rs", "sub/.c.rs", "sub/kept.rs", ".git/d.rs", ".env", "e/f.rs"]
    {
        world.write(path, CODE);
    }
    world.write(".gitignore", "!.github\ne/\n");
    world.write("sub/.ignore", "!.c.rs\n!kept.rs\n");
    let mut index = world.open();
    update(&mut index);
    assert_eq!(files(&mut index), ["a.rs", "sub/kept.rs"]);
    let read = |index: &mut Index, path: &str| {
        index.prioritize_file(path.as_ref());
        index.update_queued(&CancelToken::NEVER).expect("a store of this test");
    };
    for path in [".github/b.rs", ".git/d.rs", ".env", "sub/../../outside.rs"] {
        read(&mut index, path);
    }
    let expected = [".github/b.rs", "a.rs", "sub/kept.rs"];
    assert_eq!(files(&mut index), expected);
    // It stays, is brought up to date with the others, and goes with its file.
    assert_eq!(update(&mut index).removed, 0);
    let mut index = world.open();
    world.write(".github/b.rs", CODE.replace("answer", "reply"));
    assert_eq!(update(&mut index).indexed, 1);
    // A file that was read before the first update of all counts too.
    index.prioritize_file("e/f.rs".as_ref());
    update(&mut index);
    assert_eq!(files(&mut index), [".github/b.rs", "a.rs", "e/f.rs", "sub/kept.rs"]);
    world.remove(".github/b.rs");
    assert_eq!(update(&mut index).removed, 1);
    assert_eq!(files(&mut index), ["a.rs", "e/f.rs", "sub/kept.rs"]);
}

#[test]
fn only_what_has_changed_is_read() {
    let world = World::new("changed");
    world.write("a.rs", CODE);
    world.write("b.rs", CODE);
    world.write("data.bin", [0_u8; 100]);
    let mut index = world.open();
    let all = UpdateSummary { indexed: 3, ..UpdateSummary::default() };
    assert_eq!(update(&mut index), all);
    let same = UpdateSummary { unchanged: 3, ..UpdateSummary::default() };
    assert_eq!(update(&mut index), same);
    assert_eq!(update(&mut world.open()), same);
    world.write("a.rs", CODE.replace("answer", "reply"));
    world.remove("b.rs");
    let changed =
        UpdateSummary { indexed: 1, unchanged: 1, removed: 1, ..UpdateSummary::default() };
    assert_eq!(update(&mut index), changed);
    assert_eq!(files(&mut index), ["a.rs"]);
    // Ignored from now on.
    world.write(".gitignore", "a.rs\n");
    assert_eq!(update(&mut index).removed, 1);
    assert_eq!(files(&mut index), [""; 0]);
}

#[test]
fn files_in_the_queue_are_brought_up_to_date_alone() {
    let world = World::new("queued");
    world.write("a.rs", CODE);
    world.write("sub/b.rs", CODE);
    world.write("ignored.rs", CODE);
    world.write(".gitignore", "ignored.rs\n");
    let mut index = world.open();
    let inside = index.root().join("sub").join("b.rs");
    index.prioritize_file(&inside);
    index.prioritize_file(&inside);
    index.prioritize_file("ignored.rs".as_ref());
    index.prioritize_file("../elsewhere.rs".as_ref());
    index.prioritize_file("/".as_ref());
    let two = UpdateSummary { indexed: 2, ..UpdateSummary::default() };
    assert_eq!(index.update_queued(&CancelToken::NEVER).expect("a store of this test"), two);
    assert_eq!(files(&mut index), ["ignored.rs", "sub/b.rs"]);
    world.remove("sub/b.rs");
    index.prioritize_file(&inside);
    let gone = UpdateSummary { removed: 1, ..UpdateSummary::default() };
    assert_eq!(index.update_queued(&CancelToken::NEVER).expect("a store of this test"), gone);
    assert_eq!(
        index.update_queued(&CancelToken::NEVER).expect("a store of this test"),
        UpdateSummary::default()
    );
}

#[test]
fn files_in_the_queue_come_first() {
    let world = World::new("first");
    for n in 0..300 {
        world.write(&format!("f{n:03}.rs"), CODE);
    }
    let mut index = world.open();
    index.prioritize_file("f299.rs".as_ref());
    let seen = std::sync::atomic::AtomicBool::new(false);
    let note = &mut |progress: foveal_index::UpdateProgress| {
        // Another thread may be done with its first file before.
        seen.fetch_or(progress.done >= 100, std::sync::atomic::Ordering::Relaxed);
    };
    let stop = || seen.load(std::sync::atomic::Ordering::Relaxed);
    assert!(
        index.update(note, &CancelToken::from_fn(&stop)).expect("a folder of this test").cancelled
    );
    assert!(files(&mut index).contains(&"f299.rs".to_owned()));
}

#[test]
fn another_model_embeds_anew_and_none_keeps_what_is_there() {
    let world = World::embedded("models");
    world.write("a.rs", CODE);
    let plain = foveal_index::Index::open(&world.root(), &world.store(), None);
    let mut plain = plain.expect("a folder of this test");
    assert_eq!(update(&mut plain).indexed, 1);
    let mut index = world.open();
    let embedded = UpdateSummary { unchanged: 1, embedded: 1, ..UpdateSummary::default() };
    assert_eq!(update(&mut index), embedded);
    assert_eq!(update(&mut index), UpdateSummary { embedded: 0, ..embedded });
    assert_eq!(update(&mut plain).unchanged, 1);
    let hits = index.search("answer", &foveal_index::SearchOptions::default());
    let hits = hits.expect("a store of this test");
    assert!(hits[0].reason.cosine.is_some_and(|cosine| cosine > 0.5), "{hits:?}");
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let world = World::new("none");
    world.write("a.rs", CODE);
    for path in ["gone", "a.rs"] {
        let root = world.root().join(path);
        let refused = foveal_index::Index::open(&root, &world.store(), None);
        let message = refused.err().map(|error| error.to_string());
        let expected = format!("`{}` is not a readable folder", root.display());
        assert!(message.is_some_and(|message| message.replace("/.", "") == expected), "{path}");
    }
}

#[test]
fn what_files_define_is_read_without_an_update() {
    let world = World::new("definitions");
    world.write("src/a.rs", CODE);
    world.write("src/b.rs", "struct Held {\n    a: u8,\n}\n");
    let store = world.store();
    assert!(read_definitions(&store, 9).expect("nothing is there").is_none());
    assert!(!store.exists(), "to look makes nothing");
    update(&mut world.open());
    world.write("src/c.rs", CODE);
    let names = |most| -> Vec<String> {
        let all = read_definitions(&store, most).expect("an index").expect("of this version");
        let of = all.iter().flat_map(|file| &file.definitions);
        of.map(|it| format!("{} {}", it.kind.name(), it.name)).collect()
    };
    assert_eq!(names(99), ["function answer", "type Held", "field a"]);
    assert_eq!(names(1), ["function answer"]);
    std::fs::write(&store, "no database").expect("a file");
    assert!(!matches!(read_definitions(&store, 9), Ok(Some(_))));
}
