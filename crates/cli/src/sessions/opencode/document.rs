//! The document `{info, messages: [{info, parts}]}`, put together from its parts. What is no
//! JSON is left out and reported, so that one bad part does not spoil the session.

use std::path::Path;

use foveal_transcript::{LineNumber, Session};
use foveal_wire::{Format, LINE_BYTES_MAX, Problem, ProblemKind, ReadError};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::sessions::error::{LoadError, Loaded, NotRead};
use crate::sessions::file::FindError;

/// A document being put together.
#[derive(Debug)]
pub(super) struct Document {
    text: String,
    not_read: Vec<NotRead>,
    messages: usize,
}

/// A message with its parts, as JSON texts.
#[derive(Debug)]
pub(super) struct Message {
    info: String,
    parts: Vec<String>,
}

/// What old messages hold themselves.
#[derive(Debug, Deserialize)]
struct Inline {
    #[serde(default)]
    parts: Vec<Box<RawValue>>,
}

impl Document {
    /// A document about the session described by `info`, which stands at `name`.
    pub(super) fn new(name: &str, info: Vec<u8>) -> Self {
        let mut document = Self { text: String::new(), not_read: Vec::new(), messages: 0 };
        let info = document.json(name, info).unwrap_or_else(|| "{}".to_owned());
        document.text = format!("{{\"info\":{info},\"messages\":[");
        document
    }

    /// `bytes` as JSON; a problem at `name` if they are none.
    pub(super) fn json(&mut self, name: &str, bytes: Vec<u8>) -> Option<String> {
        let what = match String::from_utf8(bytes) {
            Err(_) => ProblemKind::NotUtf8,
            Ok(text) => match serde_json::from_str::<&RawValue>(&text) {
                Ok(_) => return Some(text),
                Err(error) => error.into(),
            },
        };
        self.problem(name, what);
        None
    }

    /// Adds a message; `None` where the whole has grown too long to be read.
    pub(super) fn push(&mut self, name: &str, message: &Message) -> Option<()> {
        let length = message.info.len() + message.parts.iter().map(|p| p.len() + 1).sum::<usize>();
        self.begin(name, length)?;
        self.text += "{\"info\":";
        self.text += &message.info;
        self.text += ",\"parts\":[";
        self.text += &message.parts.join(",");
        self.text += "]}";
        Some(())
    }

    /// Adds a message that is one record, as JSON text; `None` as above.
    pub(super) fn push_record(&mut self, name: &str, record: &str) -> Option<()> {
        self.begin(name, record.len())?;
        self.text += record;
        Some(())
    }

    /// Makes room for a message of so many bytes.
    fn begin(&mut self, name: &str, length: usize) -> Option<()> {
        if self.text.len() + length + 64 > LINE_BYTES_MAX {
            self.problem(name, ProblemKind::TooLong { bytes_max: LINE_BYTES_MAX });
            return None;
        }
        if self.messages > 0 {
            self.text.push(',');
        }
        self.messages += 1;
        Some(())
    }

    pub(super) fn problem(&mut self, name: &str, what: ProblemKind) {
        let problem = Problem { name: name.to_owned(), line: LineNumber(1), what };
        self.not_read.push(NotRead::Problem(problem));
    }

    /// Notes a folder whose files are missing from the document.
    pub(super) fn unlisted(&mut self, folder: FindError) {
        self.not_read.push(NotRead::Folder(folder));
    }

    /// The text, and what is not in it.
    fn finish(mut self) -> (Vec<u8>, Vec<NotRead>) {
        self.text += "]}";
        (self.text.into_bytes(), self.not_read)
    }

    /// Reads the finished document as one session.
    pub(super) fn read(self, path: &Path, sink: &mut dyn FnMut(Session)) -> Loaded {
        let (text, mut not_read) = self.finish();
        let name = path.display().to_string();
        let read = foveal_wire::read(Format::OpenCode, &name, text.as_slice(), sink);
        let problems = read.map_err(|source| match source {
            ReadError::Io(why) => LoadError::Unreadable { path: path.to_owned(), why },
            why => LoadError::Broken { path: path.to_owned(), why },
        })?;
        not_read.extend(problems.into_iter().map(NotRead::Problem));
        Ok(not_read)
    }
}

impl Message {
    /// A message whose parts stand apart, or in it where there are none.
    pub(super) fn new(info: String, mut parts: Vec<String>) -> Self {
        if parts.is_empty()
            && let Ok(inline) = serde_json::from_str::<Inline>(&info)
        {
            parts = inline.parts.iter().map(|part| part.get().to_owned()).collect();
        }
        Self { info, parts }
    }
}
