//! Attempts to get out of the workspace, by reading and by writing. All are refused with a
//! message, and what is outside stays as it was.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use foveal_cancel::Cancel;
use foveal_files::{Note, ReadLimits, Roots, Writer, read};
use foveal_transcript::ContentHash;
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};
use tempfile::TempDir;

const SECRET: &str = "the secret outside";

/// A workspace `in/work` with all kinds of traps, beside `in/outside` and `in/work-2`.
struct World {
    folder: TempDir,
    roots: Roots,
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
        let roots = Roots::open(&[at("work")]).unwrap();
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

    /// What reading, making, replacing and removing `path` say, with the folder left out.
    fn said(&self, path: &str) -> [String; 4] {
        let hide = |said: String| said.replace(self.folder.path().to_str().unwrap(), "@");
        let secret = ContentHash::of(SECRET.as_bytes());
        let located = match self.roots.resolve(path) {
            Ok(located) => located,
            Err(error) => return std::array::from_fn(|_| hide(error.to_string())),
        };
        let read = read(&located, &ReadLimits::default(), &Cancel::NEVER);
        let replaced =
            Writer::default().replace_if(&located, &secret, b"overwritten", &Cancel::NEVER);
        let removed = Writer::default().remove_if(&located, &secret, &Cancel::NEVER);
        let created = Writer::default().create(&located, b"overwritten", &Cancel::NEVER);
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

/// Paths, and what each attempt to use them says.
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
    // Spellings that others would take for these.
    ("~", "names a home folder"),
    ("~/.ssh/id_rsa", "names a home folder"),
    ("file:///etc/passwd", "is an address, not a path"),
    ("http://127.0.0.1/x", "is an address, not a path"),
    (r"C:\Windows\win.ini", "is a Windows path"),
    ("c:/Windows/win.ini", "is a Windows path"),
    (r"\\server\share\x", "is a Windows path"),
    (r"\\?\C:\x", "is a Windows path"),
    ("src/main.rs\0/../../outside/secret", "holds a control character"),
    ("../outside/secret\n", "holds a control character"),
    ("src\r/main.rs", "holds a control character"),
    ("", "the path is empty"),
    ("src/main.rs/../../../outside/secret", "is not a folder"),
];

/// Paths that are names in the workspace and nothing else, however much they look like a way
/// out: there is nothing to read, and what is made by them is made inside.
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
        assert!(fs::canonicalize(located.absolute()).unwrap().starts_with(world.at("work")));
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
                format!("`{path}` is there already; edit it, or read it before replacing it"),
                format!("`{path}` is {what}, which is not written to"),
                format!("`{path}` is {what}, which is not written to"),
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
    assert_eq!(read(&linked, &ReadLimits::default(), &Cancel::NEVER).unwrap().names, 2);
    let secret = ContentHash::of(SECRET.as_bytes());
    let written = Writer::default().replace_if(&linked, &secret, b"new", &Cancel::NEVER).unwrap();
    assert_eq!(written.notes, [Note::OtherNames { count: 1 }]);
    assert_eq!(fs::read_to_string(world.at("outside/secret")).unwrap(), SECRET);
}

#[test]
fn what_is_put_in_the_way_after_the_look_is_refused() {
    let world = World::new();
    fs::write(world.at("work/src/other.rs"), SECRET).unwrap();
    let file = world.roots.resolve("src/other.rs").unwrap();
    let new = world.roots.resolve("src/fresh.rs").unwrap();
    let before = world.outside();
    let secret = ContentHash::of(SECRET.as_bytes());
    let said = || {
        [
            read(&file, &ReadLimits::default(), &Cancel::NEVER)
                .err()
                .map(|error| error.to_string()),
            Writer::default()
                .replace_if(&file, &secret, b"x", &Cancel::NEVER)
                .err()
                .map(|error| error.to_string()),
            Writer::default()
                .remove_if(&file, &secret, &Cancel::NEVER)
                .err()
                .map(|error| error.to_string()),
        ]
        .map(|error| error.expect("refused"))
    };
    // The file becomes a link.
    fs::remove_file(world.at("work/src/other.rs")).unwrap();
    symlink("../../outside/secret", world.at("work/src/other.rs")).unwrap();
    for said in said() {
        assert!(said.contains("is a symbolic link put there just now"), "{said}");
    }
    // Its folder becomes a link.
    fs::rename(world.at("work/src"), world.at("work/moved")).unwrap();
    symlink("../outside", world.at("work/src")).unwrap();
    fs::write(world.at("outside/other.rs"), SECRET).unwrap();
    for said in said() {
        assert!(said.contains("was replaced by a symbolic link meanwhile"), "{said}");
    }
    let error = Writer::default().create(&new, b"x", &Cancel::NEVER).unwrap_err().to_string();
    assert!(error.contains("symbolic link"), "{error}");
    fs::remove_file(world.at("outside/other.rs")).unwrap();
    let names = |all: BTreeMap<PathBuf, String>| all.into_keys().collect::<Vec<_>>();
    assert_eq!(names(world.outside()), names(before));
}

/// Says that it is done when dropped, after a failure too.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// While one thread exchanges a path with a link that leads outside, others use the path.
#[test]
fn links_exchanged_during_the_call_lead_nowhere() {
    for (path, trap, target) in [
        ("work/victim", "work/trap", "../outside"),
        ("work/victim/secret", "work/trap", "../../outside/secret"),
        // Inside, but another file than was asked for, which may need a permission.
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
            let secret = ContentHash::of(SECRET.as_bytes());
            for round in 0..1000 {
                let located = match world.roots.resolve("victim/secret") {
                    Ok(now) if now.shown() == held.shown() => now,
                    // Resolved while the link was there: refused, or it leads to another file
                    // inside, which then is what is asked for.
                    _ => held.clone(),
                };
                for _ in 0..10 {
                    if let Ok(file) = read(&located, &ReadLimits::default(), &Cancel::NEVER) {
                        let foveal_files::Content::Text(text) = file.content else { panic!() };
                        assert_eq!(text.text(), "inside");
                    }
                }
                assert!(
                    Writer::default()
                        .replace_if(&located, &secret, b"overwritten", &Cancel::NEVER)
                        .is_err()
                );
                assert!(Writer::default().remove_if(&located, &secret, &Cancel::NEVER).is_err());
                if round % 20 == 0
                    && let Ok(new) = world.roots.resolve(&format!("victim/new/{round}"))
                {
                    let _ = Writer::default().create(&new, b"new", &Cancel::NEVER);
                }
            }
        });
        assert_eq!(world.outside(), before, "{path}");
        assert_eq!(fs::read_to_string(world.at("work/private/secret")).unwrap(), SECRET);
    }
}
