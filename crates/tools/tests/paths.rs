//! Which files paths mean: after a change of folder, and with several roots.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveal_index::Index;
use foveal_sandbox::{CommandEnvironment, ShellProgram};
use foveal_store::SqliteStore;
use foveal_tools::permission::{PermissionRule, Verdict};
use foveal_tools::settings::ToolSettings;
use foveal_tools::toolbox::CommandRuntime;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession, Toolbox};
use foveal_workspace::{NameEquivalence, WorkspaceRoots};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::{World, source};

/// A session with several roots.
struct Wide {
    folder: tempfile::TempDir,
    toolbox: Arc<Toolbox>,
    session: ToolSession,
}

impl Wide {
    fn new(roots: &[&str], files: &[(&str, &str)]) -> Self {
        Self::with(roots, files, |folders| WorkspaceRoots::open(folders).expect("they are there"))
    }

    fn with(
        roots: &[&str],
        files: &[(&str, &str)],
        open: impl Fn(&[PathBuf]) -> WorkspaceRoots,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folders: Vec<PathBuf> = roots.iter().map(|root| folder.path().join(root)).collect();
        folders.iter().for_each(|folder| fs::create_dir_all(folder).expect("a folder"));
        for (path, content) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        let roots = open(&folders);
        let path = std::env::var_os("PATH");
        let environment =
            CommandEnvironment::from_inherited(path.clone().map(|path| ("PATH".into(), path)));
        let shell = ShellProgram::find(path.as_deref()).expect("a shell");
        let host = CommandRuntime { environment, shell, sandbox: None, guard: None };
        let store = Arc::new(SqliteStore::in_memory().expect("a store"));
        let index = |root: &Path| {
            let root = root.to_owned();
            Box::new(move || Index::in_memory(&root, None))
        };
        let all: Vec<PathBuf> = roots.all().map(|root| root.path().to_owned()).collect();
        let first = index(&all[0]);
        let mut toolbox = Toolbox::new(roots, store, first, host, ToolSettings::default());
        all.iter().skip(1).for_each(|root| toolbox.index.add_root(root.clone(), index(root)));
        let toolbox = Arc::new(toolbox);
        let session = ToolSession::new(&toolbox, "test");
        Self { folder, toolbox, session }
    }

    fn ask(&self, tool: &str, arguments: Value) -> ToolCallAnswer {
        self.session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE)
    }

    /// The text of an answer that is no error, with the folder of the test left out.
    #[track_caller]
    fn call(&self, tool: &str, arguments: Value) -> String {
        let answer = self.ask(tool, arguments);
        assert!(!answer.is_error, "{}", answer.text);
        let folder = self.folder.path().canonicalize().expect("it is there");
        answer.text.replace(folder.to_str().expect("a text"), "@")
    }

    fn go(&self, folder: &str) {
        let answer = self.ask("bash", json!({"command": format!("cd '{folder}'")}));
        assert!(!answer.is_error, "{}", answer.text);
    }
}

#[test]
fn paths_lead_back_after_a_change_of_folder() {
    let world = World::new();
    world.write("src/a.py", "aa = 1\n");
    world.write("src/src/a.py", "other = 2\n");
    world.write("top.py", "aa = 3\n");
    world.call("bash", json!({"command": "cd src"}));
    assert_eq!(world.call("grep", json!({"pattern": "aa"})), "a.py\n1:aa = 1\n");
    assert_eq!(world.call("glob", json!({"pattern": "*.py"})), "a.py\nsrc/a.py\n");
    assert_eq!(
        world.call("list", json!({})),
        "./ (2 files)\n  src/ (1 file)\n    a.py 10 B\n  a.py 7 B\n"
    );
    let read = world.call("read_file", json!({"path": "a.py"}));
    assert_eq!(read, "File: a.py (full)\nTotal lines: 1 | Preserved: 1 (100 %)\n1→aa = 1\n");
    assert_eq!(world.call("focus", json!({"paths": ["a.py"]})), "In focus:\na.py\n");
    let wrote = world.call("write_file", json!({"path": "n.py", "content": "n = 1\n"}));
    assert!(wrote.starts_with("Wrote n.py (new) [before: "), "{wrote}");
    assert_eq!(world.on_disk("src/n.py"), "n = 1\n");
    let said = world.refused("read_file", json!({"path": "b.py"}));
    assert!(said.contains("did you mean `a.py`"), "{said}");
    // What is outside of the folder is told from the top.
    let root = world.folder.path().canonicalize().unwrap();
    let top = root.join("top.py").display().to_string();
    let found = world.call("grep", json!({"pattern": "aa", "path": "..", "glob": "top*"}));
    assert_eq!(found, format!("{top}\n1:aa = 3\n"));
    assert!(world.call("read_file", json!({"path": top})).ends_with("1→aa = 3\n"));
    let hits = world.call("search_code", json!({"query": "aa"}));
    let told: BTreeSet<&str> = hits.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(told, BTreeSet::from(["a.py", &*top]), "{hits}");
    // The same files are called otherwise from elsewhere.
    world.call("bash", json!({"command": "cd .."}));
    assert_eq!(world.call("focus", json!({})), "In focus:\nsrc/a.py\n");
    assert_eq!(world.session.reads.read_paths(&world.session.roots()), ["src/a.py", "top.py"]);
    assert!(world.session.read_count("src/a.py") > 0 && world.session.read_count("a.py") == 0);
}

#[test]
fn no_answer_is_handed_out_that_tells_paths_from_elsewhere() {
    let world = World::new();
    world.write("src/a.rs", source(3));
    world.settle();
    world.call("glob", json!({"pattern": "*.rs", "path": "src"}));
    world.call("grep", json!({"pattern": "step_1", "path": "src", "output": "files"}));
    world.call("outline", json!({"path": "src/a.rs"}));
    world.call("bash", json!({"command": "cd src"}));
    for (tool, arguments) in [
        ("glob", json!({"pattern": "*.rs", "path": "."})),
        ("grep", json!({"pattern": "step_1", "path": ".", "output": "files"})),
        ("outline", json!({"path": "a.rs"})),
    ] {
        let answer = world.ask(tool, arguments);
        assert!(!answer.cached && answer.text.contains("a.rs"), "{tool}: {answer:?}");
        let label = "[same result as `outline src/a.rs` above]";
        assert!(!answer.text.replace(label, "").contains("src/"), "{tool}: {answer:?}");
    }
    let again = world.ask("glob", json!({"pattern": "*.rs"}));
    assert!(again.cached, "{again:?}");
    // Lines are the same wherever they are asked for from.
    world.call("read_lines", json!({"path": "a.rs", "start": 3, "end": 4}));
    world.call("bash", json!({"command": "cd .."}));
    assert!(world.ask("read_lines", json!({"path": "src/a.rs", "start": 3, "end": 4})).cached);
}

/// Where a command went is not always to be seen from its words.
#[test]
fn what_is_pointed_at_is_the_same_file() {
    let world = World::new();
    let long: String = (0..60).map(|n| format!("line {n} of the file\n")).collect();
    world.write("a.txt", &long);
    world.write("src/a.txt", &long);
    world.call("read_lines", json!({"path": "a.txt", "start": 1, "end": 50}));
    world.call("bash", json!({"command": "cd \"$(echo src)\""}));
    let read = world.call("bash", json!({"command": "cat a.txt"}));
    // The same lines of another file, which is named: they stand above, and are not unchanged.
    let note = read.strip_prefix("[1-50: same as 1-50 of ");
    let note = note.and_then(|note| note.split_once(" above]\n"));
    let (file, rest) = note.unwrap_or_else(|| panic!("{read}"));
    assert!(file.ends_with("/a.txt") && !file.ends_with("src/a.txt"), "{read}");
    assert!(rest.starts_with("line 50 of the file\n"), "{read}");
}

#[test]
fn a_short_file_comes_whole_whatever_it_shares_with_others() {
    let world = World::new();
    let manifest = |name: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nserde = \"1\"\n"
        )
    };
    for name in ["one", "two"] {
        world.write(&format!("{name}/Cargo.toml"), manifest(name));
    }
    world.write("copy/Cargo.toml", manifest("one"));
    for (folder, name) in [("one", "one"), ("two", "two"), ("copy", "one")] {
        let read = world.call("read_file", json!({"path": format!("{folder}/Cargo.toml")}));
        let rows = manifest(name);
        let rows = (1..).zip(rows.lines()).map(|(at, row)| format!("{at}→{row}\n"));
        assert!(read.ends_with(&rows.collect::<String>()), "{folder}: {read}");
    }
}

#[test]
fn rules_and_undo_go_by_one_name_wherever_the_session_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/closed.txt"), "needle\n").unwrap();
    fs::write(folder.path().join("src/open.txt"), "needle\n").unwrap();
    let mut toolbox = crate::world::toolbox(folder.path().to_owned(), ToolSettings::default());
    let forbids = |tool: &str, subject: &str| {
        let (tool, subject) = (tool.to_owned(), subject.to_owned());
        PermissionRule { tool, subject, verdict: Verdict::Deny }
    };
    toolbox.policy.rules =
        vec![forbids("*", "src/closed.txt"), forbids("read_files", "src/open.txt")];
    let session = ToolSession::new(&Arc::new(toolbox), "rules");
    let call = |tool: &str, arguments| {
        session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE)
    };
    call("read_file", json!({"path": "src/open.txt"}));
    let wrote = call("write_file", json!({"path": "src/open.txt", "content": "needles\n"})).text;
    let handle = wrote.split("[before: ").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    call("bash", json!({"command": "cd src"}));
    assert!(call("read_file", json!({"path": "closed.txt"})).is_error);
    assert!(call("read_files", json!({"paths": ["open.txt"]})).is_error);
    let found = call("grep", json!({"pattern": "needle"})).text;
    assert!(found.starts_with("open.txt\n1:needles\n[not read: closed.txt ("), "{found}");
    let hits = call("search_code", json!({"query": "needle needles"})).text;
    assert!(!hits.contains("closed"), "{hits}");
    let back = call("write_file", json!({"path": "open.txt", "handle": handle}));
    assert!(!back.is_error && back.text.starts_with("Wrote open.txt ["), "{back:?}");
    assert_eq!(fs::read_to_string(folder.path().join("src/open.txt")).unwrap(), "needle\n");
}

#[test]
fn a_folder_that_is_gone_is_left() {
    let world = World::new();
    world.call("bash", json!({"command": "mkdir -p one/two && cd one/two"}));
    fs::remove_dir_all(world.folder.path().join("one/two")).unwrap();
    let ran = world.call("bash", json!({"command": "echo here"}));
    assert!(ran.starts_with("[the folder `") && ran.ends_with("here\n"), "{ran}");
    world.call("write_file", json!({"path": "n.txt", "content": "n\n"}));
    assert_eq!(world.on_disk("one/n.txt"), "n\n");
}

fn two() -> Wide {
    Wide::new(
        &["one", "two"],
        &[
            ("one/a.rs", "fn needle() {}\n"),
            ("one/src/b.rs", "fn needle_b() {}\n"),
            ("two/a.rs", "fn needle_two() {}\n"),
            ("two/sub/c.rs", "fn needle_c() {}\n"),
        ],
    )
}

#[test]
fn without_a_path_all_roots_are_searched() {
    let wide = two();
    assert_eq!(
        wide.call("grep", json!({"pattern": "needle", "output": "files"})),
        "a.rs\nsrc/b.rs\n@/two/a.rs\n@/two/sub/c.rs\n"
    );
    assert_eq!(wide.call("glob", json!({"pattern": "a.rs"})), "a.rs\n@/two/a.rs\n");
    assert_eq!(
        wide.call("list", json!({"depth": 1})),
        "./ (2 files)\n  src/ (1 file)\n  a.rs 15 B\n@/two/ (2 files)\n  sub/ (1 file)\n  a.rs 19 B\n"
    );
    let hits = wide.call("search_code", json!({"query": "needle_two"}));
    assert!(hits.starts_with("@/two/a.rs:1 function needle_two"), "{hits}");
    // From the other root the same, told from there.
    wide.go("../two");
    assert_eq!(
        wide.call("grep", json!({"pattern": "needle", "output": "count"})),
        "@/one/a.rs:1\n@/one/src/b.rs:1\na.rs:1\nsub/c.rs:1\n"
    );
    let hits = wide.call("search_code", json!({"query": "needle_b"}));
    assert!(hits.starts_with("@/one/src/b.rs:1 function needle_b"), "{hits}");
    let wrote = wide.call("write_file", json!({"path": "new.rs", "content": "\n"}));
    assert!(wrote.starts_with("Wrote new.rs (new) [before: "), "{wrote}");
    // Below a root, and with a path, that folder.
    assert_eq!(wide.call("glob", json!({"pattern": "a.rs", "path": "."})), "a.rs\n");
    wide.go("sub");
    assert_eq!(wide.call("grep", json!({"pattern": "needle", "output": "files"})), "c.rs\n");
}

#[test]
fn all_roots_make_up_one_answer() {
    let wide = two();
    let mut told = String::new();
    for offset in 0..4 {
        let asked = json!({"pattern": "needle", "output": "files", "offset": offset, "limit": 1});
        let page = wide.call("grep", asked);
        told.push_str(page.lines().next().unwrap());
        told.push(' ');
        let next = match offset {
            3 => "[files 4-4 of 4 found]".to_owned(),
            _ => format!("[files {0}-{0} of 4 found; the next from offset {0}]", offset + 1),
        };
        assert_eq!(page.lines().nth(1), Some(&*next));
    }
    assert_eq!(told, "a.rs src/b.rs @/two/a.rs @/two/sub/c.rs ");
    let page = wide.call("glob", json!({"pattern": "*.rs", "offset": 1, "limit": 2}));
    assert_eq!(page, "src/b.rs\n@/two/a.rs\n[files 2-3 of 4; the next from offset 3]\n");
    let times = [("one/a.rs", 3), ("one/src/b.rs", 1), ("two/a.rs", 4), ("two/sub/c.rs", 2)];
    for (path, seconds) in times {
        let file = fs::File::options().write(true).open(wide.folder.path().join(path)).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        file.set_modified(time).unwrap();
    }
    let newest = wide.call("glob", json!({"pattern": "*.rs", "newest": true, "limit": 3}));
    assert_eq!(
        newest,
        "@/two/a.rs\na.rs\n@/two/sub/c.rs\n[files 1-3 of 4; the next from offset 3]\n"
    );
    // A search of one root is another one.
    std::thread::sleep(std::time::Duration::from_millis(60));
    wide.call("grep", json!({"pattern": "fn needle"}));
    let one = wide.ask("grep", json!({"pattern": "fn needle", "path": "."}));
    assert!(!one.cached && !one.text.contains("two"), "{one:?}");
    assert!(wide.ask("grep", json!({"pattern": "fn needle"})).cached);
    fs::write(wide.folder.path().join("two/d.rs"), "fn needle_d() {}\n").unwrap();
    let more = wide.ask("grep", json!({"pattern": "fn needle"}));
    assert!(!more.cached && more.text.contains("needle_d"), "{more:?}");
}

#[test]
fn a_root_in_a_root_is_searched_once() {
    let files = [("one/a.rs", "fn needle() {}\n"), ("one/in/b.rs", "fn needle_b() {}\n")];
    let wide = Wide::new(&["one", "one/in"], &files);
    assert_eq!(
        wide.call("grep", json!({"pattern": "needle"})),
        "a.rs\n1:fn needle() {}\n\nin/b.rs\n1:fn needle_b() {}\n"
    );
    assert_eq!(wide.call("glob", json!({"pattern": "*.rs"})), "a.rs\nin/b.rs\n");
    let hits = wide.call("search_code", json!({"query": "needle_b"}));
    assert_eq!(hits.matches("in/b.rs").count(), 1, "{hits}");
    assert_eq!(wide.toolbox.roots.all().count(), 2);
}

/// A file under two names stands for a file system that takes them for one.
#[test]
fn names_are_compared_as_the_file_system_does() {
    let names = NameEquivalence { ignores_case: true, ignores_form: true };
    let wide = Wide::with(&["one"], &[], |folders| {
        WorkspaceRoots::open_with_name_equivalence(folders, names).unwrap()
    });
    let at = |name: &str| wide.folder.path().join("one").join(name);
    fs::write(at("Caf\u{e9}.rs"), source(3)).unwrap();
    for other in ["caf\u{e9}.rs", "Cafe\u{301}.rs"] {
        fs::hard_link(at("Caf\u{e9}.rs"), at(other)).unwrap();
    }
    for other in ["caf\u{e9}.rs", "Cafe\u{301}.rs"] {
        wide.session.clear_visibility();
        wide.call("read_file", json!({"path": "Caf\u{e9}.rs"}));
        assert!(wide.session.read_count(other) > 0);
        let said = wide.call("read_file", json!({"path": other}));
        assert!(said.contains("unchanged, its 15 lines are shown above"), "{said}");
    }
    std::thread::sleep(std::time::Duration::from_millis(60));
    wide.call("read_lines", json!({"path": "Caf\u{e9}.rs", "start": 2, "end": 3}));
    assert!(wide.ask("read_lines", json!({"path": "caf\u{e9}.rs", "start": 2, "end": 3})).cached);
    assert_eq!(wide.session.reads.read_paths(&wide.session.roots()).len(), 1);
}

#[test]
fn what_a_read_shows_a_search_finds() {
    let world = World::new();
    let bytes = b"un r\xE9sum\xE9\r\nd\xE9j\xE0 vu\r\n";
    world.write("latin.txt", bytes);
    let read = world.call("read_file", json!({"path": "latin.txt"}));
    assert!(read.ends_with("1→un r\u{e9}sum\u{e9}\n2→d\u{e9}j\u{e0} vu\n"), "{read}");
    let found = world.call("grep", json!({"pattern": "d\u{e9}j\u{e0}", "path": "latin.txt"}));
    assert!(found.contains("2:d\u{e9}j\u{e0} vu") || found.contains("shown above"), "{found}");
    let edit = json!({"path": "latin.txt", "old_str": "d\u{e9}j\u{e0}", "new_str": "\u{e0}"});
    world.call("edit_file", edit);
    let after = fs::read(world.folder.path().join("latin.txt")).unwrap();
    assert_eq!(after, b"un r\xE9sum\xE9\r\n\xE0 vu\r\n");
}

#[test]
fn names_that_are_no_text_can_be_asked_for() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    let name = std::ffi::OsStr::from_bytes(b"a\nb\xff.txt");
    fs::write(world.folder.path().join(name), "needle\n").unwrap();
    world.write("c.txt", "needle\n");
    let told = "$'a\\nb\\xff.txt'";
    assert_eq!(world.call("glob", json!({"pattern": "*.txt"})), format!("{told}\nc.txt\n"));
    let found = world.call("grep", json!({"pattern": "needle"}));
    assert_eq!(found, format!("{told}\n1:needle\n\nc.txt\n1:needle\n"));
    assert!(world.call("read_file", json!({"path": told})).ends_with("1→needle\n"));
    let cat = world.call("bash", json!({"command": format!("cat {told}")}));
    assert!(cat.contains("needle") || cat.contains("above"), "{cat}");
}

/// Rules of ignored files mean the same everywhere, with git and without.
#[test]
fn all_tools_pass_the_same_files_over() {
    for git in [false, true] {
        let world = World::new();
        let names = [
            "a.rs",
            "built/b.rs",
            "src/c.rs",
            "src/skip.rs",
            "src/kept.rs",
            "src/deep/skip.rs",
            "odd/d.rs",
            "odd/e.rs",
            ".hidden/f.rs",
            "src/.g.rs",
        ];
        for (at, name) in names.iter().enumerate() {
            world.write(name, format!("fn needle_{at}() {{}}\n"));
        }
        world.write(".gitignore", "built/\nskip.rs\n");
        world.write("src/.gitignore", "!/skip.rs\n");
        world.write("odd/.ignore", "d.rs\n");
        world.write("odd/.rgignore", "e.rs\n");
        if git {
            world.write(".git/HEAD", "ref: refs/heads/main\n");
        }
        let expected = "a.rs\nsrc/c.rs\nsrc/kept.rs\nsrc/skip.rs\n";
        assert_eq!(world.call("glob", json!({"pattern": "*.rs"})), expected, "{git}");
        let files = json!({"pattern": "needle", "output": "files"});
        assert_eq!(world.call("grep", files), expected, "{git}");
        let listed = world.call("list", json!({}));
        assert!(listed.starts_with("./ (4 files)\n"), "{git}: {listed}");
        let hits = world.call("search_code", json!({"query": "needle", "limit": 100}));
        let told: BTreeSet<&str> = hits.lines().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(told, expected.lines().collect(), "{git}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever a tool calls a file, asking for it by that name leads to it.
    #[test]
    fn every_path_that_is_told_can_be_asked_for(
        files in prop::collection::btree_set("(one|two)(/[ab~]){1,3}", 1..10),
        from in any::<prop::sample::Index>(),
    ) {
        // A name may be a folder already.
        let is_folder = |path: &String| files.iter().any(|other| other.starts_with(&format!("{path}/")));
        let files: Vec<&String> = files.iter().filter(|path| !is_folder(path)).collect();
        let contents: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), path.as_str())).collect();
        let wide = Wide::new(&["one", "two"], &contents);
        let folder = wide.folder.path().canonicalize().unwrap();
        let folders: BTreeSet<&Path> = files.iter().flat_map(|path| Path::new(path).ancestors().skip(1)).filter(|path| !path.as_os_str().is_empty()).collect();
        let folders: Vec<&Path> = folders.into_iter().collect();
        wide.go(folder.join(folders[from.index(folders.len())]).to_str().unwrap());
        for root in ["one", "two"] {
            let path = folder.join(root).display().to_string();
            let grep = wide.ask("grep", json!({"pattern": ".", "path": path, "output": "files"})).text;
            wide.session.clear_visibility();
            let glob = wide.ask("glob", json!({"pattern": "*", "path": path})).text;
            let below: Vec<&&String> = files.iter().filter(|file| file.starts_with(root)).collect();
            for answer in [grep, glob] {
                let told: Vec<&str> = answer.lines().filter(|line| !line.starts_with('[')).collect();
                prop_assert_eq!(told.len(), below.len(), "{}", answer);
                for path in told {
                    let read = wide.ask("read_lines", json!({"path": path, "start": 1, "end": 1})).text;
                    let content = read.trim_end().rsplit('→').next().unwrap().to_owned();
                    let expected = wide.session.roots().resolve(path).unwrap().absolute_path();
                    prop_assert_eq!(folder.join(&content), expected, "{}: {}", path, read);
                }
            }
        }
    }
}

#[test]
fn a_relative_path_after_cd_says_where_the_file_is() {
    let world = World::new();
    world.write("sub/a.txt", "one\n");
    let new = json!({"path": "x.txt", "content": "hi\n"});
    assert!(!world.call("write_file", new).contains("working directory"));
    world.call("bash", json!({"command": "cd sub"}));
    let at = |name: &str| {
        let folder = world.folder.path().canonicalize().expect("it is there");
        format!("[relative to the working directory: `{}/sub/{name}`]\n", folder.display())
    };
    let written = world.call("write_file", json!({"path": "x.txt", "content": "hi\n"}));
    assert!(written.contains(&at("x.txt")), "{written}");
    let edited = json!({"path": "a.txt", "old_str": "one\n", "new_str": "two\n"});
    let edited = world.call("edit_file", edited);
    assert!(edited.contains(&at("a.txt")), "{edited}");
    let path = world.folder.path().join("y.txt").display().to_string();
    let written = world.call("write_file", json!({"path": path, "content": "hi\n"}));
    assert!(!written.contains("working directory"), "{written}");
}

#[test]
fn brackets_of_a_glob_are_also_those_of_a_path() {
    let world = World::new();
    world.write("app/[slug]/page.tsx", "x\n");
    world.write("app/s/page.tsx", "x\n");
    let found = world.call("glob", json!({"pattern": "app/[slug]/page.tsx"}));
    assert_eq!(found, "app/[slug]/page.tsx\napp/s/page.tsx\n");
}

#[test]
fn files_with_secrets_are_reported_once() {
    let world = World::new();
    world.write("a.py", "key = 1\n");
    world.write("id_rsa", "key\n");
    world.write("sub/server.pem", "key\n");
    let grep = |pattern: &str| world.call("grep", json!({"pattern": pattern}));
    let first = grep("key");
    let note = "[may hold secrets, searched only if named as path: id_rsa, sub/server.pem]\n";
    assert!(first.ends_with(note), "{first}");
    assert!(!grep("k.y").contains("may hold"));
    world.write("sub/.env.production", "key\n");
    world.write("sub/other.pem", "key\n");
    let third = grep("[k]ey");
    assert!(third.contains("as path: sub/other.pem]"), "{third}");
    world.session.clear_visibility();
    assert!(grep("key").contains("as path: id_rsa, sub/other.pem, "), "it was forgotten");
}

#[test]
fn sources_come_before_changelogs() {
    let world = World::new();
    world.write("CHANGELOG.md", "- `retry` waits\n".repeat(60));
    world.write("src/retry.py", "def retry(): pass\n");
    let found = world.call("grep", json!({"pattern": "retry", "limit": 10}));
    assert!(found.starts_with("src/retry.py\n1:def retry"), "{found}");
}

#[test]
fn signatures_of_hits_have_balanced_brackets() {
    let world = World::new();
    let parameters: String = (0..12).map(|n| format!("    part_{n}: &[u8],\n")).collect();
    let text = format!("pub fn join_parts(\n{parameters}) -> Vec<u8> {{\n    todo!()\n}}\n");
    world.write("src/lib.rs", text);
    let found = world.call("search_code", json!({"query": "join_parts"}));
    let hit = found.lines().find(|line| line.contains("join_parts(")).expect("a hit");
    assert!(hit.ends_with("…)"), "{hit}");
    assert_eq!(hit.matches('(').count(), hit.matches(')').count(), "{hit}");
    assert_eq!(hit.matches('[').count(), hit.matches(']').count(), "{hit}");
}
