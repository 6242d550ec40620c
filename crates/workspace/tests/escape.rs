//! Attempts to leave the workspace, by reading and by writing. All are refused with a message, and
//! files outside stay unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use foveal_transcript::{CancelToken, ContentHash};
use foveal_workspace::{FileWriter, ReadLimits, WorkspaceRoots, WriteNotice, read_file};
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};
use tempfile::TempDir;

const SECRET: &str = "the secret outside";

/// A workspace `in/work` with traps of all kinds, beside `in/outside` and `in/work-2`.
struct World {
    folder: TempDir,
    roots: WorkspaceRoots,
    _listener: UnixListener,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join("in").join(path);
        for path in ["work/src", "work/.git", "outside/deep", "work-2"] {
            fs::create_dir_all(at(path)).unwrap();
        }
        for path in ["outside/secret", "outside/deep/secret", "work-2/secret"] {
            fs::write(at(path), SECRET).unwrap();
        }
        fs::write(at("work/src/main.rs"), "fn main() {}\n").unwrap();
        let absolute = at("outside").to_str().unwrap().to_owned();
        for (link, target) in [
            ("file", "../outside/secret".to_owned()),
            ("absolute", format!("{absolute}/secret")),
            ("folder", "../outside".to_owned()),
            ("src/up", "../..".to_owned()),
            ("root", "/".to_owned()),
            ("chain-1", "chain-2".to_owned()),
            ("chain-2", "src/chain-3".to_owned()),
            ("src/chain-3", "../../outside/secret".to_owned()),
            ("through", "folder/deep/secret".to_owned()),
            ("back-and-out", "src/../src/../../outside/secret".to_owned()),
            ("sibling", "../work-2/secret".to_owned()),
            ("circle-1", "circle-2".to_owned()),
            ("circle-2", "circle-1".to_owned()),
            ("itself", "itself".to_owned()),
            ("process", "/proc/self/root".to_owned()),
            ("working", "/proc/self/cwd".to_owned()),
            ("handles", "/proc/self/fd".to_owned()),
            ("null", "/dev/null".to_owned()),
            ("tty", "/dev/tty".to_owned()),
            ("zero", "/dev/zero".to_owned()),
            ("new", "../outside/new".to_owned()),
            ("new-deep", "../outside/new/file".to_owned()),
            (".hidden", "../outside/secret".to_owned()),
            ("caf\u{e9}", "../outside/secret".to_owned()),
        ] {
            symlink(target, at("work").join(link)).unwrap();
        }
        mknodat(CWD, at("work/pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let listener = UnixListener::bind(at("work/socket")).unwrap();
        let roots = WorkspaceRoots::open(&[at("work")]).unwrap();
        Self { folder, roots, _listener: listener }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("in").join(path)
    }

    /// Everything outside the workspace: kind, size, times and content.
    fn outside(&self) -> BTreeMap<PathBuf, String> {
        let mut all = BTreeMap::new();
        for folder in ["outside", "work-2"] {
            snapshot(&self.at(folder), &mut all);
        }
        let names = fs::read_dir(self.at(".")).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        all.insert(PathBuf::new(), format!("{names:?}"));
        all
    }

    /// The messages of reading, creating, replacing and removing `path`, without the folder of the
    /// test.
    fn said(&self, path: &str) -> [String; 4] {
        let hide = |said: String| said.replace(self.folder.path().to_str().unwrap(), "@");
        let secret = ContentHash::from_content(SECRET.as_bytes());
        let located = match self.roots.resolve(path) {
            Ok(located) => located,
            Err(error) => return std::array::from_fn(|_| hide(error.to_string())),
        };
        let read = read_file(&located, &ReadLimits::default(), &CancelToken::NEVER);
        let replaced = FileWriter::default().compare_and_replace(
            &located,
            &secret,
            b"overwritten",
            &CancelToken::NEVER,
        );
        let removed =
            FileWriter::default().compare_and_remove(&located, &secret, &CancelToken::NEVER);
        let created =
            FileWriter::default().create_file(&located, b"overwritten", &CancelToken::NEVER);
        [
            read.err().map_or("READ".into(), |error| error.to_string()),
            created.err().map_or("CREATED".into(), |error| error.to_string()),
            replaced.err().map_or("REPLACED".into(), |error| error.to_string()),
            removed.err().map_or("REMOVED".into(), |error| error.to_string()),
        ]
        .map(hide)
    }
}

fn snapshot(folder: &Path, all: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let found = fs::symlink_metadata(&path).unwrap();
        let content =
            if found.is_file() { fs::read_to_string(&path).unwrap() } else { String::new() };
        let times = (found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
        all.insert(path.clone(), format!("{:o} {times:?} {content}", found.mode()));
        if found.is_dir() {
            snapshot(&path, all);
        }
    }
}

/// Paths, and the messages of each attempt to use them.
const OUTSIDE: &str = "is outside the workspace (`@/in/work`)";
const LEADS: &str = "leads outside the workspace by the symbolic link";
const ATTEMPTS: &[(&str, &str)] = &[
    // Names alone.
    ("..", OUTSIDE),
    ("../outside/secret", OUTSIDE),
    ("../../../../../../../../etc/passwd", OUTSIDE),
    ("src/../../outside/secret", OUTSIDE),
    ("./.././outside//secret", OUTSIDE),
    ("src/./../.././outside/secret", OUTSIDE),
    ("missing/../../outside/secret", OUTSIDE),
    ("../work-2/secret", OUTSIDE),
    ("${PWD}/../../outside/secret", OUTSIDE),
    ("../work/../outside/secret", OUTSIDE),
    ("/etc/passwd", OUTSIDE),
    ("//etc/passwd", OUTSIDE),
    ("/", OUTSIDE),
    ("@/in/outside/secret", OUTSIDE),
    ("@/in/work/../outside/secret", OUTSIDE),
    ("@/in/work-2/secret", OUTSIDE),
    ("@/in/WORK/src/main.rs", OUTSIDE),
    ("/proc/self/root/etc/passwd", OUTSIDE),
    ("/proc/self/cwd/x", OUTSIDE),
    ("/proc/self/environ", OUTSIDE),
    ("/proc/self/fd/0", OUTSIDE),
    ("/dev/null", OUTSIDE),
    ("/dev/stdin", OUTSIDE),
    ("/dev/fd/0", OUTSIDE),
    // Links.
    ("file", LEADS),
    ("./src/../file", LEADS),
    ("absolute", LEADS),
    ("folder", LEADS),
    ("folder/secret", LEADS),
    ("folder/deep/secret", LEADS),
    ("folder/new/file", LEADS),
    ("folder/../outside/secret", LEADS),
    ("src/up/outside/secret", LEADS),
    ("root/etc/passwd", LEADS),
    ("chain-1", LEADS),
    ("through", LEADS),
    ("back-and-out", LEADS),
    ("sibling", LEADS),
    ("process/etc/passwd", LEADS),
    ("working/x", LEADS),
    ("handles/0", LEADS),
    ("null", LEADS),
    ("tty", LEADS),
    ("zero", LEADS),
    ("new", LEADS),
    ("new-deep", LEADS),
    (".hidden", LEADS),
    ("caf\u{e9}", LEADS),
    ("circle-1", "goes through more than 40 symbolic links; they may form a circle"),
    ("itself", "goes through more than 40 symbolic links; they may form a circle"),
    ("itself/x", "goes through more than 40 symbolic links; they may form a circle"),
    // Spellings that other systems would resolve to these.
    ("~", "names a home folder"),
    ("~/.ssh/id_rsa", "names a home folder"),
    ("file:///etc/passwd", "is an address, not a path"),
    ("http://127.0.0.1/x", "is an address, not a path"),
    (r"C:\Windows\win.ini", "is a Windows path"),
    ("c:/Windows/win.ini", "is a Windows path"),
    (r"\\server\share\x", "is a Windows path"),
    (r"\\?\C:\x", "is a Windows path"),
    ("src/main.rs\0/../../outside/secret", "contains a control character"),
    ("../outside/secret\n", "contains a control character"),
    ("src\r/main.rs", "contains a control character"),
    ("", "the path is empty"),
    ("src/main.rs/../../../outside/secret", "is not a folder"),
];

/// Paths that are plain names in the workspace, although they look like a way out: there is no file
/// to read, and new files are created inside.
const NAMES: &[&str] = &[
    "%2e%2e/outside/secret",
    "..%2foutside%2fsecret",
    "%2e%2e%2foutside%2fsecret",
    r"..\outside\secret",
    "....//outside/secret",
    ".. /outside/secret",
    "\u{ff0e}\u{ff0e}/outside/secret",
    "..\u{2215}outside\u{2215}secret",
    "..\u{ff0f}outside\u{ff0f}secret",
    "\u{2025}/outside/secret",
    "$HOME/secret",
    "`pwd`/secret",
    "FILE",
    "Folder/secret",
    "cafe\u{301}",
    "~root/secret",
    "-rf",
];

#[test]
fn attempts_to_get_out_are_refused() {
    assert!(ATTEMPTS.len() + NAMES.len() >= 40);
    let world = World::new();
    let before = world.outside();
    for (path, expected) in ATTEMPTS {
        let path = path.replace('@', world.folder.path().to_str().unwrap());
        for said in world.said(&path) {
            assert!(said.contains(expected), "{path:?}: {said}");
            assert!(!said.contains(SECRET), "{path:?}: {said}");
        }
    }
    assert_eq!(world.outside(), before);
}

#[test]
fn names_that_look_like_a_way_out_are_names() {
    let world = World::new();
    let before = world.outside();
    for path in NAMES {
        let [read, created, replaced, removed] = world.said(path);
        for said in [read, replaced, removed] {
            assert!(said.starts_with("no such file `"), "{path:?}: {said}");
        }
        assert_eq!(created, "CREATED", "{path:?}");
        let located = world.roots.resolve(path).unwrap();
        assert!(fs::canonicalize(located.absolute_path()).unwrap().starts_with(world.at("work")));
    }
    assert_eq!(world.outside(), before);
}

#[test]
fn what_is_no_file_is_refused_without_waiting() {
    let world = World::new();
    let before = world.outside();
    for (path, what) in [("pipe", "a named pipe"), ("socket", "a socket"), ("src", "a folder")] {
        assert_eq!(
            world.said(path),
            [
                format!("`{path}` is {what}, which cannot be read as a file"),
                format!("`{path}` already exists; edit it, or read it before replacing it"),
                format!("`{path}` is {what}, which cannot be written"),
                format!("`{path}` is {what}, which cannot be written"),
            ]
        );
    }
    assert_eq!(world.outside(), before);
}

#[test]
fn a_file_with_a_name_outside_is_parted_from_it_and_said() {
    let world = World::new();
    fs::hard_link(world.at("outside/secret"), world.at("work/linked")).unwrap();
    let linked = world.roots.resolve("linked").unwrap();
    assert_eq!(
        read_file(&linked, &ReadLimits::default(), &CancelToken::NEVER).unwrap().link_count,
        2
    );
    let secret = ContentHash::from_content(SECRET.as_bytes());
    let written = FileWriter::default()
        .compare_and_replace(&linked, &secret, b"new", &CancelToken::NEVER)
        .unwrap();
    assert_eq!(written.notes, [WriteNotice::OtherNames { count: 1 }]);
    assert_eq!(fs::read_to_string(world.at("outside/secret")).unwrap(), SECRET);
}

#[test]
fn what_is_put_in_the_way_after_the_look_is_refused() {
    let world = World::new();
    fs::write(world.at("work/src/other.rs"), SECRET).unwrap();
    let file = world.roots.resolve("src/other.rs").unwrap();
    let new = world.roots.resolve("src/fresh.rs").unwrap();
    let before = world.outside();
    let secret = ContentHash::from_content(SECRET.as_bytes());
    let said = || {
        [
            read_file(&file, &ReadLimits::default(), &CancelToken::NEVER)
                .err()
                .map(|error| error.to_string()),
            FileWriter::default()
                .compare_and_replace(&file, &secret, b"x", &CancelToken::NEVER)
                .err()
                .map(|error| error.to_string()),
            FileWriter::default()
                .compare_and_remove(&file, &secret, &CancelToken::NEVER)
                .err()
                .map(|error| error.to_string()),
        ]
        .map(|error| error.expect("refused"))
    };
    // The file becomes a link.
    fs::remove_file(world.at("work/src/other.rs")).unwrap();
    symlink("../../outside/secret", world.at("work/src/other.rs")).unwrap();
    for said in said() {
        assert!(said.contains("is a symbolic link that just appeared"), "{said}");
    }
    // Its folder becomes a link.
    fs::rename(world.at("work/src"), world.at("work/moved")).unwrap();
    symlink("../outside", world.at("work/src")).unwrap();
    fs::write(world.at("outside/other.rs"), SECRET).unwrap();
    for said in said() {
        assert!(said.contains("was replaced by a symbolic link meanwhile"), "{said}");
    }
    let error =
        FileWriter::default().create_file(&new, b"x", &CancelToken::NEVER).unwrap_err().to_string();
    assert!(error.contains("symbolic link"), "{error}");
    fs::remove_file(world.at("outside/other.rs")).unwrap();
    let names = |all: BTreeMap<PathBuf, String>| all.into_keys().collect::<Vec<_>>();
    assert_eq!(names(world.outside()), names(before));
}

/// Sets the flag when dropped, also after a failure.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One thread exchanges a path with a link that leads outside, while others use the path.
#[test]
fn links_exchanged_during_the_call_lead_nowhere() {
    for (path, trap, target) in [
        ("work/victim", "work/trap", "../outside"),
        ("work/victim/secret", "work/trap", "../../outside/secret"),
        // Inside, but another file than requested, which may need a permission.
        ("work/victim", "work/trap", "private"),
        ("work/victim/secret", "work/trap", "../private/secret"),
        ("work/victim/secret", "work/trap", "private"),
    ] {
        let world = World::new();
        fs::create_dir(world.at("work/private")).unwrap();
        fs::write(world.at("work/private/secret"), SECRET).unwrap();
        fs::create_dir(world.at("work/victim")).unwrap();
        fs::write(world.at("work/victim/secret"), "inside").unwrap();
        fs::write(world.at("work/victim/private"), SECRET).unwrap();
        symlink(target, world.at(trap)).unwrap();
        let before = world.outside();
        let held = world.roots.resolve("victim/secret").unwrap();
        let done = AtomicBool::new(false);
        let (from, to) = (world.at(path), world.at(trap));
        std::thread::scope(|scope| {
            let _done = Done(&done);
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    renameat_with(CWD, &from, CWD, &to, RenameFlags::EXCHANGE).unwrap();
                }
            });
            let secret = ContentHash::from_content(SECRET.as_bytes());
            for round in 0..1000 {
                let located = match world.roots.resolve("victim/secret") {
                    Ok(now) if now.display_path() == held.display_path() => now,
                    // Resolved while the link was in place: refused, or resolved to another file
                    // inside, which is then the requested one.
                    _ => held.clone(),
                };
                for _ in 0..10 {
                    if let Ok(file) =
                        read_file(&located, &ReadLimits::default(), &CancelToken::NEVER)
                    {
                        let foveal_workspace::FileContent::Text(text) = file.content else {
                            panic!()
                        };
                        assert_eq!(text.text(), "inside");
                    }
                }
                assert!(
                    FileWriter::default()
                        .compare_and_replace(&located, &secret, b"overwritten", &CancelToken::NEVER)
                        .is_err()
                );
                assert!(
                    FileWriter::default()
                        .compare_and_remove(&located, &secret, &CancelToken::NEVER)
                        .is_err()
                );
                if round % 20 == 0
                    && let Ok(new) = world.roots.resolve(&format!("victim/new/{round}"))
                {
                    let _ = FileWriter::default().create_file(&new, b"new", &CancelToken::NEVER);
                }
            }
        });
        assert_eq!(world.outside(), before, "{path}");
        assert_eq!(fs::read_to_string(world.at("work/private/secret")).unwrap(), SECRET);
    }
}
