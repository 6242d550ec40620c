//! Where readers put what they find: sessions and problems.

use std::collections::HashSet;

use foveal_transcript::{LineNumber, Session, Timestamp};
use serde_json::Value;

use crate::decode;
use crate::draft::Draft;
use crate::json::{self, Object};
use crate::problem::{Problem, ProblemKind, Problems};
use crate::time::parse_timestamp;

/// The sessions and problems of one stream.
pub(crate) struct Output<'a> {
    /// The caller's name for the stream.
    pub(crate) name: &'a str,
    /// Where the current line or document starts.
    pub(crate) line: LineNumber,
    /// Whether there was anything but white space.
    pub(crate) any: bool,
    problems: Problems,
    unknown: HashSet<String>,
    recognised: bool,
    sink: &'a mut dyn FnMut(Session),
}

impl<'a> Output<'a> {
    /// The output of a stream from which nothing was read yet.
    pub(crate) fn new(name: &'a str, sink: &'a mut dyn FnMut(Session)) -> Self {
        Self {
            name,
            line: LineNumber(1),
            any: false,
            problems: Problems::new(name),
            unknown: HashSet::new(),
            recognised: false,
            sink,
        }
    }

    /// Whether anything of the format was found, and all problems.
    pub(crate) fn finish(self) -> (bool, Vec<Problem>) {
        (self.recognised, self.problems.finish())
    }

    /// Reports a problem at the current line.
    pub(crate) fn problem(&mut self, what: impl Into<ProblemKind>) {
        self.problems.report(self.line, what);
    }

    /// Reports a field that is not what it should be.
    pub(crate) fn bad_field(&mut self, field: &'static str, expected: &'static str) {
        self.problem(ProblemKind::BadField { field, expected });
    }

    /// Reports a record of an unknown type, once for each type.
    pub(crate) fn unknown_type(&mut self, kind: String) {
        if self.unknown.insert(kind.clone()) {
            self.problem(ProblemKind::UnknownType { kind });
        }
    }

    /// Reports the problem of a result, if it is one.
    pub(crate) fn check(&mut self, result: Result<(), ProblemKind>) {
        if let Err(what) = result {
            self.problem(what);
        }
    }

    /// Gives each object of the list in `field` to `read`; anything else in it is a problem.
    pub(crate) fn each_object(
        &mut self,
        field: &'static str,
        list: Vec<Value>,
        mut read: impl FnMut(Object, &mut Self),
    ) {
        for element in list {
            match element {
                Value::Object(object) => read(object, self),
                _ => self.bad_field(field, "an object"),
            }
        }
    }

    /// The time in the text field `key`; a problem if there is text that is none.
    pub(crate) fn time(&mut self, record: &Object, key: &str) -> Option<Timestamp> {
        let text = json::text(record, key)?;
        let time = parse_timestamp(text);
        if time.is_none() {
            self.problem(ProblemKind::BadTime { text: text.to_owned() });
        }
        time
    }

    /// Says that something of this format was found.
    pub(crate) fn recognise(&mut self) {
        self.recognised = true;
    }

    /// Hands over a complete session.
    pub(crate) fn session(&mut self, session: Session) {
        self.recognised = true;
        (self.sink)(session);
    }

    /// Hands over a session of one conversation, which has the same id.
    pub(crate) fn conversation(&mut self, draft: Draft) {
        let id = draft.id.clone();
        self.session(Session { id, conversations: vec![draft.finish()] });
    }

    /// The same, unless nothing was read of it.
    pub(crate) fn conversation_unless_empty(&mut self, draft: Draft) {
        if !draft.is_empty() {
            self.conversation(draft);
        }
    }

    /// Parses one line or document; anything but an object is a problem.
    pub(crate) fn parse(&mut self, bytes: &[u8]) -> Option<Object> {
        match decode::value(bytes) {
            Ok(Value::Object(object)) => return Some(object),
            Ok(_) => self.problem(ProblemKind::NotARecord),
            Err(_) if std::str::from_utf8(bytes).is_err() => self.problem(ProblemKind::NotUtf8),
            Err(error) => self.problem(error),
        }
        None
    }
}
