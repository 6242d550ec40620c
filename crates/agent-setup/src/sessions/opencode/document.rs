//! Builds the document `{info, messages: [{info, parts}]}`. Invalid JSON is skipped and reported,
//! so that one damaged part does not lose the session.

use std::path::Path;

use foveal_protocols::problem::{Problem, ProblemKind};
use foveal_session_readers::{LINE_BYTES_MAX, ReadError, SessionFormat};
use foveal_transcript::{LineNumber, RecordedSession};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::sessions::error::{LoadError, LoadResult, SkippedPart};
use crate::sessions::session_file::FindError;

/// A document under construction.
#[derive(Debug)]
pub(super) struct OpencodeDocument {
    text: String,
    skipped: Vec<SkippedPart>,
    message_count: usize,
}

/// A message with its parts, as JSON texts.
#[derive(Debug)]
pub(super) struct OpencodeMessage {
    info: String,
    parts: Vec<String>,
}

/// The parts that old messages contain themselves.
#[derive(Debug, Deserialize)]
struct InlineParts {
    #[serde(default)]
    parts: Vec<Box<RawValue>>,
}

impl OpencodeDocument {
    /// Starts a document for the session with the JSON `info`, which was read from `name`.
    pub(super) fn new(name: &str, info: Vec<u8>) -> Self {
        let mut document = Self { text: String::new(), skipped: Vec::new(), message_count: 0 };
        let info = document.validate_json(name, info).unwrap_or_else(|| "{}".to_owned());
        document.text = format!("{{\"info\":{info},\"messages\":[");
        document
    }

    /// Returns `bytes` as JSON text, or reports a problem at `name` and returns `None`.
    pub(super) fn validate_json(&mut self, name: &str, bytes: Vec<u8>) -> Option<String> {
        let what = match String::from_utf8(bytes) {
            Err(_) => ProblemKind::NotUtf8,
            Ok(text) => match serde_json::from_str::<&RawValue>(&text) {
                Ok(_) => return Some(text),
                Err(error) => error.into(),
            },
        };
        self.add_problem(name, what);
        None
    }

    /// Adds a message. Returns `None` if the document would exceed the size limit.
    pub(super) fn push_message(&mut self, name: &str, message: &OpencodeMessage) -> Option<()> {
        let length = message.info.len() + message.parts.iter().map(|p| p.len() + 1).sum::<usize>();
        self.start_message(name, length)?;
        self.text += "{\"info\":";
        self.text += &message.info;
        self.text += ",\"parts\":[";
        self.text += &message.parts.join(",");
        self.text += "]}";
        Some(())
    }

    /// Adds a message that is one JSON record. Returns `None` if the document would exceed the size
    /// limit.
    pub(super) fn push_record(&mut self, name: &str, record: &str) -> Option<()> {
        self.start_message(name, record.len())?;
        self.text += record;
        Some(())
    }

    /// Starts a message of `length` bytes, if the size limit allows it.
    fn start_message(&mut self, name: &str, length: usize) -> Option<()> {
        if self.text.len() + length + 64 > LINE_BYTES_MAX {
            self.add_problem(name, ProblemKind::TooLong { bytes_max: LINE_BYTES_MAX });
            return None;
        }
        if self.message_count > 0 {
            self.text.push(',');
        }
        self.message_count += 1;
        Some(())
    }

    pub(super) fn add_problem(&mut self, name: &str, what: ProblemKind) {
        let problem = Problem { name: name.to_owned(), line: LineNumber(1), kind: what };
        self.skipped.push(SkippedPart::Problem(problem));
    }

    /// Reports a folder whose files are missing from the document.
    pub(super) fn add_unlisted_folder(&mut self, folder: FindError) {
        self.skipped.push(SkippedPart::Folder(folder));
    }

    /// Returns the text and the skipped parts.
    fn finish(mut self) -> (Vec<u8>, Vec<SkippedPart>) {
        self.text += "]}";
        (self.text.into_bytes(), self.skipped)
    }

    /// Parses the finished document as one session.
    pub(super) fn parse_session(
        self,
        path: &Path,
        sink: &mut dyn FnMut(RecordedSession),
    ) -> LoadResult {
        let (text, mut not_read) = self.finish();
        let name = path.display().to_string();
        let read = foveal_session_readers::read_sessions(
            SessionFormat::OpenCode,
            &name,
            text.as_slice(),
            sink,
        );
        let problems = read.map_err(|source| match source {
            ReadError::Io(why) => LoadError::Unreadable { path: path.to_owned(), why },
            why => LoadError::Broken { path: path.to_owned(), why },
        })?;
        not_read.extend(problems.into_iter().map(SkippedPart::Problem));
        Ok(not_read)
    }
}

impl OpencodeMessage {
    /// Creates a message with `parts`, or with the parts inside `info` if there are none.
    pub(super) fn new(info: String, mut parts: Vec<String>) -> Self {
        if parts.is_empty()
            && let Ok(inline) = serde_json::from_str::<InlineParts>(&info)
        {
            parts = inline.parts.iter().map(|part| part.get().to_owned()).collect();
        }
        Self { info, parts }
    }
}
