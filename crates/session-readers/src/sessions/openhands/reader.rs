//! Classifies OpenHands' events and passes each to the reader of its form.

use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;
use serde_json::Value;

use super::event_session::{OpenHandsSession, parse_event_id};
use crate::key_paths::KeyPaths;
use crate::record_reader::RecordReader;
use crate::session_sink::SessionSink;

/// Reads sessions that hold their events, and events that make up one session.
#[derive(Default)]
pub(crate) struct OpenHandsReader {
    session: Option<OpenHandsSession>,
}

impl RecordReader for OpenHandsReader {
    fn read_record(&mut self, mut record: JsonObject, output: &mut SessionSink<'_>) {
        if let Some(history) = json::take_list(&mut record, "history") {
            let id = json::take_text(&mut record, "instance_id");
            let mut events = OpenHandsSession::new(id.unwrap_or_else(|| output.name.to_owned()));
            for event in history {
                events.read_history_item(event, output);
            }
            output.emit_conversation(events.draft);
        } else if is_event(&record) {
            output.mark_recognised();
            let events =
                self.session.get_or_insert_with(|| OpenHandsSession::new(output.name.to_owned()));
            events.read_event(record, output);
        } else {
            output.report_problem(ProblemKind::NotARecord);
        }
    }

    fn finish(self, output: &mut SessionSink<'_>) {
        if let Some(events) = self.session {
            output.emit_conversation(events.draft);
        }
    }
}

/// Detects events by their keys, alone or in a history.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    const HISTORY: [&str; 4] =
        ["history[].action", "history[].observation", "history[][].action", "history[].kind"];
    let has_source = head.has_text("source", &["agent", "user", "environment", "hook"]);
    // SWE-agent's history has actions as well, with a role.
    (head.has_any_key(&HISTORY) && !head.has_key("history[].role") && !head.has_key("environment"))
        || head.has_all_keys(&["instance_id", "instruction", "metadata"])
        || (has_source
            && head.has_any_key(&["action", "observation"])
            && head.has_any_key(&["args", "content"]))
        || (has_source && head.short_text("kind").is_some_and(|kind| kind.ends_with("Event")))
}

fn is_event(record: &JsonObject) -> bool {
    ["action", "observation", "kind"].iter().any(|key| json::get_text(record, key).is_some())
}

impl OpenHandsSession {
    fn read_history_item(&mut self, event: Value, output: &mut SessionSink<'_>) {
        match event {
            Value::Object(event) => self.read_event(event, output),
            // Old recordings pair an action with its observation.
            Value::Array(pair) => {
                for event in pair {
                    if let Value::Object(event) = event {
                        self.read_event(event, output);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                output.report_bad_field("history[]", "an event");
            }
        }
    }

    fn read_event(&mut self, mut event: JsonObject, output: &mut SessionSink<'_>) {
        let time = output.parse_time(&event, "timestamp");
        let id = event.get("id").and_then(parse_event_id);
        let known = id.clone();
        if let Some(kind) = json::take_text(&mut event, "kind") {
            self.read_event_of_kind(&kind, event, time, output);
        } else if let Some(action) = json::take_text(&mut event, "action") {
            self.read_action(&action, id, event, time, output);
        } else if let Some(observation) = json::take_text(&mut event, "observation") {
            self.read_observation(&observation, event, time, output);
        } else {
            output.report_bad_field("action", "a string");
        }
        if let Some(id) = known {
            self.note_event_position(id);
        }
    }
}
