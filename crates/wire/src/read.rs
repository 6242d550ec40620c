//! The entry points: one stream in, sessions out as they are complete.

use std::io::{self, BufRead, Read};

use foveal_transcript::Session;

use crate::detect::{DETECT_BYTES, detect};
use crate::format::Format;
use crate::output::Output;
use crate::problem::Problem;

/// Why a stream could not be read as sessions.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The stream holds nothing but white space.
    #[error("empty")]
    Empty,
    /// Nothing in the stream is of this format.
    #[error("not in the format `{format}`{why}", why = reason(first.as_deref()))]
    WrongFormat {
        /// The format that was asked for.
        format: Format,
        /// The first thing that was wrong.
        first: Option<Box<Problem>>,
    },
    /// No format fits the start of the stream.
    #[error("not a recorded session of a known format")]
    UnknownFormat,
}

fn reason(first: Option<&Problem>) -> String {
    first.map(|problem| format!(": line {}: {}", problem.line.0, problem.what)).unwrap_or_default()
}

/// Reads all sessions of a stream and gives each to `sink` as soon as it is complete.
/// `name` names the stream in problems and stands in where a recording has no id.
///
/// # Errors
/// [`ReadError`] if reading fails, the stream is empty, or nothing in it is of `format`.
/// Sessions that were complete before a failure were given to `sink`.
pub fn read(
    format: Format,
    name: &str,
    mut input: impl BufRead,
    sink: &mut dyn FnMut(Session),
) -> Result<Vec<Problem>, ReadError> {
    let mut output = Output::new(name, sink);
    format.read_stream(&mut input, &mut output)?;
    let any = output.any;
    let (recognised, problems) = output.finish();
    match (any, recognised) {
        (false, _) => Err(ReadError::Empty),
        (true, false) => {
            let first = problems.into_iter().next().map(Box::new);
            Err(ReadError::WrongFormat { format, first })
        }
        (true, true) => Ok(problems),
    }
}

/// Reads all sessions of a stream into memory.
///
/// # Errors
/// As [`read`].
pub fn read_all(
    format: Format,
    name: &str,
    input: impl BufRead,
) -> Result<(Vec<Session>, Vec<Problem>), ReadError> {
    let mut sessions = Vec::new();
    let problems = read(format, name, input, &mut |session| sessions.push(session))?;
    Ok((sessions, problems))
}

/// Detects the format from the first [`DETECT_BYTES`] bytes and reads all sessions.
/// Returns the format with the problems.
///
/// # Errors
/// As [`read`], and [`ReadError::UnknownFormat`] if no format fits.
pub fn read_detected(
    name: &str,
    mut input: impl BufRead,
    sink: &mut dyn FnMut(Session),
) -> Result<(Format, Vec<Problem>), ReadError> {
    let mut head = Vec::new();
    input.by_ref().take(DETECT_BYTES as u64).read_to_end(&mut head)?;
    if head.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    let format = detect(&head).ok_or(ReadError::UnknownFormat)?;
    let problems = read(format, name, head.as_slice().chain(input), sink)?;
    Ok((format, problems))
}
