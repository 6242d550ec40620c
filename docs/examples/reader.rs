//! A worked example: the reader of a made-up format, `demo`. One document is one session:
//!
//! ```json
//! {"demo": 1, "turns": [
//!   {"who": "user", "says": "read a.rs"},
//!   {"who": "agent", "calls": [{"tool": "Read", "with": {"path": "a.rs"}, "gave": "fn a() {}"}]}
//! ]}
//! ```

use foveal_transcript::{Call, Role};
use serde_json::Value;

use crate::draft::{Answer, Draft, Step};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;

/// Whether a document starts like this format: the first row of the table that says yes reads it.
pub(crate) fn is_format(head: &Head) -> bool {
    head.all(&["demo", "turns[].who"])
}

/// Reads one document. What it cannot use is a problem with its place, never a panic.
pub(crate) fn read(mut root: Object, output: &mut Output<'_>) {
    let Some(turns) = json::take_list(&mut root, "turns") else {
        output.problem(ProblemKind::NotARecord);
        return;
    };
    let mut draft = Draft::new(output.name);
    output.each_object("turns[]", turns, |turn, output| read_turn(&mut draft, turn, output));
    output.conversation(draft);
}

fn read_turn(draft: &mut Draft, mut turn: Object, output: &mut Output<'_>) {
    let role = match json::text(&turn, "who") {
        Some("user") => Role::User,
        Some("agent") => Role::Assistant,
        _ => return output.bad_field("who", "`user` or `agent`"),
    };
    let says = json::take(&mut turn, "says");
    let step = draft.push(Step::with(role, None, json::message_blocks(says)));
    let calls = json::take_list(&mut turn, "calls").unwrap_or_default();
    for (number, call) in calls.into_iter().enumerate() {
        let Value::Object(mut call) = call else {
            output.bad_field("calls[]", "an object");
            continue;
        };
        // The format has no ids of its own; results are paired with calls by them.
        let id = format!("call {}.{number}", draft.len());
        let name = json::take_text(&mut call, "tool").unwrap_or_default();
        let arguments = json::arguments(json::take(&mut call, "with"));
        output.check(draft.call(step, Call { id: id.clone(), name, arguments }));
        output.check(draft.answer(Answer::of(id, json::take(&mut call, "gave"), None)));
    }
}

#[cfg(test)]
use crate::head::scan;

#[test]
fn a_session_is_read_and_what_is_broken_is_told() {
    let text = r#"{"demo": 1, "turns": [
        {"who": "user", "says": "read a.rs"},
        {"who": "nobody"},
        {"who": "agent", "calls": [{"tool": "Read", "with": {"path": "a.rs"}, "gave": "fn a() {}"}]}
    ]}"#;
    let (head, _) = scan(text.as_bytes(), false).expect("it holds a document");
    assert!(is_format(&head));
    let mut sessions = Vec::new();
    let mut take = |session| sessions.push(session);
    let mut output = Output::new("example", &mut take);
    let document = output.parse(text.as_bytes()).expect("it is a document");
    read(document, &mut output);
    let (_, problems) = output.finish();
    assert_eq!(problems.len(), 1, "{problems:?}");
    let conversation = &sessions[0].conversations[0];
    let roles: Vec<Role> = conversation.entries().iter().map(|entry| entry.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool]);
    let result = conversation.entries()[2].result().expect("a tool entry holds a result");
    assert_eq!(result.content, "fn a() {}");
}
