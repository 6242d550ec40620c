//! What needs a rule or the person's word, and how long that holds.

use std::sync::Arc;
use std::sync::Mutex;

use foveal_tools::control::{Question, Word};
use foveal_tools::permission::{Policy, Rule, Verdict};
use foveal_tools::settings::ToolSettings;
use foveal_tools::{Answer, Control, Request, Session, Toolbox};
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
        let rule = |(tool, subject, verdict): &(&str, &str, Verdict)| Rule {
            tool: (*tool).to_owned(),
            subject: (*subject).to_owned(),
            verdict: *verdict,
        };
        toolbox.policy = Policy { rules: rules.iter().map(rule).collect() };
        Self { toolbox: Arc::new(toolbox), folder }
    }

    fn session(&self, name: &str) -> Session {
        Session::new(&self.toolbox, name)
    }
}

/// Makes a call with a person who says `word`; how often they were asked.
fn ask_with(
    session: &Session,
    tool: &str,
    arguments: &Value,
    word: Word,
) -> (Answer, Vec<Question>) {
    let asked = Mutex::new(Vec::new());
    let person = |question: &Question| {
        asked.lock().unwrap().push(question.clone());
        word
    };
    let control = Control { person: Some(&person), ..Control::NONE };
    let mut request = Request::new(tool, arguments.clone());
    request.detect_duplicates = false;
    let answer = session.call(&request, &control);
    (answer, asked.into_inner().unwrap())
}

fn ask(session: &Session, tool: &str, arguments: Value) -> Answer {
    session.call(&Request::new(tool, arguments), &Control::NONE)
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
            assert!(text.contains("needs the user's word"), "{tool} {path}: {text}");
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
    let check = |session: &Session, word: Word, asked: usize, is_shown: bool| {
        let (answer, questions) = ask_with(session, "read_file", &read, word);
        assert_eq!(questions.len(), asked, "{word:?}: {}", answer.text);
        assert_eq!(answer.text.contains("4711"), is_shown, "{word:?}: {}", answer.text);
        questions
    };
    let questions = check(&one, Word::No, 1, false);
    assert_eq!(questions[0].subject, ".env");
    assert_eq!(questions[0].reason, "it may hold variables of an environment");
    check(&one, Word::Once, 1, true);
    check(&one, Word::No, 1, false);
    check(&one, Word::Session, 1, true);
    check(&one, Word::No, 0, true);
    // Of another session's word nothing is known there.
    check(&other, Word::No, 1, false);
    // A grant is for the tool and the file it was given for.
    let (answer, questions) = ask_with(&one, "read_file", &json!({"path": "server.pem"}), Word::No);
    assert!(answer.is_error && questions.len() == 1, "{}", answer.text);
    let edit = json!({"path": ".env", "old_str": "4711", "new_str": "1"});
    let (answer, questions) = ask_with(&one, "edit_file", &edit, Word::No);
    assert!(answer.is_error && questions.len() == 1, "{}", answer.text);
}

#[test]
fn always_is_for_sessions_to_come() {
    let guarded = Guarded::new(&[]);
    let read = json!({"path": ".env", "mode": "full"});
    ask_with(&guarded.session("one"), "read_file", &read, Word::Always);
    let (answer, questions) = ask_with(&guarded.session("two"), "read_file", &read, Word::No);
    assert!(!answer.is_error && questions.is_empty(), "{}", answer.text);
    // After a restart too, but for these roots alone.
    let store = &guarded.toolbox.store;
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join(".env"), VARIABLES).unwrap();
    for (folder, holds) in [(guarded.folder.path(), true), (other.path(), false)] {
        let again = toolbox_over(folder.to_owned(), ToolSettings::default(), store.clone());
        let session = Session::new(&Arc::new(again), "three");
        let (answer, questions) = ask_with(&session, "read_file", &read, Word::No);
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
    check("bash", json!({"command": "true"}), "needs the user's word");
    check("edit_file", json!({"path": "a.rs", "old_str": "a", "new_str": "b"}), "forbids it");
    check("read_file", json!({"path": ".env"}), "4711");
    check("read_lines", json!({"path": ".env", "start": 1, "end": 1}), "needs the user's word");
    check("web_fetch", json!({"url": "http://example.org/"}), "forbids it");
    let command = json!({"command": "printf asked"});
    let (answer, questions) = ask_with(&session, "bash", &command, Word::Session);
    assert_eq!((answer.text.as_str(), questions.len()), ("asked", 1));
    let (_, questions) = ask_with(&session, "bash", &command, Word::No);
    assert_eq!(questions.len(), 0);
    // A denial is no question, whatever the person would say.
    let (answer, questions) =
        ask_with(&session, "bash", &json!({"command": "echo rm"}), Word::Always);
    assert!(answer.is_error && questions.is_empty(), "{}", answer.text);
}
