//! What one call found, whatever it was, and the text made of it.

use serde_json::{Value, json};

use foveal_calls::cached_note;

use crate::answer::{Answer, Dependency, Image};

use super::changes::Changes;
use super::file::{Beginning, FileText, LineRange, NoText, ReadKey, Structure, Unchanged};
use super::search::{CodeHits, Entries, Hits, Paths};
use super::typed::TypedLines;

/// What a tool found, before it is shaped.
#[derive(Debug, Clone)]
pub struct Findings {
    /// What it is.
    pub content: Content,
    /// What must be unchanged for the answer to hold.
    pub depends: Vec<Dependency>,
    /// Where it is from, if the work was not done again.
    pub earlier: Option<Earlier>,
    /// The read that it answers: asked for again at once, all is shown.
    pub(crate) read: Option<ReadKey>,
}

/// What was found.
#[derive(Debug, Clone)]
pub enum Content {
    /// Words.
    Text(String),
    /// The text of a file.
    File(FileText),
    /// The beginning of a file.
    Beginning(Beginning),
    /// The structure of a file.
    Structure(Structure),
    /// Lines of a file.
    Lines(LineRange),
    /// A file without text.
    NoText(NoText),
    /// A pointer to what is shown above.
    Unchanged(Unchanged),
    /// Lines that match.
    Hits(Hits),
    /// Paths that match.
    Paths(Paths),
    /// What folders hold.
    Entries(Entries),
    /// Parts of files.
    Code(CodeHits),
    /// Files that were changed.
    Changes(Changes),
    /// Output of a program, or an answer that is kept as text.
    Output(Output),
    /// A page of the web: its address and text.
    Page(String, String),
    /// Answers of several reads.
    Answers(Vec<ReadAnswer>),
}

/// A text, and what of it is data.
#[derive(Debug, Clone, Default)]
pub struct Output {
    pub(crate) text: String,
    pub(crate) data: Option<Value>,
    /// Whether what was asked for failed, though the tool did its work.
    pub(crate) is_error: bool,
}

/// One read of several, as it was answered.
#[derive(Debug, Clone)]
pub struct ReadAnswer {
    pub(crate) path: String,
    /// `None`: it was not read, as there was no room.
    pub(crate) text: Option<String>,
    pub(crate) images: Vec<Image>,
    pub(crate) is_error: bool,
}

/// An earlier answer that is used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Earlier {
    /// Hour, minute and second when it was given.
    pub time: (u8, u8, u8),
    /// Whether the call would have written something.
    pub is_write: bool,
}

impl Earlier {
    /// Says so.
    pub(crate) fn note(self) -> String {
        let (hour, minute, second) = self.time;
        let written = match self.is_write {
            true => "[nothing was written: the files hold this already]\n",
            false => "",
        };
        format!("{}\n{written}", cached_note(hour, minute, second))
    }
}

impl Findings {
    /// Words alone, which rest on nothing.
    pub fn text(text: impl Into<String>) -> Self {
        Content::Text(text.into()).into()
    }

    /// The same, resting on `depends`.
    #[must_use]
    pub(crate) fn resting_on(self, depends: Vec<Dependency>) -> Self {
        Self { depends, ..self }
    }

    /// Whether no work was done because an earlier answer still holds.
    pub(crate) fn is_cached(&self) -> bool {
        self.earlier.is_some() || matches!(self.content, Content::Unchanged(_))
    }

    /// The same as data, where there is any.
    pub(crate) fn data(&self) -> Option<Value> {
        match &self.content {
            Content::Hits(hits) => Some(hits.data()),
            Content::Paths(paths) => Some(paths.data()),
            Content::Code(hits) => Some(hits.data()),
            Content::Output(output) => output.data.clone(),
            Content::Page(url, _) => Some(json!({ "url": url, "cached": self.is_cached() })),
            _ => None,
        }
    }
}

impl From<Content> for Findings {
    fn from(content: Content) -> Self {
        Self { content, depends: Vec::new(), earlier: None, read: None }
    }
}

impl Content {
    /// The text that the model is to be shown, and what its lines are.
    pub(crate) fn typed(&self) -> TypedLines {
        match self {
            Self::Text(text) | Self::Page(_, text) => text.clone().into(),
            Self::File(file) => file.typed(),
            Self::Beginning(beginning) => beginning.typed(),
            Self::Structure(structure) => structure.typed(),
            Self::Lines(lines) => lines.typed(),
            Self::NoText(file) => file.render().into(),
            Self::Unchanged(pointer) => pointer.render().into(),
            Self::Hits(hits) => hits.typed(),
            Self::Paths(paths) => paths.render().into(),
            Self::Entries(entries) => entries.render().into(),
            Self::Code(hits) => hits.render().into(),
            Self::Changes(changes) => changes.render().into(),
            Self::Output(output) => output.text.clone().into(),
            Self::Answers(answers) => {
                answers.iter().map(ReadAnswer::render).collect::<String>().into()
            }
        }
    }

    /// Whether it only tells of answers, and so is none that another could point at.
    pub(crate) fn is_about_answers(&self) -> bool {
        matches!(self, Self::Unchanged(_) | Self::Answers(_))
    }

    /// Whether what was asked for failed.
    pub(crate) fn is_error(&self) -> bool {
        matches!(self, Self::Output(output) if output.is_error)
    }

    /// The arguments as they were carried out, where these are not those of the call.
    pub(crate) fn carried_out(&self) -> Option<Value> {
        match self {
            Self::File(file) => Some(file.carried_out()),
            Self::Beginning(beginning) => Some(beginning.carried_out()),
            Self::Structure(structure) => Some(structure.carried_out()),
            _ => None,
        }
    }

    /// The pictures in it.
    pub(crate) fn images(&self) -> Vec<Image> {
        match self {
            Self::NoText(file) => file.image.iter().cloned().collect(),
            Self::Answers(answers) => {
                answers.iter().flat_map(|answer| answer.images.iter().cloned()).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl ReadAnswer {
    /// A read that was carried out.
    pub(crate) fn of(path: &str, answer: Answer) -> Self {
        let Answer { text, images, is_error, .. } = answer;
        Self { path: path.to_owned(), text: Some(text), images, is_error }
    }

    /// A read for which there was no room.
    pub(crate) fn unread(path: &str) -> Self {
        Self { path: path.to_owned(), text: None, images: Vec::new(), is_error: false }
    }

    /// The answer; one that failed is named.
    pub(crate) fn render(&self) -> String {
        let path = &self.path;
        let Some(text) = &self.text else {
            return format!("File: {path} (not read: the answer is long already)\n");
        };
        let failed = if self.is_error { format!("File: {path} (failed)\n") } else { String::new() };
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        failed + text + end
    }
}
