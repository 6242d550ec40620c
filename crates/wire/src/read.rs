//! The entry points: one stream in, sessions out as they are complete.

use std::io::{self, BufRead, Read};

use foveal_transcript::{LineNumber, Session, Timestamp};
use serde_json::Value;

use crate::anthropic;
use crate::atif;
use crate::claude_code::ClaudeCode;
use crate::codex::Codex;
use crate::detect::{DETECT_BYTES, detect};
use crate::documents::{Document, Documents};
use crate::format::Format;
use crate::json::Object;
use crate::lines::{LINE_BYTES_MAX, Line, Lines};
use crate::mini_swe_agent;
use crate::openai_chat;
use crate::opencode;
use crate::openhands::OpenHands;
use crate::pi::Pi;
use crate::problem::{Problem, ProblemKind, Problems};
use crate::responses;
use crate::swe_agent;
use crate::time::parse_timestamp;

/// Most sessions of one line-based stream that are open at a time. Lines of a session that
/// was closed for another start a new session of the same id.
pub const OPEN_SESSIONS_MAX: usize = 4;

/// What some editors put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

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
    input: impl BufRead,
    sink: &mut dyn FnMut(Session),
) -> Result<Vec<Problem>, ReadError> {
    let mut output = Output {
        name,
        line: LineNumber(1),
        problems: Problems::new(name),
        recognised: false,
        any: false,
        sink,
    };
    match format {
        Format::Atif => read_documents(input, &mut output, Each(atif::read))?,
        Format::ClaudeCode => read_lines(input, &mut output, ClaudeCode::default())?,
        Format::Codex => read_lines(input, &mut output, Codex::default())?,
        Format::Pi => read_lines(input, &mut output, Pi::default())?,
        Format::OpenAiResponses => read_documents(input, &mut output, Each(responses::read))?,
        Format::OpenAiChat => read_documents(input, &mut output, Each(openai_chat::read))?,
        Format::AnthropicMessages => read_documents(input, &mut output, Each(anthropic::read))?,
        Format::MiniSweAgent => read_documents(input, &mut output, Each(mini_swe_agent::read))?,
        Format::SweAgent => read_documents(input, &mut output, Each(swe_agent::read))?,
        Format::OpenHands => read_documents(input, &mut output, OpenHands::default())?,
        Format::OpenCode => read_documents(input, &mut output, Each(opencode::read))?,
    }
    let Output { problems, recognised, any, .. } = output;
    match (any, recognised) {
        (false, _) => Err(ReadError::Empty),
        (true, false) => {
            let first = problems.finish().into_iter().next().map(Box::new);
            Err(ReadError::WrongFormat { format, first })
        }
        (true, true) => Ok(problems.finish()),
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

/// Where a reader puts what it finds.
pub(crate) struct Output<'a> {
    /// The caller's name for the stream.
    pub(crate) name: &'a str,
    /// Where the current line or document starts.
    pub(crate) line: LineNumber,
    problems: Problems,
    recognised: bool,
    any: bool,
    sink: &'a mut dyn FnMut(Session),
}

impl Output<'_> {
    /// Reports a problem at the current line.
    pub(crate) fn problem(&mut self, what: impl Into<ProblemKind>) {
        self.problems.report(self.line, what);
    }

    /// Reports the problem of a result, if it is one.
    pub(crate) fn check(&mut self, result: Result<(), ProblemKind>) {
        if let Err(what) = result {
            self.problem(what);
        }
    }

    /// The time in the text field `key`; a problem if there is text that is none.
    pub(crate) fn time(&mut self, record: &Object, key: &str) -> Option<Timestamp> {
        let text = crate::json::text(record, key)?;
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

    /// Parses one line or document; anything but an object is a problem.
    fn parse(&mut self, bytes: &[u8]) -> Option<Object> {
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(object)) => Some(object),
            Ok(_) => {
                self.problem(ProblemKind::NotARecord);
                None
            }
            Err(error) => {
                if std::str::from_utf8(bytes).is_err() {
                    self.problem(ProblemKind::NotUtf8);
                } else {
                    self.problem(error);
                }
                None
            }
        }
    }
}

/// Reads a format of JSON documents that may stretch over lines.
fn read_documents(
    input: impl BufRead,
    output: &mut Output<'_>,
    mut reader: impl Reader,
) -> io::Result<()> {
    let mut documents = Documents::new(input, LINE_BYTES_MAX);
    while let Some((line, document)) = documents.next()? {
        output.line = line;
        output.any = true;
        match document {
            Document::Bytes(bytes) => {
                if let Some(object) = output.parse(bytes) {
                    // The text is not held while its session is worked on.
                    documents.release();
                    reader.record(object, output);
                }
            }
            Document::EndsEarly => output.problem(ProblemKind::EndsEarly),
            Document::TooLong => {
                output.problem(ProblemKind::TooLong { bytes_max: LINE_BYTES_MAX });
            }
            Document::Stray => output.problem(ProblemKind::NotARecord),
        }
    }
    reader.finish(output);
    Ok(())
}

/// Makes sessions of the objects of a stream, a line or a document each.
pub(crate) trait Reader {
    /// Takes the next object.
    fn record(&mut self, record: Object, output: &mut Output<'_>);

    /// Hands over what is still open.
    fn finish(self, output: &mut Output<'_>);
}

/// A format whose objects are sessions, each on its own.
struct Each<F>(F);

impl<F: FnMut(Object, &mut Output<'_>)> Reader for Each<F> {
    fn record(&mut self, record: Object, output: &mut Output<'_>) {
        self.0(record, output);
    }

    fn finish(self, _output: &mut Output<'_>) {}
}

/// Reads a format with one object per line.
fn read_lines(
    input: impl BufRead,
    output: &mut Output<'_>,
    mut reader: impl Reader,
) -> io::Result<()> {
    let mut lines = Lines::new(input, LINE_BYTES_MAX);
    while let Some((number, line)) = lines.next()? {
        output.line = number;
        match line {
            Line::Bytes(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => {}
            Line::Bytes(bytes) => {
                output.any = true;
                let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
                if let Some(record) = output.parse(bytes) {
                    reader.record(record, output);
                }
            }
            Line::TooLong => {
                output.any = true;
                output.problem(ProblemKind::TooLong { bytes_max: LINE_BYTES_MAX });
            }
        }
    }
    reader.finish(output);
    Ok(())
}
