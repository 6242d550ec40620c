//! The sink into which readers emit sessions and report problems.

use std::collections::HashSet;

use foveal_protocols::conversation_builder::ConversationBuilder;
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::lenient_json;
use foveal_protocols::problem::{Problem, ProblemCollector, ProblemKind};
use foveal_transcript::{RecordedSession, Timestamp};
use serde_json::Value;

use crate::timestamps::parse_timestamp;

/// Receives the sessions and problems of one stream.
pub(crate) struct SessionSink<'a> {
    /// The caller's name for the stream.
    pub(crate) name: &'a str,
    /// Whether the stream held anything but white space.
    pub(crate) has_content: bool,
    /// The problems; its line is the one on which the current record starts.
    pub(crate) problems: ProblemCollector,
    unknown_types: HashSet<String>,
    is_recognised: bool,
    sink: &'a mut dyn FnMut(RecordedSession),
}

impl<'a> SessionSink<'a> {
    /// Creates the sink of a stream that is not read yet.
    pub(crate) fn new(name: &'a str, sink: &'a mut dyn FnMut(RecordedSession)) -> Self {
        Self {
            name,
            has_content: false,
            problems: ProblemCollector::new(name),
            unknown_types: HashSet::new(),
            is_recognised: false,
            sink,
        }
    }

    /// Returns whether a record of the format was found, and all problems.
    pub(crate) fn finish(self) -> (bool, Vec<Problem>) {
        (self.is_recognised, self.problems.finish())
    }

    /// Reports a problem at the current line.
    pub(crate) fn report_problem(&mut self, what: impl Into<ProblemKind>) {
        self.problems.report_problem(what);
    }

    /// Reports a field with an unexpected value.
    pub(crate) fn report_bad_field(&mut self, field: &'static str, expected: &'static str) {
        self.problems.report_bad_field(field, expected);
    }

    /// Reports a record of an unknown type, once per type.
    pub(crate) fn report_unknown_type(&mut self, kind: String) {
        if self.unknown_types.insert(kind.clone()) {
            self.report_problem(ProblemKind::UnknownType { kind });
        }
    }

    /// Reports the error of a result, if it has one.
    pub(crate) fn report_error(&mut self, result: Result<(), ProblemKind>) {
        self.problems.report_error(result);
    }

    /// Calls `read` for each object of the list in `field`; other elements are problems.
    pub(crate) fn for_each_object(
        &mut self,
        field: &'static str,
        list: Vec<Value>,
        mut read: impl FnMut(JsonObject, &mut Self),
    ) {
        for element in list {
            match element {
                Value::Object(object) => read(object, self),
                _ => self.report_bad_field(field, "an object"),
            }
        }
    }

    /// Returns the time in the text field `key`. A text that is no time is a problem.
    pub(crate) fn parse_time(&mut self, record: &JsonObject, key: &str) -> Option<Timestamp> {
        let text = json::get_text(record, key)?;
        let time = parse_timestamp(text);
        if time.is_none() {
            self.report_problem(ProblemKind::BadTime { text: text.to_owned() });
        }
        time
    }

    /// Notes that a record of this format was found.
    pub(crate) fn mark_recognised(&mut self) {
        self.is_recognised = true;
    }

    /// Emits a complete session.
    pub(crate) fn emit_session(&mut self, session: RecordedSession) {
        self.is_recognised = true;
        (self.sink)(session);
    }

    /// Emits a session that consists of one conversation with the same id.
    pub(crate) fn emit_conversation(&mut self, draft: ConversationBuilder) {
        let id = draft.id.clone();
        self.emit_session(RecordedSession { id, conversations: vec![draft.finish()] });
    }

    /// Emits the conversation as a session, unless it is empty.
    pub(crate) fn emit_unless_empty(&mut self, draft: ConversationBuilder) {
        if !draft.is_empty() {
            self.emit_conversation(draft);
        }
    }

    /// Parses one line or document. A value other than an object is a problem.
    pub(crate) fn parse_object(&mut self, bytes: &[u8]) -> Option<JsonObject> {
        match lenient_json::parse_lenient(bytes) {
            Ok(Value::Object(object)) => return Some(object),
            Ok(_) => self.report_problem(ProblemKind::NotARecord),
            Err(_) if std::str::from_utf8(bytes).is_err() => {
                self.report_problem(ProblemKind::NotUtf8);
            }
            Err(error) => self.report_problem(error),
        }
        None
    }
}
