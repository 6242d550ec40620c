//! Attempts to get out of the workspace through every tool that takes a path: all are refused
//! with a message, and what is outside stays as it was and is shown to nobody.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use foveal_tools::settings::ToolSettings;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use crate::world::toolbox;

const SECRET: &str = "the secret outside";

/// The name of a file there, which is nowhere else.
const OTHER: &str = "known-only-outside";

/// A workspace `in/work` with links that lead out of it, beside `in/outside`.
struct Trap {
    folder: tempfile::TempDir,
    session: ToolSession,
}

impl Trap {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join("in").join(path);
        for path in ["work/src", "outside/deep", "work-2"] {
            fs::create_dir_all(at(path)).unwrap();
        }
        for path in ["outside/secret", "outside/deep/secret", "work-2/secret"] {
            fs::write(at(path), SECRET).unwrap();
        }
        fs::write(at("outside").join(OTHER), "").unwrap();
        fs::write(at("work/src/main.rs"), "fn main() {}\n").unwrap();
        let absolute = at("outside/secret").display().to_string();
        for (link, target) in [
            ("file", "../outside/secret"),
            ("absolute", absolute.as_str()),
            ("folder", "../outside"),
            ("src/up", "../.."),
            ("root", "/"),
            ("chain-1", "chain-2"),
            ("chain-2", "src/chain-3"),
            ("src/chain-3", "../../outside/secret"),
            ("through", "folder/deep/secret"),
            ("sibling", "../work-2/secret"),
            ("circle", "circle"),
            ("process", "/proc/self/root"),
            ("working", "/proc/self/cwd"),
            ("zero", "/dev/zero"),
            ("new", "../outside/new"),
            (".hidden", "../outside/secret"),
        ] {
            symlink(target, at("work").join(link)).unwrap();
        }
        let toolbox = Arc::new(toolbox(at("work"), ToolSettings::default()));
        Self { session: ToolSession::new(&toolbox, "trap"), folder }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("in").join(path)
    }

    fn ask(&self, tool: &str, arguments: Value) -> ToolCallAnswer {
        self.session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE)
    }

    /// Everything outside: kind, times and content.
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

/// Ways out; `@` is the folder above the workspace.
const ATTEMPTS: &[&str] = &[
    "..",
    "../outside/secret",
    "../../../../../../../../etc/passwd",
    "src/../../outside/secret",
    "./.././outside//secret",
    "missing/../../outside/secret",
    "../work-2/secret",
    "../work/../outside/secret",
    "src/main.rs/../../../outside/secret",
    "/",
    "/etc/passwd",
    "//etc/passwd",
    "@/in/outside/secret",
    "@/in/work/../outside/secret",
    "@/in/work-2/secret",
    "@/in/WORK/src/main.rs",
    "/proc/self/root/etc/passwd",
    "/proc/self/environ",
    "/proc/self/fd/0",
    "/dev/null",
    "/dev/stdin",
    "file",
    "./src/../file",
    "absolute",
    "folder",
    "folder/secret",
    "folder/deep/secret",
    "folder/new/file",
    "folder/../outside/secret",
    "src/up/outside/secret",
    "root/etc/passwd",
    "chain-1",
    "through",
    "sibling",
    "circle",
    "circle/x",
    "process/etc/passwd",
    "working/x",
    "zero",
    "new",
    ".hidden",
    "~",
    "~/.ssh/id_rsa",
    "file:///etc/passwd",
    r"C:\Windows\win.ini",
    r"\\server\share\x",
    "src/main.rs\0/../../outside/secret",
    "../outside/secret\n",
];

/// A call of each tool that takes a path.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let edit = json!({"path": path, "old_str": SECRET, "new_str": "overwritten"});
    vec![
        ("read_file", json!({"path": path})),
        ("read_file", json!({"path": path, "mode": "full"})),
        ("read_lines", json!({"path": path, "start": 1, "end": 9})),
        ("read_files", json!({"paths": [path]})),
        ("write_file", json!({"path": path, "content": "overwritten"})),
        ("write_file", json!({"path": path, "handle": "0123456789ab"})),
        ("edit_file", edit.clone()),
        ("multi_edit", json!({"edits": [edit]})),
        ("grep", json!({"pattern": ".", "path": path})),
        ("glob", json!({"pattern": "**", "path": path})),
        ("list", json!({"path": path})),
        ("outline", json!({"path": path})),
        ("focus", json!({"paths": [path]})),
        ("unfocus", json!({"paths": [path]})),
    ]
}

#[test]
fn no_tool_follows_a_way_out() {
    let trap = Trap::new();
    let before = trap.outside();
    let mut count = 0;
    for attempt in ATTEMPTS {
        let path = attempt.replace('@', trap.folder.path().to_str().unwrap());
        for (tool, arguments) in calls(&path) {
            let ToolCallAnswer { text, is_error, .. } = trap.ask(tool, arguments);
            count += 1;
            assert!(is_error || text.contains("(failed)\n"), "{tool} {attempt:?}: {text}");
            assert!(!text.contains(SECRET), "{tool} {attempt:?}: {text}");
            assert!(text.lines().count() <= 3 && text.len() < 600, "{tool} {attempt:?}: {text}");
        }
    }
    println!("{count} attempts by {} paths", ATTEMPTS.len());
    assert_eq!(trap.outside(), before);
}

#[test]
fn no_pattern_leads_out() {
    let trap = Trap::new();
    let before = trap.outside();
    for pattern in [
        "../**",
        "../outside/*",
        "/etc/*",
        "**/secret",
        "folder/*",
        "{..,src}/*",
        "*/../../outside/*",
    ] {
        for (tool, arguments) in [
            ("glob", json!({"pattern": pattern})),
            ("grep", json!({"pattern": "secret", "glob": pattern})),
        ] {
            let text = trap.ask(tool, arguments).text;
            assert!(!text.contains(SECRET), "{tool} {pattern}: {text}");
            let paths = text.lines().filter(|line| !line.starts_with('['));
            let leads = paths.filter(|path| path.contains("secret") || path.contains("passwd"));
            assert_eq!(leads.collect::<Vec<_>>(), Vec::<&str>::new(), "{tool} {pattern}");
        }
    }
    for (tool, arguments) in
        [("grep", json!({"pattern": "secret|root:"})), ("list", json!({"depth": 50}))]
    {
        let text = trap.ask(tool, arguments).text;
        assert!(!text.contains(SECRET) && !text.contains("passwd"), "{tool}: {text}");
    }
    assert_eq!(trap.outside(), before);
}

/// Says that it is done when dropped, after a failure too.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// While one thread exchanges a path with a link that leads outside, tools use the path.
#[test]
fn links_exchanged_during_the_call_lead_nowhere() {
    for (path, target) in [("victim", "../outside"), ("victim/secret", "../../outside/secret")] {
        let trap = Trap::new();
        fs::create_dir(trap.at("work/victim")).unwrap();
        fs::write(trap.at("work/victim/secret"), "inside\n").unwrap();
        symlink(target, trap.at("work/trap")).unwrap();
        let before = trap.outside();
        let done = AtomicBool::new(false);
        let (from, to) = (trap.at("work").join(path), trap.at("work/trap"));
        std::thread::scope(|scope| {
            let _done = Done(&done);
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    renameat_with(CWD, &from, CWD, &to, RenameFlags::EXCHANGE).unwrap();
                }
            });
            for _ in 0..60 {
                for (tool, arguments) in calls("victim/secret") {
                    let text = trap.ask(tool, arguments.clone()).text;
                    assert!(!text.contains(SECRET), "{tool}: {text}");
                }
                let edit =
                    json!({"path": "victim/secret", "old_str": "inside", "new_str": "inside"});
                trap.ask("edit_file", edit);
                trap.ask("write_file", json!({"path": "victim/fresh/new", "content": "new"}));
                for (tool, arguments) in [
                    ("grep", json!({"pattern": "secret|outside", "path": "victim"})),
                    ("grep", json!({"pattern": "secret outside"})),
                    ("list", json!({"path": "victim", "depth": 9})),
                    ("glob", json!({"pattern": "victim/**"})),
                ] {
                    let text = trap.ask(tool, arguments).text;
                    assert!(!text.contains(SECRET), "{tool}: {text}");
                    // Nor are names told of what lies there.
                    assert!(!text.contains(OTHER), "{tool}: {text}");
                }
            }
        });
        assert_eq!(trap.outside(), before, "{path}");
    }
}
