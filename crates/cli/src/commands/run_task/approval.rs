//! What a person has to allow before it is done: whatever changes or runs something, or reaches
//! beyond this machine.

use std::sync::{Mutex, PoisonError};

use foveal_agent::ToolAnswer;
use foveal_screen::{in_one_line, quoted};
use foveal_tools::table;
use foveal_transcript::Call;
use serde_json::Value;

use crate::notice;

/// Characters of a call that a person is shown.
const SHOWN_CHARS_MAX: usize = 300;

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
    /// itself.
    pub(super) fn of(&self, call: &Call) -> Option<ToolAnswer> {
        let hints = table::named(&call.name)?.hints;
        let needs_none = !hints.destructive && !hints.open_world;
        if needs_none || self.yes || (self.asks && self.is_allowed(call)) {
            return None;
        }
        let why = match self.asks {
            true => "the person said no",
            false => "nobody can be asked here, and --yes was not given",
        };
        let text = format!(
            "not done: {} needs an approval, and {why}. Do what can be done without it, and say \
             what is left",
            call.name
        );
        Some(ToolAnswer { text, is_error: true, cached: false })
    }

    fn is_allowed(&self, call: &Call) -> bool {
        let _turn = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        notice::confirm(&format!("{} {}. Go on?", call.name, quoted(&subject(call))))
    }
}

/// What a call is about, in one line.
pub(super) fn subject(call: &Call) -> String {
    const NAMES: [&str; 7] = ["command", "path", "pattern", "query", "url", "symbol", "handle"];
    let named = NAMES.iter().find_map(|name| call.arguments.get(name).and_then(Value::as_str));
    let text = named.map_or_else(|| call.arguments.to_string(), str::to_owned);
    let line = in_one_line(&text).into_owned();
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
            let refused = nobody.of(&call(name, json!({}))).unwrap_or_else(|| panic!("{name}"));
            assert!(refused.is_error && refused.text.contains("--yes"), "{}", refused.text);
            assert_eq!(Approvals::new(true, false).of(&call(name, json!({}))), None);
        }
        for name in ["read_file", "grep", "expand", "focus", "search_code", "no_such_tool"] {
            assert_eq!(nobody.of(&call(name, json!({}))), None, "{name}");
        }
    }

    #[test]
    fn a_call_is_told_by_what_it_is_about() {
        assert_eq!(subject(&call("bash", json!({"command": "make\nall"}))), "make\\nall");
        assert_eq!(subject(&call("x", json!({"n": 1}))), r#"{"n":1}"#);
        assert!(subject(&call("x", json!({"path": "a".repeat(999)}))).chars().count() < 310);
    }
}
