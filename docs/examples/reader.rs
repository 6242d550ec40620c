//! A worked example: the reader of a made-up format, `demo`. One document is one session:
//!
//! ```json
//! {"demo": 1, "turns": [
//!   {"who": "user", "says": "read a.rs"},
//!   {"who": "agent", "calls": [{"tool": "Read", "with": {"path": "a.rs"}, "gave": "fn a() {}"}]}
//! ]}
//! ```

use foveal_protocols::conversation_builder::{ConversationBuilder, RecordedResult, StepDraft};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{MessageRole, ToolCall};
use serde_json::Value;

use crate::key_paths::KeyPaths;
use crate::session_sink::SessionSink;

/// Returns whether a document starts like this format. The first row of the table of formats whose
/// function returns true reads the document.
pub(crate) fn is_format(paths: &KeyPaths) -> bool {
    paths.has_all_keys(&["demo", "turns[].who"])
}

/// Reads one document. Unusable input is reported as a problem with its place and never panics.
pub(crate) fn read_document(mut root: JsonObject, sink: &mut SessionSink<'_>) {
    let Some(turns) = json::take_list(&mut root, "turns") else {
        sink.report_problem(ProblemKind::NotARecord);
        return;
    };
    let mut draft = ConversationBuilder::new(sink.name);
    sink.for_each_object("turns[]", turns, |turn, sink| read_turn(&mut draft, turn, sink));
    sink.emit_conversation(draft);
}

fn read_turn(draft: &mut ConversationBuilder, mut turn: JsonObject, sink: &mut SessionSink<'_>) {
    let role = match json::get_text(&turn, "who") {
        Some("user") => MessageRole::User,
        Some("agent") => MessageRole::Assistant,
        _ => return sink.report_bad_field("who", "`user` or `agent`"),
    };
    let says = json::take_value(&mut turn, "says");
    let step = draft.push_step(StepDraft::with_blocks(role, None, json::message_blocks(says)));
    let calls = json::take_list(&mut turn, "calls").unwrap_or_default();
    for (number, call) in calls.into_iter().enumerate() {
        let Value::Object(mut call) = call else {
            sink.report_bad_field("calls[]", "an object");
            continue;
        };
        // The format has no ids of its own; results are paired with calls by them.
        let id = format!("call {}.{number}", draft.len());
        let name = json::take_text(&mut call, "tool").unwrap_or_default();
        let arguments = json::parse_arguments(json::take_value(&mut call, "with"));
        sink.report_error(draft.add_call(step, ToolCall { id: id.clone(), name, arguments }));
        let result = RecordedResult::from_recorded(id, json::take_value(&mut call, "gave"), None);
        sink.report_error(draft.add_result(result));
    }
}

#[cfg(test)]
use crate::key_paths::scan_key_paths;

#[test]
fn a_session_is_read_and_faults_are_reported() {
    let text = r#"{"demo": 1, "turns": [
        {"who": "user", "says": "read a.rs"},
        {"who": "nobody"},
        {"who": "agent", "calls": [{"tool": "Read", "with": {"path": "a.rs"}, "gave": "fn a() {}"}]}
    ]}"#;
    let (paths, _) = scan_key_paths(text.as_bytes(), false).expect("it holds a document");
    assert!(is_format(&paths));
    let mut sessions = Vec::new();
    let mut take = |session| sessions.push(session);
    let mut sink = SessionSink::new("example", &mut take);
    let document = sink.parse_object(text.as_bytes()).expect("it is a document");
    read_document(document, &mut sink);
    let (_, problems) = sink.finish();
    assert_eq!(problems.len(), 1, "{problems:?}");
    let conversation = &sessions[0].conversations[0];
    let roles: Vec<MessageRole> = conversation.entries().iter().map(|entry| entry.role).collect();
    assert_eq!(roles, [MessageRole::User, MessageRole::Assistant, MessageRole::Tool]);
    let result = conversation.entries()[2].tool_result().expect("a tool entry holds a result");
    assert_eq!(result.content, "fn a() {}");
}
