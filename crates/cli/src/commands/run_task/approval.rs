//! What a person has to allow before it is done: whatever changes or runs something, or reaches
//! beyond this machine.

use std::sync::{Mutex, PoisonError};

use foveal_agent::ToolAnswer;
use foveal_screen::{in_one_line, quoted};
use foveal_tools::table;
use foveal_transcript::Call;
use serde_json::Value;

use crate::notice;

/// Characters of a call that a person is shown in passing.
const SHOWN_CHARS_MAX: usize = 300;

/// Characters that a person who is asked can be expected to read. What is longer is not asked about,
/// and not done: nobody allows what they did not see.
const ASKED_CHARS_MAX: usize = 4_000;

/// What a person allows.
pub(super) struct Approvals {
    /// Whether all was allowed beforehand.
    yes: bool,
    /// Whether there is somebody who can be asked; one question at a time.
    asks: bool,
    asking: Mutex<()>,
}

impl Approvals {
    pub(super) fn new(yes: bool, asks: bool) -> Self {
        Self { yes, asks, asking: Mutex::default() }
    }

    /// Whether there is somebody who can be asked.
    pub(super) fn asks(&self) -> bool {
        self.asks
    }

    /// The answer to a call that is not allowed; `None` to go on. A tool that is not known says so
    /// itself. Nobody is asked any longer when the run is over.
    pub(super) fn of(&self, call: &Call, is_over: &dyn Fn() -> bool) -> Option<ToolAnswer> {
        let hints = table::named(&call.name)?.hints;
        let needs_none = !hints.destructive && !hints.open_world;
        if needs_none || self.yes {
            return None;
        }
        let why = match (self.asks, question(call)) {
            (true, Some(question)) if self.is_allowed(&question, is_over) => return None,
            (true, Some(_)) if is_over() => "the run is ended",
            (true, Some(_)) => "the person said no",
            (true, None) => "it is too long to be shown to the person; do it in smaller steps",
            (false, _) => "nobody can be asked here, and --yes was not given",
        };
        let text = format!(
            "not done: {} needs an approval, and {why}. Do what can be done without it, and say \
             what is left",
            call.name
        );
        Some(ToolAnswer { text, is_error: true, cached: false })
    }

    fn is_allowed(&self, question: &str, is_over: &dyn Fn() -> bool) -> bool {
        let _turn = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        !is_over() && notice::confirm_unless(question, is_over)
    }
}

/// What a person is asked about a call: all of what it is about, in one line; `None` if that is more
/// than a person reads.
fn question(call: &Call) -> Option<String> {
    let about = quoted(&about(call));
    let is_read = about.chars().nth(ASKED_CHARS_MAX).is_none();
    is_read.then(|| format!("{} {about}. Go on?", call.name))
}

/// What a call is about: the command, file or address; of edits of several files these; of other
/// calls all that they say.
fn about(call: &Call) -> String {
    const NAMES: [&str; 7] = ["command", "path", "pattern", "query", "url", "symbol", "handle"];
    let text = |name: &&str| call.arguments.get(name).and_then(Value::as_str);
    if let Some(named) = NAMES.iter().find_map(text) {
        return named.to_owned();
    }
    let path = |edit: &Value| edit.get("path").and_then(Value::as_str).map(str::to_owned);
    let edits = call.arguments.get("edits").and_then(Value::as_array);
    let paths: Option<Vec<String>> = edits.and_then(|edits| edits.iter().map(path).collect());
    let Some(mut paths) = paths else { return call.arguments.to_string() };
    paths.dedup();
    paths.join(", ")
}

/// What a call is about, in one line that may be cut.
pub(super) fn subject(call: &Call) -> String {
    let line = in_one_line(&about(call)).into_owned();
    match line.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(name: &str, arguments: Value) -> Call {
        Call { id: "a".to_owned(), name: name.to_owned(), arguments }
    }

    #[test]
    fn what_changes_or_runs_something_needs_an_approval() {
        let nobody = Approvals::new(false, false);
        for name in ["bash", "exec", "write_file", "edit_file", "multi_edit", "web_fetch"] {
            let refused =
                nobody.of(&call(name, json!({})), &|| false).unwrap_or_else(|| panic!("{name}"));
            assert!(refused.is_error && refused.text.contains("--yes"), "{}", refused.text);
            assert_eq!(Approvals::new(true, false).of(&call(name, json!({})), &|| false), None);
        }
        for name in ["read_file", "grep", "expand", "focus", "search_code", "no_such_tool"] {
            assert_eq!(nobody.of(&call(name, json!({})), &|| false), None, "{name}");
        }
    }

    #[test]
    fn a_call_is_told_by_what_it_is_about() {
        assert_eq!(subject(&call("bash", json!({"command": "make\nall"}))), "make\\nall");
        assert_eq!(subject(&call("x", json!({"n": 1}))), r#"{"n":1}"#);
        assert!(subject(&call("x", json!({"path": "a".repeat(999)}))).chars().count() < 310);
    }

    #[test]
    fn a_question_shows_all_of_a_call_or_is_not_asked() {
        let command = format!("echo {}; rm -rf /", "a".repeat(900));
        let asked = question(&call("bash", json!({"command": command, "timeout": 9})));
        assert_eq!(asked, Some(format!("bash `{command}`. Go on?")));
        let asked = question(&call("bash", json!({"command": "a\nb\u{202e}`"})));
        assert_eq!(asked.as_deref(), Some(r#"bash "a\nb\u202e`". Go on?"#));
        let edit = |path: &str| json!({"path": path, "old_str": "a", "new_str": "b"});
        let edits = json!({"edits": [edit("a.rs"), edit("a.rs"), edit(".bashrc")]});
        let asked = question(&call("multi_edit", edits));
        assert_eq!(asked.as_deref(), Some("multi_edit `a.rs, .bashrc`. Go on?"));
        let long = call("bash", json!({"command": "a".repeat(5_000)}));
        assert_eq!(question(&long), None);
        let refused = Approvals::new(false, true).of(&long, &|| false).expect("it is not done");
        assert!(refused.text.contains("smaller steps"), "{}", refused.text);
    }
}
