//! Entry points that read sessions from a stream.

use std::io::{self, BufRead, Read as _};

use foveal_protocols::problem::{Problem, ProblemKind};
use foveal_transcript::RecordedSession;

use crate::format_detection::StreamHead;
use crate::session_format::SessionFormat;
use crate::session_sink::SessionSink;

/// An error that keeps a stream from being read as sessions.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The stream holds only white space.
    #[error("empty")]
    Empty,
    /// The stream has no record of this format.
    #[error(
        "not {what}{why}", what = expected_text(*format, *is_detected),
        why = reason(first.as_deref())
    )]
    WrongFormat {
        /// The requested or detected format.
        format: SessionFormat,
        /// Whether the format was detected from the start of the stream.
        is_detected: bool,
        /// The first problem.
        first: Option<Box<Problem>>,
    },
    /// No format matches the start of the stream.
    #[error("not a recorded session of a known format")]
    UnknownFormat,
}

fn expected_text(format: SessionFormat, is_detected: bool) -> String {
    match is_detected {
        true => format!("a session of {format}, although it begins like one"),
        false => format!("in the format `{format}`"),
    }
}

fn reason(first: Option<&Problem>) -> String {
    let Some(Problem { line, kind, .. }) = first else { return String::new() };
    match kind {
        ProblemKind::UnknownType { kind } => {
            format!(": line {} has the unknown record type `{kind}`", line.0)
        }
        kind => format!(": line {}: {kind}", line.0),
    }
}

/// Reads all sessions of a stream and passes each to `sink` as soon as it is complete. `name`
/// identifies the stream in problems, and is the id of a recording that has none.
///
/// # Errors
/// Returns [`ReadError`] if reading fails, the stream is empty, or it has no record of `format`.
/// `sink` has then received the sessions that were complete before the failure.
pub fn read_sessions(
    format: SessionFormat,
    name: &str,
    mut input: impl BufRead,
    sink: &mut dyn FnMut(RecordedSession),
) -> Result<Vec<Problem>, ReadError> {
    let mut output = SessionSink::new(name, sink);
    format.read_stream(&mut input, &mut output)?;
    let any = output.has_content;
    let (recognised, problems) = output.finish();
    match (any, recognised) {
        (false, _) => Err(ReadError::Empty),
        (true, false) => {
            let first = problems.into_iter().next().map(Box::new);
            Err(ReadError::WrongFormat { format, is_detected: false, first })
        }
        (true, true) => Ok(problems),
    }
}

/// Reads all sessions of a stream into memory.
///
/// # Errors
/// As [`read_sessions`].
pub fn read_all_sessions(
    format: SessionFormat,
    name: &str,
    input: impl BufRead,
) -> Result<(Vec<RecordedSession>, Vec<Problem>), ReadError> {
    let mut sessions = Vec::new();
    let problems = read_sessions(format, name, input, &mut |session| sessions.push(session))?;
    Ok((sessions, problems))
}

/// Detects the format from the first documents and reads all sessions. Returns the format and the
/// problems.
///
/// # Errors
/// As [`read_sessions`], and [`ReadError::UnknownFormat`] if no format matches.
pub fn detect_and_read_sessions(
    name: &str,
    mut input: impl BufRead,
    sink: &mut dyn FnMut(RecordedSession),
) -> Result<(SessionFormat, Vec<Problem>), ReadError> {
    let head = StreamHead::read(&mut input)?;
    if head.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    let format = head.format.ok_or(ReadError::UnknownFormat)?;
    match read_sessions(format, name, head.bytes.as_slice().chain(input), sink) {
        Ok(problems) => Ok((format, problems)),
        Err(ReadError::WrongFormat { format, first, .. }) => {
            Err(ReadError::WrongFormat { format, is_detected: true, first })
        }
        Err(error) => Err(error),
    }
}
