//! Tells OpenHands' events apart and gives each to what reads its kind.

use serde_json::Value;

use super::events::{Events, event_id};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::reader::Reader;

/// Reads sessions that hold their events, and events that make up one session.
#[derive(Default)]
pub(crate) struct OpenHands {
    events: Option<Events>,
}

impl Reader for OpenHands {
    fn record(&mut self, mut record: Object, output: &mut Output<'_>) {
        if let Some(history) = json::take_list(&mut record, "history") {
            let id = json::take_text(&mut record, "instance_id");
            let mut events = Events::new(id.unwrap_or_else(|| output.name.to_owned()));
            for event in history {
                events.value(event, output);
            }
            output.conversation(events.draft);
        } else if is_event(&record) {
            output.recognise();
            let events = self.events.get_or_insert_with(|| Events::new(output.name.to_owned()));
            events.event(record, output);
        } else {
            output.problem(ProblemKind::NotARecord);
        }
    }

    fn finish(self, output: &mut Output<'_>) {
        if let Some(events) = self.events {
            output.conversation(events.draft);
        }
    }
}

/// Signs of events, alone or in a history.
pub(crate) fn is_format(head: &Head) -> bool {
    const HISTORY: [&str; 4] =
        ["history[].action", "history[].observation", "history[][].action", "history[].kind"];
    let has_source = head.is("source", &["agent", "user", "environment", "hook"]);
    // SWE-agent's history has actions as well, with a role.
    (head.any(&HISTORY) && !head.has("history[].role") && !head.has("environment"))
        || head.all(&["instance_id", "instruction", "metadata"])
        || (has_source && head.any(&["action", "observation"]) && head.any(&["args", "content"]))
        || (has_source && head.text("kind").is_some_and(|kind| kind.ends_with("Event")))
}

fn is_event(record: &Object) -> bool {
    ["action", "observation", "kind"].iter().any(|key| json::text(record, key).is_some())
}

impl Events {
    fn value(&mut self, event: Value, output: &mut Output<'_>) {
        match event {
            Value::Object(event) => self.event(event, output),
            // Old recordings pair an action with its observation.
            Value::Array(pair) => {
                for event in pair {
                    if let Value::Object(event) = event {
                        self.event(event, output);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                output.bad_field("history[]", "an event");
            }
        }
    }

    fn event(&mut self, mut event: Object, output: &mut Output<'_>) {
        let time = output.time(&event, "timestamp");
        let id = event.get("id").and_then(event_id);
        let known = id.clone();
        if let Some(kind) = json::take_text(&mut event, "kind") {
            self.kind(&kind, event, time, output);
        } else if let Some(action) = json::take_text(&mut event, "action") {
            self.action(&action, id, event, time, output);
        } else if let Some(observation) = json::take_text(&mut event, "observation") {
            self.observation(&observation, event, time, output);
        } else {
            output.bad_field("action", "a string");
        }
        if let Some(id) = known {
            self.mark_place(id);
        }
    }
}
