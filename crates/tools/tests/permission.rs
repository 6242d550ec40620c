//! What needs a rule or the person's word, and how long that holds.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use foveal_tools::call_control::{Approval, ApprovalQuestion};
use foveal_tools::permission::{PermissionPolicy, PermissionRule, Verdict};
use foveal_tools::settings::ToolSettings;
use foveal_tools::tool_table::TOOLS;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession, Toolbox};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::world::{toolbox, toolbox_over};

const VARIABLES: &str = "PORT=4711\n";

/// A workspace with files that may hold secrets.
struct Guarded {
    folder: tempfile::TempDir,
    toolbox: Arc<Toolbox>,
}

impl Guarded {
    fn new(rules: &[(&str, &str, Verdict)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in
            [(".env", VARIABLES), ("a.rs", "fn a() {} // PORT=4711\n"), ("server.pem", VARIABLES)]
        {
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        std::os::unix::fs::symlink(".env", folder.path().join("harmless.txt")).unwrap();
        let mut toolbox = toolbox(folder.path().to_owned(), ToolSettings::default());
        let rule = |(tool, subject, verdict): &(&str, &str, Verdict)| PermissionRule {
            tool: (*tool).to_owned(),
            subject: (*subject).to_owned(),
            verdict: *verdict,
        };
        toolbox.policy = PermissionPolicy { rules: rules.iter().map(rule).collect() };
        Self { toolbox: Arc::new(toolbox), folder }
    }

    fn session(&self, name: &str) -> ToolSession {
        ToolSession::new(&self.toolbox, name)
    }
}

/// Makes a call with a person who says `word`; how often they were asked.
fn ask_with(
    session: &ToolSession,
    tool: &str,
    arguments: &Value,
    word: Approval,
) -> (ToolCallAnswer, Vec<ApprovalQuestion>) {
    let asked = Mutex::new(Vec::new());
    let person = |question: &ApprovalQuestion| {
        asked.lock().unwrap().push(question.clone());
        word
    };
    let control = CallControl { approver: Some(&person), ..CallControl::NONE };
    let mut request = ToolRequest::new(tool, arguments.clone());
    request.detect_duplicates = false;
    let answer = session.call(&request, &control);
    (answer, asked.into_inner().unwrap())
}

fn ask(session: &ToolSession, tool: &str, arguments: Value) -> ToolCallAnswer {
    session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE)
}

#[test]
fn files_that_may_hold_secrets_need_a_word() {
    let guarded = Guarded::new(&[]);
    let session = guarded.session("one");
    for path in [".env", "./.env", "harmless.txt", "server.pem"] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("read_lines", json!({"path": path, "start": 1, "end": 1})),
            ("read_files", json!({"paths": [path]})),
            ("outline", json!({"path": path})),
            ("grep", json!({"pattern": "PORT", "path": path})),
            ("edit_file", json!({"path": path, "old_str": "PORT", "new_str": "x"})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("multi_edit", json!({"edits": [{"path": path, "old_str": "PORT", "new_str": "x"}]})),
            ("focus", json!({"paths": [path]})),
        ] {
            let text = ask(&session, tool, arguments).text;
            assert!(text.contains("needs the user's permission"), "{tool} {path}: {text}");
            assert!(!text.contains("4711"), "{tool} {path}: {text}");
        }
    }
    for (tool, arguments) in
        [("grep", json!({"pattern": "PORT"})), ("search_code", json!({"query": "PORT 4711"}))]
    {
        let text = ask(&session, tool, arguments).text;
        let shown = text.lines().filter(|line| line.contains("4711") && !line.contains("fn a"));
        assert_eq!(shown.count(), 0, "{tool}: {text}");
    }
    assert_eq!(std::fs::read_to_string(guarded.folder.path().join(".env")).unwrap(), VARIABLES);
}

#[test]
fn a_word_holds_as_long_as_it_says() {
    let guarded = Guarded::new(&[]);
    let read = json!({"path": ".env", "mode": "full"});
    let (one, other) = (guarded.session("one"), guarded.session("other"));
    let check = |session: &ToolSession, word: Approval, asked: usize, is_shown: bool| {
        let (answer, questions) = ask_with(session, "read_file", &read, word);
        assert_eq!(questions.len(), asked, "{word:?}: {}", answer.text);
        assert_eq!(answer.text.contains("4711"), is_shown, "{word:?}: {}", answer.text);
        questions
    };
    let questions = check(&one, Approval::No, 1, false);
    assert_eq!(questions[0].subject, ".env");
    assert_eq!(questions[0].reason, "it may hold variables of an environment");
    check(&one, Approval::Once, 1, true);
    check(&one, Approval::No, 1, false);
    check(&one, Approval::Session, 1, true);
    check(&one, Approval::No, 0, true);
    // Of another session's word nothing is known there.
    check(&other, Approval::No, 1, false);
    // A grant is for the tool and the file it was given for.
    let (answer, questions) =
        ask_with(&one, "read_file", &json!({"path": "server.pem"}), Approval::No);
    assert!(answer.is_error && questions.len() == 1, "{}", answer.text);
    let edit = json!({"path": ".env", "old_str": "4711", "new_str": "1"});
    let (answer, questions) = ask_with(&one, "edit_file", &edit, Approval::No);
    assert!(answer.is_error && questions.len() == 1, "{}", answer.text);
}

#[test]
fn always_is_for_sessions_to_come() {
    let guarded = Guarded::new(&[]);
    let read = json!({"path": ".env", "mode": "full"});
    ask_with(&guarded.session("one"), "read_file", &read, Approval::Always);
    let (answer, questions) = ask_with(&guarded.session("two"), "read_file", &read, Approval::No);
    assert!(!answer.is_error && questions.is_empty(), "{}", answer.text);
    // After a restart too, but for these roots alone.
    let store = &guarded.toolbox.store;
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join(".env"), VARIABLES).unwrap();
    for (folder, holds) in [(guarded.folder.path(), true), (other.path(), false)] {
        let again = toolbox_over(folder.to_owned(), ToolSettings::default(), store.clone());
        let session = ToolSession::new(&Arc::new(again), "three");
        let (answer, questions) = ask_with(&session, "read_file", &read, Approval::No);
        assert_eq!((!answer.is_error, questions.is_empty()), (holds, holds), "{}", answer.text);
    }
}

#[test]
fn rules_are_kept_by_every_tool() {
    use Verdict::{Allow, Ask, Deny};
    let guarded = Guarded::new(&[
        ("bash", "*", Ask),
        ("bash", "echo *", Allow),
        ("bash", "echo *rm*", Deny),
        ("edit_file", "*", Deny),
        ("read_file", ".env", Allow),
        ("web_fetch", "*", Deny),
    ]);
    let session = guarded.session("one");
    let check = |tool: &str, arguments: Value, expected: &str| {
        let text = ask(&session, tool, arguments).text;
        assert!(text.contains(expected), "{tool}: {text}");
    };
    check("bash", json!({"command": "echo yes"}), "yes\n");
    check("bash", json!({"command": "echo rm"}), "a permission rule forbids it");
    check("bash", json!({"command": "true"}), "needs the user's permission");
    check("edit_file", json!({"path": "a.rs", "old_str": "a", "new_str": "b"}), "forbids it");
    check("read_file", json!({"path": ".env"}), "4711");
    check(
        "read_lines",
        json!({"path": ".env", "start": 1, "end": 1}),
        "needs the user's permission",
    );
    check("web_fetch", json!({"url": "http://example.org/"}), "forbids it");
    let command = json!({"command": "printf asked"});
    let (answer, questions) = ask_with(&session, "bash", &command, Approval::Session);
    assert_eq!((answer.text.as_str(), questions.len()), ("asked", 1));
    let (_, questions) = ask_with(&session, "bash", &command, Approval::No);
    assert_eq!(questions.len(), 0);
    // A denial is no question, whatever the person would say.
    let (answer, questions) =
        ask_with(&session, "bash", &json!({"command": "echo rm"}), Approval::Always);
    assert!(answer.is_error && questions.is_empty(), "{}", answer.text);
}

/// A folder `evil` that looks like a repository of `git`, as one can come with any other, and whose
/// settings run a program at the most harmless command.
fn plant_repository(folder: &Path) {
    let evil = folder.join("evil");
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(evil.join(folder)).unwrap();
    }
    std::fs::write(evil.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let (ran, worktree) = (folder.join("ran"), evil.display());
    let settings = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = {worktree}\n\t\
         fsmonitor = \"touch {}; false\"\n",
        ran.display()
    );
    std::fs::write(evil.join("config"), settings).unwrap();
}

#[test]
fn a_folder_that_looks_like_a_repository_runs_nothing_under_rules() {
    let lines = [
        "git -C evil status",
        "cd evil && git status",
        "cd evil\ngit log",
        "(cd evil; git status)",
        "env -C evil git status",
        "env -i git -C evil status",
        "unset GIT_CONFIG_COUNT; git -C evil status",
        "GIT_CONFIG_COUNT=0 git -C evil status",
        "find evil -maxdepth 0 -execdir git -C evil status ';'",
    ];
    let allowed = ["git *", "cd *", "find *"];
    for (line, tool) in lines.iter().flat_map(|line| [(line, "bash"), (line, "exec")]) {
        let mut rules = vec![("*", "*", Verdict::Deny)];
        rules.extend(allowed.map(|subject| (tool, subject, Verdict::Allow)));
        let guarded = Guarded::new(&rules);
        plant_repository(guarded.folder.path());
        let answer = ask(&guarded.session("one"), tool, json!({"command": line}));
        let said = ["cannot use bare repository", "forbids it", "needs the user's permission"];
        assert!(said.iter().any(|said| answer.text.contains(said)), "{line}: {}", answer.text);
        assert!(!guarded.folder.path().join("ran").exists(), "{tool} {line}");
    }
    // Where nothing limits commands, they are git's own business.
    let guarded = Guarded::new(&[("bash", "git *", Verdict::Allow)]);
    plant_repository(guarded.folder.path());
    ask(&guarded.session("one"), "bash", json!({"command": lines[0]}));
    assert!(guarded.folder.path().join("ran").exists());
}

/// A call of each tool that works where no rule forbids it.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({"path": "a.rs"})),
        ("read_lines", json!({"path": "a.rs", "start": 1, "end": 1})),
        ("read_files", json!({"paths": ["a.rs"]})),
        ("write_file", json!({"path": "new.rs", "content": "x"})),
        ("edit_file", json!({"path": "a.rs", "old_str": "4711", "new_str": "1"})),
        ("multi_edit", json!({"edits": [{"path": "a.rs", "old_str": "1", "new_str": "2"}]})),
        ("grep", json!({"pattern": "a"})),
        ("glob", json!({"pattern": "*"})),
        ("list", json!({})),
        ("outline", json!({"path": "a.rs"})),
        ("search_code", json!({"query": "a"})),
        ("graph", json!({"symbol": "a"})),
        ("map", json!({})),
        ("bash", json!({"command": "touch run"})),
        ("exec", json!({"command": "touch run"})),
        ("write_stdin", json!({"id": 1})),
        ("close", json!({"id": 1})),
        ("terminals", json!({})),
        ("web_fetch", json!({"url": "http://127.0.0.1:1/"})),
        ("expand", json!({"handle": "0123456789ab"})),
        ("focus", json!({})),
        ("unfocus", json!({})),
        ("reset", json!({})),
    ]
}

#[test]
fn every_tool_can_be_forbidden_and_asked_about() {
    let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    let called: Vec<&str> = calls().iter().map(|(name, _)| *name).collect();
    assert_eq!(called, known);
    for (name, arguments) in calls() {
        let open = Guarded::new(&[]);
        let text = ask(&open.session("one"), name, arguments.clone()).text;
        assert!(!text.starts_with("not allowed"), "{name}: {text}");
        for (verdict, expected) in [
            (Verdict::Deny, "a permission rule forbids it"),
            (Verdict::Ask, "foveal cannot ask here"),
        ] {
            let guarded = Guarded::new(&[(name, "*", verdict)]);
            let session = guarded.session("one");
            let answer = ask(&session, name, arguments.clone());
            assert!(answer.is_error, "{name}: {}", answer.text);
            assert!(answer.text.starts_with("not allowed: "), "{name}: {}", answer.text);
            assert!(answer.text.contains(expected), "{name}: {}", answer.text);
            let names = std::fs::read_dir(guarded.folder.path()).unwrap().count();
            assert_eq!(names, 4, "{name}");
            // Of other tools the rule says nothing.
            let other = if name == "glob" { "list" } else { "glob" };
            assert!(!ask(&session, other, json!({"pattern": "*"})).text.starts_with("not allowed"));
        }
        // Who says yes once is asked once.
        let guarded = Guarded::new(&[(name, "*", Verdict::Ask)]);
        let (answer, questions) =
            ask_with(&guarded.session("one"), name, &arguments, Approval::Once);
        assert!(!answer.text.starts_with("not allowed"), "{name}: {}", answer.text);
        assert_eq!(questions.len(), 1, "{name}: {questions:?}");
    }
}

#[test]
fn a_terminal_that_may_not_be_closed_goes_on() {
    let guarded = Guarded::new(&[("close", "*", Verdict::Deny)]);
    let session = guarded.session("one");
    ask(&session, "exec", json!({"command": "cat", "wait_ms": 0}));
    let refused = ask(&session, "close", json!({"id": 1})).text;
    assert!(refused.contains("forbids it"), "{refused}");
    assert_eq!(ask(&session, "terminals", json!({})).text, "1 running: cat\n");
}

#[test]
fn files_read_together_obey_the_rules_of_both_tools() {
    let both = json!({"paths": ["a.rs", "server.pem"]});
    for (rules, expected, asked) in [
        (&[("read_files", "*.pem", Verdict::Deny)][..], "not allowed: read_files `server.pem`", 0),
        (&[("read_file", "a*", Verdict::Deny)], "not allowed: read_file `a.rs`", 1),
        (&[("read_files", "a*", Verdict::Ask)], "fn a()", 2),
        (&[("*", "a*", Verdict::Ask)], "fn a()", 2),
        (&[], "fn a()", 1),
    ] {
        let guarded = Guarded::new(rules);
        let (answer, questions) =
            ask_with(&guarded.session("one"), "read_files", &both, Approval::Once);
        assert!(answer.text.contains(expected), "{rules:?}: {}", answer.text);
        assert_eq!(questions.len(), asked, "{rules:?}: {questions:?}");
    }
}

#[test]
fn a_call_that_was_allowed_once_is_asked_about_again() {
    let guarded = Guarded::new(&[("list", "*", Verdict::Ask)]);
    let session = guarded.session("one");
    let person = |_: &ApprovalQuestion| Approval::Once;
    let control = CallControl { approver: Some(&person), ..CallControl::NONE };
    let request = ToolRequest::new("list", json!({}));
    std::thread::sleep(std::time::Duration::from_millis(60));
    assert!(session.call(&request, &control).text.contains("a.rs"));
    let again = session.call(&request, &CallControl::NONE);
    assert!(again.text.starts_with("not allowed"), "{}", again.text);
}

#[test]
fn what_version_control_obeys_is_not_written_unasked() {
    let guarded = Guarded::new(&[("*", "*", Verdict::Allow)]);
    let hooks = guarded.folder.path().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    std::fs::write(hooks.join("old"), "true\n").unwrap();
    std::os::unix::fs::symlink(".git/hooks", guarded.folder.path().join("scripts")).unwrap();
    let session = guarded.session("one");
    assert!(ask(&session, "read_file", json!({"path": ".git/hooks/old"})).text.contains("true"));
    for (tool, arguments) in [
        ("write_file", json!({"path": ".git/hooks/pre-commit", "content": "x"})),
        ("write_file", json!({"path": "scripts/pre-commit", "content": "x"})),
        ("write_file", json!({"path": ".git/config", "content": "x"})),
        ("write_file", json!({"path": "sub/.git", "content": "gitdir: /x"})),
        ("edit_file", json!({"path": ".git/hooks/old", "old_str": "true", "new_str": "x"})),
        (
            "multi_edit",
            json!({"edits":
            [{"path": ".git/hooks/old", "old_str": "true", "new_str": "x"}]}),
        ),
    ] {
        let text = ask(&session, tool, arguments.clone()).text;
        assert!(text.contains("needs the user's permission"), "{tool} {arguments}: {text}");
    }
    assert_eq!(std::fs::read_dir(&hooks).unwrap().count(), 1);
    assert!(!guarded.folder.path().join("sub").exists());
    let write = json!({"path": ".git/hooks/pre-commit", "content": "x"});
    let (answer, questions) = ask_with(&session, "write_file", &write, Approval::Once);
    assert!(!answer.is_error && questions.len() == 1, "{}", answer.text);
}

#[test]
fn what_others_obey_unasked_is_not_written_unasked() {
    let guarded = Guarded::new(&[("*", "*", Verdict::Allow)]);
    let folder = guarded.folder.path();
    std::fs::create_dir_all(folder.join(".vscode")).unwrap();
    std::fs::write(folder.join(".vscode/tasks.json"), "{}\n").unwrap();
    std::os::unix::fs::symlink(".vscode", folder.join("harmless")).unwrap();
    let session = guarded.session("one");
    for path in [
        ".claude/settings.json",
        ".CLAUDE/hooks/a.sh",
        ".cla\u{200b}ude/settings.json",
        "web/.mcp.json",
        "harmless/tasks.json",
        "./.vscode/../.vscode/tasks.json",
        ".husky/pre-commit",
        ".cargo/config.toml",
        ".devcontainer/devcontainer.json",
        ".pre-commit-config.yaml",
        "foveal/config.toml",
        ".bashrc",
        "--checkpoint-action=exec=sh a",
    ] {
        for (tool, arguments) in [
            ("write_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "old_str": "{}", "new_str": "x"})),
            ("multi_edit", json!({"edits": [{"path": path, "old_str": "{}", "new_str": "x"}]})),
            ("write_file", json!({"path": path, "handle": "000000000000"})),
        ] {
            let text = ask(&session, tool, arguments.clone()).text;
            assert!(text.contains("needs the user's permission"), "{tool} {arguments}: {text}");
        }
    }
    // Reading them, and ordinary work, needs none.
    assert!(ask(&session, "read_file", json!({"path": ".vscode/tasks.json"})).text.contains("{}"));
    for path in ["Makefile", "package.json", "build.rs", ".github/workflows/ci.yml", "CLAUDE.md"] {
        let answer = ask(&session, "write_file", json!({"path": path, "content": "x"}));
        assert!(!answer.is_error, "{path}: {}", answer.text);
    }
    // Once it was written with the person's word, taking it back needs one too.
    let write = json!({"path": ".husky/pre-commit", "content": "x"});
    let (answer, questions) = ask_with(&session, "write_file", &write, Approval::Once);
    assert!(!answer.is_error && questions.len() == 1, "{}", answer.text);
    assert!(questions[0].reason.contains("other programs run its commands"), "{questions:?}");
    let handle = answer.text.split("[before: ").nth(1).and_then(|rest| rest.get(..12)).unwrap();
    let undo = json!({"path": ".husky/pre-commit", "handle": handle});
    let (answer, questions) = ask_with(&session, "write_file", &undo, Approval::No);
    assert!(answer.is_error && questions.len() == 1, "{}", answer.text);
}

#[test]
fn a_command_is_allowed_as_a_whole() {
    let guarded = Guarded::new(&[("*", "*", Verdict::Deny), ("bash", "git *", Verdict::Allow)]);
    let session = guarded.session("one");
    for tool in ["bash", "exec"] {
        let command = json!({"command": "git --version; echo pwned > pwn"});
        let text = ask(&session, tool, command).text;
        assert!(text.contains("a permission rule forbids it"), "{tool}: {text}");
        let text = ask(&session, tool, json!({"command": "git --version"})).text;
        assert!(!text.starts_with("not allowed"), "{tool}: {text}");
    }
    assert!(!guarded.folder.path().join("pwn").exists());
}

/// What command lines are made of, and what they must not get done.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "true", "true ", " ", "\n", ";", ";;", "&&", "||", "|", "&", "$(", ")", "(", "`", "'", "\"",
    "\\", "\\\n", "$'", "#", " #", "{ ", "; }", "<<E\n", "<<'E'\n", "\nE\n", "<<-E\n", "<(",
    ">(", "${x:-", "}", "$((", "))", "[[ ", " ]]", "if ", "; then ", "; fi", "for x in ",
    "; do ", "; done", "case x in x) ", ";; esac", "! ", "x=", "\r", "\u{b}", "true() { ",
    "touch pwn", "touch pwn", " touch pwn ", "> pwn", ">pwn ", "2>&1", "<<<", "\\ ", "time ",
    "eval ", "- ", "function true { ", "coproc ", "true <<E - ", "-- ", "$x", "*", "é",
];

/// The same for lines that may do everything but one thing: nothing here writes by itself.
#[rustfmt::skip]
const EVALUATED: &[&str] = &[
    "true", " ", "\n", ";", "&&", "|", "$(", ")", "`", "\\`", "'", "\"", "\\", "$'", "\\x24", "(rm pwn)",
    "'a[$(rm pwn)]'", "'a[`rm pwn`]'", "a[\\$(rm pwn)]", "'$(rm pwn)'", "rm pwn", "'rm pwn'", "\"rm pwn\"",
    "x=", "x=1", "y=x", "; ", "echo ", "printf -v ", "printf ", "-v ", "test -v ", "[ -v ", " ]", "[[ -v ", " ]]",
    "[[ $x -eq 1 ]]", "(( x ))", "$((x))", "$(( ", " ))", "${x@P}", "${!x}", "${y:x}", "${a[x]}", "${x}", "$x",
    "${x:-", "}", "read x ", "read ", "read -r y <<< ", "<<< ", "mapfile -C ", "-c 1 z", "readarray x <<< ",
    "compgen -W ", "compgen -C ", "hash -p ./evil true", "unset ", "let ", "let x", "declare ", "declare -i y=x",
    "declare -n y=x", "export ", "local ", "getopts a ", "wait -p ", "eval ", "trap ", " EXIT", "BASH_ENV=./evil ",
    "ENV=./evil ", "PS4=", "set -x; ", "bash -c ", "sh -c ", "bash ", "env ", "PROMPT_COMMAND=", "enable -n ",
    "./evil", ". ./evil", "source ./evil", "a=(", "for x in ", "; do ", "; done", "case $x in ", ") ", ";; esac",
    "true() { ", "; }", "coproc ", "time ", "! ", "<<E\n", "\nE\n", "{ ", "|| ",
    "{-v,", "} ", "{y[", "]}<a.rs ", "{y['$(rm pwn)']}", "<a.rs ", "*", "-v", "nice ", "xargs ",
];

fn line_of(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(select(pieces), 1..10).prop_map(|pieces| pieces.concat())
}

/// A few lines for every run of the tests; more with `PROPTEST_CASES`.
fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(8);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_line_does_more_than_was_allowed(lines in prop::collection::vec(line_of(PIECES), 25)) {
        let rules = [("*", "*", Verdict::Deny), ("bash", "true*", Verdict::Allow)];
        let guarded = Guarded::new(&rules);
        let session = guarded.session("one");
        for line in lines {
            let begun = format!("true {line}");
            for command in [&line, &begun] {
                ask(&session, "bash", json!({"command": command, "timeout": 2}));
                let names = std::fs::read_dir(guarded.folder.path()).unwrap().count();
                assert_eq!(names, 4, "{command:?}");
            }
        }
    }

    #[test]
    fn no_line_does_what_was_forbidden(lines in prop::collection::vec(line_of(EVALUATED), 25)) {
        let guarded = Guarded::new(&[("bash", "rm*", Verdict::Deny)]);
        let session = guarded.session("one");
        let pwn = guarded.folder.path().join("pwn");
        std::fs::write(&pwn, "").unwrap();
        for line in lines {
            ask(&session, "bash", json!({"command": &line, "timeout": 2}));
            assert!(pwn.exists(), "{line:?}");
        }
    }
}
