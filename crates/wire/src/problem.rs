//! What is wrong with a recording, without stopping the reading of it.

use std::fmt;

use foveal_transcript::LineNumber;

/// Most problems kept for one stream; later ones are only counted.
pub const PROBLEMS_MAX: usize = 1000;

/// One thing in a recording that could not be read as it stands.
#[derive(Debug)]
pub struct Problem {
    /// The name the caller gave the stream.
    pub name: String,
    /// The line of the stream where the broken line or document starts, or for a fault
    /// within a document, the line of the document's start.
    pub line: LineNumber,
    /// What is wrong.
    pub what: ProblemKind,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.name, self.line.0, self.what)
    }
}

/// The kinds of [`Problem`].
#[derive(Debug, thiserror::Error)]
pub enum ProblemKind {
    /// The line or document is not JSON.
    #[error("not valid JSON: {}", within_the_line(.0))]
    Json(#[from] serde_json::Error),
    /// The line or document is not UTF-8.
    #[error("not valid UTF-8")]
    NotUtf8,
    /// The document is cut off.
    #[error("the JSON ends early")]
    EndsEarly,
    /// The line or document is longer than is read.
    #[error("longer than {bytes_max} bytes, skipped")]
    TooLong {
        /// The bound, in bytes.
        bytes_max: usize,
    },
    /// JSON, but nothing that this format has at this place.
    #[error("not a record of this format")]
    NotARecord,
    /// A record of a type that this version does not know; reported once per type.
    #[error("unknown record type `{kind}`, left out")]
    UnknownType {
        /// The type as recorded.
        kind: String,
    },
    /// A field is missing or not of the expected type.
    #[error("`{field}` is not {expected}")]
    BadField {
        /// Where, from the record's root.
        field: &'static str,
        /// What it has to be.
        expected: &'static str,
    },
    /// A time that is no RFC 3339 time.
    #[error("`{text}` is not a time")]
    BadTime {
        /// The text as recorded.
        text: String,
    },
    /// A tool result that answers no call of this conversation.
    #[error("a result answers the unknown call `{call}`")]
    UnknownCall {
        /// The id the result names.
        call: String,
    },
    /// Two calls with the same id.
    #[error("a second call has the id `{call}`")]
    DuplicateCall {
        /// The id.
        call: String,
    },
    /// Two results for the same call.
    #[error("a second result answers the call `{call}`")]
    DuplicateResult {
        /// The id of the call.
        call: String,
    },
    /// A record with an id that another has; it is left out.
    #[error("a second record has the id `{id}`, left out")]
    DuplicateRecord {
        /// The id.
        id: String,
    },
    /// A reference to a record that is not there.
    #[error("refers to the unknown record `{id}`")]
    UnknownRecord {
        /// The id it names.
        id: String,
    },
    /// Problems beyond [`PROBLEMS_MAX`].
    #[error("{count} more problems")]
    More {
        /// How many.
        count: u64,
    },
}

/// The parser's words; lines count from the record's start, so a first line says nothing.
fn within_the_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

/// Collects problems up to [`PROBLEMS_MAX`].
#[derive(Debug)]
pub(crate) struct Problems {
    name: String,
    list: Vec<Problem>,
    more: u64,
    last_line: LineNumber,
}

impl Problems {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), list: Vec::new(), more: 0, last_line: LineNumber(1) }
    }

    pub(crate) fn report(&mut self, line: LineNumber, what: impl Into<ProblemKind>) {
        self.last_line = line;
        if self.list.len() < PROBLEMS_MAX {
            self.list.push(Problem { name: self.name.clone(), line, what: what.into() });
        } else {
            self.more += 1;
        }
    }

    pub(crate) fn finish(mut self) -> Vec<Problem> {
        if self.more > 0 {
            let what = ProblemKind::More { count: self.more };
            self.list.push(Problem { name: self.name, line: self.last_line, what });
        }
        self.list
    }
}
