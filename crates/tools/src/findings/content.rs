//! What one call found, whatever it was, and the text made of it.

use serde_json::{Value, json};

use foveal_context::note::{AnswerNote, Showing};

use crate::answer::{Answer, Dependency, Image};

use super::changes::Changes;
use super::file::{Beginning, FileText, LineRange, NoText, ReadKey, Structure, Unchanged};
use super::heading::named;
use super::search::{CodeHits, Entries, Hits, Paths};
use super::text::AnswerText;

/// What a tool found, before it is shaped.
#[derive(Debug, Clone)]
pub(crate) struct Findings {
    /// What it is.
    pub(crate) content: Content,
    /// What must be unchanged for the answer to hold.
    pub(crate) depends: Vec<Dependency>,
    /// Where it is from, if the work was not done again.
    pub(crate) earlier: Option<Earlier>,
    /// The read that it answers: asked for again at once, all is shown.
    pub(crate) read: Option<ReadKey>,
    /// Whether all of it is wanted, whatever stands above.
    pub(crate) is_wanted_whole: bool,
}

/// What was found.
#[derive(Debug, Clone)]
pub(crate) enum Content {
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
    /// A page of the web.
    Page(Page),
    /// Answers of several reads.
    Answers(Vec<ReadAnswer>),
}

/// A text, and what of it is data.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    pub(crate) text: AnswerText,
    pub(crate) data: Option<Value>,
    /// Whether what was asked for failed, though the tool did its work.
    pub(crate) is_error: bool,
    /// Whether a command ran to its end and said so with an exit code.
    pub(crate) has_exit_code: bool,
    /// Whether the call was stopped, so that nobody reads this.
    pub(crate) is_stopped: bool,
}

/// A page of the web.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    /// Its address.
    pub(crate) url: String,
    pub(crate) text: String,
    /// Whether it goes on.
    pub(crate) is_cut: bool,
    /// Whether it is its text alone, without what its markup means.
    pub(crate) is_plain: bool,
}

/// One read of several, as it was answered.
#[derive(Debug, Clone)]
pub(crate) struct ReadAnswer {
    text: AnswerText,
    images: Vec<Image>,
}

/// An earlier answer that is used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Earlier {
    /// Hour, minute and second when it was given.
    pub(crate) time: (u8, u8, u8),
    /// Whether the call would have written something.
    pub(crate) is_write: bool,
}

impl Earlier {
    /// Says so.
    pub(crate) fn notes(self) -> impl Iterator<Item = AnswerNote> {
        let (hour, minute, second) = self.time;
        let written = self.is_write.then_some(AnswerNote::NothingWritten);
        [AnswerNote::Cached { hour, minute, second }].into_iter().chain(written)
    }
}

impl Findings {
    /// A text, which rests on nothing.
    pub(crate) fn text(text: AnswerText) -> Self {
        Content::Output(Output { text, ..Output::default() }).into()
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
            Content::Page(page) => Some(json!({ "url": page.url, "cached": self.is_cached() })),
            _ => None,
        }
    }
}

impl From<Content> for Findings {
    fn from(content: Content) -> Self {
        let is_wanted_whole = false;
        Self { content, depends: Vec::new(), earlier: None, read: None, is_wanted_whole }
    }
}

impl Content {
    /// The text that the model is to be shown. Output is moved there.
    pub(crate) fn take_text(&mut self) -> AnswerText {
        match self {
            Self::File(file) => file.lines(),
            Self::Beginning(beginning) => beginning.lines(),
            Self::Structure(structure) => structure.lines(),
            Self::Lines(lines) => lines.lines(),
            Self::NoText(file) => file.note(),
            Self::Unchanged(pointer) => pointer.note(),
            Self::Hits(hits) => hits.lines(),
            Self::Paths(paths) => paths.lines(),
            Self::Entries(entries) => entries.lines(),
            Self::Code(hits) => hits.lines(),
            Self::Changes(changes) => changes.lines(),
            Self::Output(output) => std::mem::take(&mut output.text),
            Self::Page(page) => page.lines(),
            Self::Answers(answers) => {
                let mut text = AnswerText::default();
                answers.iter_mut().for_each(|answer| text.append(std::mem::take(&mut answer.text)));
                text
            }
        }
    }

    /// The path that stands before its text; empty where none does.
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::File(file) => &file.path,
            Self::Beginning(beginning) => &beginning.path,
            _ => "",
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

    /// Whether it is of a command that ran to its end, whatever came of it.
    pub(crate) fn has_exit_code(&self) -> bool {
        matches!(self, Self::Output(output) if output.has_exit_code)
    }

    /// Whether it is what a call found before it was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self, Self::Output(output) if output.is_stopped)
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

impl Page {
    fn lines(&mut self) -> AnswerText {
        let mut text = AnswerText::of_content(std::mem::take(&mut self.text));
        if self.is_cut {
            text.content("\n");
            text.note(AnswerNote::PageCut);
        }
        if self.is_plain {
            text.content("\n");
            text.note(AnswerNote::PagePlain);
        }
        text
    }
}

impl ReadAnswer {
    /// A read that was carried out; one that failed is named.
    pub(crate) fn of(path: &str, answer: Answer) -> Self {
        let Answer { text, rows, images, is_error, .. } = answer;
        let mut all = AnswerText::default();
        if is_error {
            all.note(named(path, Showing::Failed));
        }
        all.append(AnswerText::of_rows(text, rows));
        all.end_line();
        Self { text: all, images }
    }

    /// A read for which there was no room.
    pub(crate) fn unread(path: &str) -> Self {
        let mut text = AnswerText::default();
        text.note(named(path, Showing::NoRoom));
        Self { text, images: Vec::new() }
    }

    /// Its text.
    pub(crate) fn text(&self) -> &str {
        self.text.text()
    }
}
