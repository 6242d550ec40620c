//! Faults in a recording that do not stop the reader.

use std::fmt;

use foveal_transcript::LineNumber;

/// Maximum number of problems kept for one stream; later ones are only counted.
pub const PROBLEMS_MAX: usize = 1000;

/// A fault at one place of a recording.
#[derive(Debug)]
pub struct Problem {
    /// The name that the caller gave the stream.
    pub name: String,
    /// The line of the stream on which the broken line or document starts. A fault within a
    /// document has the line of the document's start.
    pub line: LineNumber,
    /// The fault.
    pub kind: ProblemKind,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.name, self.line.0, self.kind)
    }
}

/// The kinds of [`Problem`].
#[derive(Debug, thiserror::Error)]
pub enum ProblemKind {
    /// The line or document is not JSON.
    #[error("not valid JSON: {}", json_error_message(.0))]
    Json(#[from] serde_json::Error),
    /// The line or document is not UTF-8.
    #[error("not valid UTF-8")]
    NotUtf8,
    /// The document is cut off.
    #[error("the JSON ends early")]
    EndsEarly,
    /// The line or document exceeds the size limit.
    #[error("longer than {bytes_max} bytes, skipped")]
    TooLong {
        /// The limit, in bytes.
        bytes_max: usize,
    },
    /// A JSON value that is no record of this format.
    #[error("not a record of this format")]
    NotARecord,
    /// A record of an unknown type; reported once per type.
    #[error("unknown record type `{kind}`, skipped")]
    UnknownType {
        /// The type as recorded.
        kind: String,
    },
    /// A field is missing or not of the expected type.
    #[error("`{field}` is not {expected}")]
    BadField {
        /// The path from the record's root.
        field: &'static str,
        /// The expected type or value.
        expected: &'static str,
    },
    /// A text that is not an RFC 3339 time.
    #[error("`{text}` is not a valid time")]
    BadTime {
        /// The text as recorded.
        text: String,
    },
    /// A tool result whose call is not in this conversation.
    #[error("result for the unknown call `{call}`")]
    UnknownCall {
        /// The call id of the result.
        call: String,
    },
    /// A second call with the same id.
    #[error("duplicate call id `{call}`")]
    DuplicateCall {
        /// The id.
        call: String,
    },
    /// A second result of the same call.
    #[error("duplicate result for the call `{call}`")]
    DuplicateResult {
        /// The id of the call.
        call: String,
    },
    /// A record with the id of an earlier record; the reader leaves it out.
    #[error("duplicate record id `{id}`, skipped")]
    DuplicateRecord {
        /// The id.
        id: String,
    },
    /// A reference to a record that does not exist.
    #[error("refers to the unknown record `{id}`")]
    UnknownRecord {
        /// The referenced id.
        id: String,
    },
    /// Problems beyond [`PROBLEMS_MAX`].
    #[error("{count} more problems")]
    MoreProblems {
        /// The number of these problems.
        count: u64,
    },
}

/// Returns the parser's message. Its lines count from the record's start, so line 1 is left out.
fn json_error_message(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

/// Collects up to [`PROBLEMS_MAX`] problems of one stream.
#[derive(Debug)]
pub struct ProblemCollector {
    /// The line on which the current record starts.
    pub line: LineNumber,
    name: String,
    list: Vec<Problem>,
    omitted_count: u64,
    last_line: LineNumber,
}

impl ProblemCollector {
    /// Creates the collector of a stream that is not read yet.
    pub fn new(name: &str) -> Self {
        let line = LineNumber(1);
        Self { line, name: name.to_owned(), list: Vec::new(), omitted_count: 0, last_line: line }
    }

    /// Reports a problem at the current line.
    pub fn report_problem(&mut self, what: impl Into<ProblemKind>) {
        self.last_line = self.line;
        if self.list.len() < PROBLEMS_MAX {
            self.list.push(Problem { name: self.name.clone(), line: self.line, kind: what.into() });
        } else {
            self.omitted_count += 1;
        }
    }

    /// Reports a field with an unexpected value.
    pub fn report_bad_field(&mut self, field: &'static str, expected: &'static str) {
        self.report_problem(ProblemKind::BadField { field, expected });
    }

    /// Reports the error of a result, if it has one.
    pub fn report_error(&mut self, result: Result<(), ProblemKind>) {
        if let Err(what) = result {
            self.report_problem(what);
        }
    }

    /// Returns the problems, with the count of those that were left out.
    pub fn finish(mut self) -> Vec<Problem> {
        if self.omitted_count > 0 {
            let what = ProblemKind::MoreProblems { count: self.omitted_count };
            self.list.push(Problem { name: self.name, line: self.last_line, kind: what });
        }
        self.list
    }
}
