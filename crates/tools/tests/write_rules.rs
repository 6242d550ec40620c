//! Rules about writing hold for commands, and what they cannot hold is told. Commands have no guard
//! here, so that only what lies beside what is forbidden is given; with mounts of their own they run
//! in the tests of `foveal-sandbox` and of the program.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use foveal_sandbox::{Confinement, Sandbox};
use foveal_tools::permission::{PermissionRule, Verdict};
use foveal_tools::settings::ToolSettings;
use foveal_tools::user_notifier::UserNotifier;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession};
use serde_json::json;

use crate::world::toolbox;

use Verdict::{Allow, Ask, Deny};

struct World {
    folder: tempfile::TempDir,
    session: ToolSession,
    told: Arc<Mutex<Vec<String>>>,
}

impl World {
    fn new(rules: &[(&str, &str, Verdict)], is_confined: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in ["docs/old", "docs/made/old", "src/old", "Cargo.lock", "src/.env"] {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "old").unwrap();
        }
        let mut toolbox = toolbox(root.clone(), ToolSettings::default());
        toolbox.policy.rules = rules
            .iter()
            .map(|(tool, subject, verdict)| PermissionRule {
                tool: (*tool).to_owned(),
                subject: (*subject).to_owned(),
                verdict: *verdict,
            })
            .collect();
        toolbox.sandbox = is_confined.then(|| Sandbox::from_writable([root]));
        let told = Arc::new(Mutex::new(Vec::new()));
        let tell = Arc::clone(&told);
        toolbox.user_notifier =
            UserNotifier::new(move |text| tell.lock().unwrap().push(text.to_owned()));
        Self { folder, session: ToolSession::new(&Arc::new(toolbox), "forbidden"), told }
    }

    fn run(&self, tool: &str, command: &str) -> ToolCallAnswer {
        self.session
            .call(&ToolRequest::new(tool, json!({ "command": command })), &CallControl::NONE)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_default()
    }
}

fn can_confine() -> bool {
    let available = Confinement::detect();
    let can = matches!(available, Ok(Confinement::Full | Confinement::Writes));
    if !can {
        eprintln!("skipped: {available:?}");
    }
    can
}

/// Runs in `bash` and in a terminal what writes to all files, and compares which changed.
#[track_caller]
fn check(rules: &[(&str, &str, Verdict)], changed: &[&str]) {
    if !can_confine() {
        return;
    }
    for tool in ["bash", "exec"] {
        let world = World::new(rules, true);
        let files = ["docs/old", "docs/made/old", "src/old", "Cargo.lock", "src/.env"];
        let text = format!("for file in {}; do echo x >$file; done; true", files.join(" "));
        let answer = world.run(tool, &text);
        let is_changed = |file: &&str| world.read(file) != "old";
        let seen: Vec<&str> = files.into_iter().filter(is_changed).collect();
        assert_eq!(seen, changed, "{tool} {rules:?}: {}", answer.text);
    }
}

#[test]
fn rules_about_writing_hold_for_commands() {
    let all = ["docs/old", "docs/made/old", "src/old", "Cargo.lock", "src/.env"];
    check(&[], &all);
    check(&[("write_file", "docs/**", Deny)], &all[2..]);
    check(&[("*_edit", "Cargo.lock", Deny)], &["docs/old", "docs/made/old", "src/old", "src/.env"]);
    check(&[("*_file", "**/.env", Deny)], &all[..4]);
    check(&[("*_edit", "*.lock", Deny), ("*_file", "docs/*", Deny)], &["src/old", "src/.env"]);
    check(&[("*_file", "*", Deny)], &[]);
    check(&[("*_file", "*", Deny), ("*", "src/**", Allow)], &["src/old", "src/.env"]);
    check(
        &[("*_file", "docs/**", Deny), ("*", "docs/made/**", Allow)],
        &["docs/made/old", "src/old", "Cargo.lock", "src/.env"],
    );
    // Rules about other tools, questions, and those about everything.
    check(&[("read_file", "docs/**", Deny)], &all);
    check(&[("write_file", "docs/**", Ask)], &all);
    check(&[("*", "*", Deny), ("bash", "*", Allow), ("exec", "*", Allow)], &all);
}

#[test]
fn how_it_is_held_is_told_once() {
    if !can_confine() {
        return;
    }
    let world =
        World::new(&[("write_file", "src/**", Allow), ("write_file", "docs/**", Deny)], true);
    let told = "permission rule 2 (\"write_file\" \"docs/**\") forbids writing to `docs`";
    let first = world.run("bash", "echo x >new");
    assert!(first.text.contains(told), "{}", first.text);
    assert!(!world.at("new").exists());
    let next = world.run("exec", "echo x >src/new");
    assert!(!next.text.contains(told) && world.at("src/new").exists(), "{}", next.text);
    let told_person = world.told.lock().unwrap().clone();
    assert_eq!(told_person.len(), 1, "{told_person:?}");
    assert!(told_person[0].contains(told), "{told_person:?}");
}

#[test]
fn what_comes_anew_is_told() {
    for is_confined in [true, false] {
        let rules = [
            ("*_edit", "missing/**", Deny),
            ("*_file", "*.pem", Deny),
            ("*_file", "docs/**", Deny),
        ];
        let world = World::new(&rules[..2], is_confined);
        let answer = world.run("bash", "mkdir missing; echo x >src/a.pem; echo x >src/b");
        let said = "[changed meanwhile: `missing`, `src/a.pem`; a permission rule forbids writing";
        assert!(answer.text.contains(said), "{}", answer.text);
        let told = world.told.lock().unwrap().join("\n");
        assert!(told.contains("permission rule 1 (\"*_edit\" \"missing/**\") forbids"), "{told}");
        // It is there by now.
        if is_confined && can_confine() {
            world.run("bash", "echo x >missing/new; echo y >>src/a.pem; rm src/a.pem");
            assert!(!world.at("missing/new").exists());
            assert_eq!(world.read("src/a.pem"), "x\n");
        }
        assert!(!world.run("bash", "echo x >src/b; ls").text.contains("meanwhile"));
        // What nothing holds is told too.
        if !is_confined {
            let world = World::new(&rules, false);
            let answer = world.run("bash", "echo x >docs/new; rm -r docs");
            assert!(answer.text.contains("[changed meanwhile: `docs`;"), "{}", answer.text);
        }
    }
}

#[test]
fn what_comes_anew_by_a_terminal_is_told_with_the_next_call() {
    let world = World::new(&[("*_file", "**/*.pem", Deny)], false);
    let first = world.run("exec", "read line; echo x >a.pem; sleep 600");
    assert!(!first.text.contains("meanwhile"), "{}", first.text);
    let typed =
        ToolRequest::new("write_stdin", json!({ "id": 1, "text": "go\n", "wait_ms": 2000 }));
    let mut answer = world.session.call(&typed, &CallControl::NONE);
    if !answer.text.contains("meanwhile") {
        answer = world.run("bash", "while ! [ -e a.pem ]; do sleep 0.01; done");
    }
    assert!(answer.text.contains("[changed meanwhile: `a.pem`;"), "{}", answer.text);
    assert!(world.at("a.pem").exists());
}

#[test]
fn a_change_whose_time_was_set_back_is_told() {
    let world = World::new(&[("*_file", "Cargo.lock", Deny)], false);
    let text = "cp -p Cargo.lock kept; printf new >Cargo.lock; touch -r kept Cargo.lock";
    let answer = world.run("bash", text);
    assert_eq!(world.read("Cargo.lock"), "new");
    assert!(answer.text.contains("[changed meanwhile: `Cargo.lock`;"), "{}", answer.text);
}

#[test]
fn what_patterns_cannot_hold_is_told_once() {
    for tool in ["bash", "exec"] {
        let world = World::new(&[("*_file", "**/*.pem", Deny)], false);
        let told = "do not hold for all that commands write here";
        assert!(!world.run(tool, "true").text.contains(told));
        for number in 0..520 {
            fs::write(world.at(&format!("src/{number}.pem")), "").unwrap();
        }
        assert!(world.run(tool, "true").text.contains(told));
        assert!(!world.run(tool, "true").text.contains(told));
        let told_person = world.told.lock().unwrap().clone();
        assert_eq!(told_person.iter().filter(|text| text.contains(told)).count(), 1);
    }
}
