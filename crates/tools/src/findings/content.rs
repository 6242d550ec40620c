//! The findings of one call, of any kind, and the text made of them.

use serde_json::{Value, json};

use crate::notes::{AnswerNote, FileDisplayMode};

use crate::answer::{AnswerDependency, AnswerImage, ToolCallAnswer};

use super::answer_text::AnswerText;
use super::changes::FileChanges;
use super::file::{
    FileBeginning, FileLines, FileStructure, FileText, NonTextFile, ReadKey, UnchangedFile,
};
use super::heading_notes::file_note;
use super::search::{FolderEntries, GlobPaths, GrepHits, IndexHits};

/// The findings of a tool, before they are shaped.
#[derive(Debug, Clone)]
pub(crate) struct Findings {
    /// The content.
    pub(crate) content: FindingContent,
    /// The conditions under which the answer may be reused.
    pub(crate) dependencies: Vec<AnswerDependency>,
    /// The earlier answer that is reused, if one is.
    pub(crate) reused: Option<ReusedAnswer>,
    /// The read that these findings answer. If the same read is repeated at once, the whole file is
    /// shown.
    pub(crate) read: Option<ReadKey>,
    /// Whether all of the content is wanted, even if parts of it are visible already.
    pub(crate) is_wanted_whole: bool,
}

/// The content of findings.
#[derive(Debug, Clone)]
pub(crate) enum FindingContent {
    /// The text of a file.
    File(FileText),
    /// The beginning of a file.
    Beginning(FileBeginning),
    /// The structure of a file.
    Structure(FileStructure),
    /// Lines of a file.
    Lines(FileLines),
    /// A file without text.
    NoText(NonTextFile),
    /// A pointer to content that is still visible.
    Unchanged(UnchangedFile),
    /// Matching lines.
    Hits(GrepHits),
    /// Matching paths.
    Paths(GlobPaths),
    /// The entries of folders.
    Entries(FolderEntries),
    /// Chunks of files from the index.
    Code(IndexHits),
    /// Changes to files.
    Changes(FileChanges),
    /// The output of a program, or an answer that was stored as text.
    Output(TextOutput),
    /// A web page.
    Page(FetchedPage),
    /// The answers of several reads.
    Answers(Vec<ReadAnswer>),
}

/// A text, with its structured data.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextOutput {
    pub(crate) text: AnswerText,
    pub(crate) data: Option<Value>,
    /// Whether the requested operation failed, although the tool worked.
    pub(crate) is_error: bool,
    /// Whether a command ran to its end and returned an exit code.
    pub(crate) has_exit_code: bool,
    /// Whether the call was stopped, so that the model does not read this.
    pub(crate) is_stopped: bool,
}

/// A web page.
#[derive(Debug, Clone)]
pub(crate) struct FetchedPage {
    /// Its address.
    pub(crate) url: String,
    pub(crate) text: String,
    /// Whether the text is cut at its end.
    pub(crate) is_cut: bool,
    /// Whether the text was extracted without interpretation of the markup.
    pub(crate) is_plain: bool,
}

/// The answer to one of several reads.
#[derive(Debug, Clone)]
pub(crate) struct ReadAnswer {
    path: String,
    text: AnswerText,
    /// Whether the text is not the whole file.
    is_truncated: bool,
    is_error: bool,
    /// Whether the text only points at an earlier answer.
    is_cached: bool,
    images: Vec<AnswerImage>,
}

/// An earlier answer that is reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReusedAnswer {
    /// Hour, minute and second of the earlier answer.
    pub(crate) time: (u8, u8, u8),
    /// Whether the call would have written something.
    pub(crate) is_write: bool,
}

impl ReusedAnswer {
    /// Returns the notes that name the earlier answer.
    pub(crate) fn notes(self) -> impl Iterator<Item = AnswerNote> {
        let (hour, minute, second) = self.time;
        let written = self.is_write.then_some(AnswerNote::NothingWritten);
        [AnswerNote::Cached { hour, minute, second }].into_iter().chain(written)
    }
}

impl Findings {
    /// Creates findings from a text, without dependencies.
    pub(crate) fn from_text(text: AnswerText) -> Self {
        FindingContent::Output(TextOutput { text, ..TextOutput::default() }).into()
    }

    /// Returns the findings with these dependencies.
    #[must_use]
    pub(crate) fn with_dependencies(self, depends: Vec<AnswerDependency>) -> Self {
        Self { dependencies: depends, ..self }
    }

    /// Returns whether an earlier answer still holds, so that no work was done.
    pub(crate) fn is_cached(&self) -> bool {
        self.reused.is_some()
            || match &self.content {
                FindingContent::Unchanged(_) => true,
                FindingContent::Answers(answers) => answers.iter().all(|answer| answer.is_cached),
                _ => false,
            }
    }

    /// Returns the structured data for the client, if there is any.
    pub(crate) fn structured_data(&self) -> Option<Value> {
        match &self.content {
            FindingContent::Hits(hits) => Some(hits.structured_data()),
            FindingContent::Paths(paths) => Some(paths.structured_data()),
            FindingContent::Code(hits) => Some(hits.structured_data()),
            FindingContent::Output(output) => output.data.clone(),
            FindingContent::Answers(answers) => {
                let files: Vec<Value> = answers.iter().map(ReadAnswer::structured_data).collect();
                Some(json!({ "type": "read_files", "files": files }))
            }
            FindingContent::Page(page) => {
                Some(json!({ "url": page.url, "cached": self.is_cached() }))
            }
            _ => None,
        }
    }
}

impl From<FindingContent> for Findings {
    fn from(content: FindingContent) -> Self {
        let is_wanted_whole = false;
        Self { content, dependencies: Vec::new(), reused: None, read: None, is_wanted_whole }
    }
}

impl FindingContent {
    /// Returns the text for the model. The text of an output is moved out of it.
    pub(crate) fn take_text(&mut self) -> AnswerText {
        match self {
            Self::File(file) => file.render(),
            Self::Beginning(beginning) => beginning.render(),
            Self::Structure(structure) => structure.render(),
            Self::Lines(lines) => lines.render(),
            Self::NoText(file) => file.render(),
            Self::Unchanged(pointer) => pointer.render(),
            Self::Hits(hits) => hits.render(),
            Self::Paths(paths) => paths.render(),
            Self::Entries(entries) => entries.render(),
            Self::Code(hits) => hits.render(),
            Self::Changes(changes) => changes.render(),
            Self::Output(output) => std::mem::take(&mut output.text),
            Self::Page(page) => page.render(),
            Self::Answers(answers) => {
                let mut text = AnswerText::default();
                answers
                    .iter_mut()
                    .for_each(|answer| text.append_answer(std::mem::take(&mut answer.text)));
                text
            }
        }
    }

    /// Returns the path in the heading; empty if the content has no heading.
    pub(crate) fn heading_path(&self) -> &str {
        match self {
            Self::File(file) => &file.path,
            Self::Beginning(beginning) => &beginning.path,
            _ => "",
        }
    }

    /// Returns whether the content only refers to other answers, so that later answers cannot point
    /// at it.
    pub(crate) fn refers_to_answers(&self) -> bool {
        matches!(self, Self::Unchanged(_) | Self::Answers(_))
    }

    /// Returns whether the requested operation failed.
    pub(crate) fn is_error(&self) -> bool {
        matches!(self, Self::Output(output) if output.is_error)
    }

    /// Returns whether a command ran to its end, whatever its exit code.
    pub(crate) fn has_exit_code(&self) -> bool {
        matches!(self, Self::Output(output) if output.has_exit_code)
    }

    /// Returns whether the content was found before the call was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self, Self::Output(output) if output.is_stopped)
    }

    /// Returns the arguments as they were applied, if they differ from those of the call.
    pub(crate) fn effective_arguments(&self) -> Option<Value> {
        match self {
            Self::File(file) => Some(file.effective_arguments()),
            Self::Beginning(beginning) => Some(beginning.effective_arguments()),
            Self::Structure(structure) => Some(structure.effective_arguments()),
            _ => None,
        }
    }

    /// Returns the images in the content.
    pub(crate) fn images(&self) -> Vec<AnswerImage> {
        match self {
            Self::NoText(file) => file.image.iter().cloned().collect(),
            Self::Answers(answers) => {
                answers.iter().flat_map(|answer| answer.images.iter().cloned()).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl FetchedPage {
    fn render(&mut self) -> AnswerText {
        let mut text = AnswerText::from_content(std::mem::take(&mut self.text));
        if self.is_cut {
            text.push_content("\n");
            text.push_note(AnswerNote::PageCut);
        }
        if self.is_plain {
            text.push_content("\n");
            text.push_note(AnswerNote::PagePlain);
        }
        text
    }
}

impl ReadAnswer {
    /// Creates the answer of a read that was executed; a failed one starts with a note that names
    /// the file.
    pub(crate) fn new(path: &str, answer: ToolCallAnswer) -> Self {
        let ToolCallAnswer { text, rows, images, is_error, cached, shows_whole_file, .. } = answer;
        let mut all = AnswerText::default();
        if is_error {
            all.push_note(file_note(path, FileDisplayMode::Failed));
        }
        all.append_answer(AnswerText::from_rows(text, rows));
        all.finish_line();
        Self {
            path: path.to_owned(),
            text: all,
            is_truncated: !shows_whole_file,
            is_error,
            is_cached: cached,
            images,
        }
    }

    /// Creates the answer of a read that was skipped, since the output budget was spent.
    pub(crate) fn new_skipped(path: &str) -> Self {
        let mut text = AnswerText::default();
        text.push_note(file_note(path, FileDisplayMode::NoRoom));
        let path = path.to_owned();
        Self {
            path,
            text,
            is_truncated: true,
            is_error: false,
            is_cached: false,
            images: Vec::new(),
        }
    }

    /// Returns the file with the text that the answer shows of it, notes included, and whether that
    /// is less than the whole file.
    fn structured_data(&self) -> Value {
        let mut file = json!({ "path": self.path, "content": self.text() });
        if self.is_error {
            file["error"] = json!(true);
        } else if self.is_truncated {
            file["truncated"] = json!(true);
        }
        file
    }

    /// Returns the text of the answer.
    pub(crate) fn text(&self) -> &str {
        self.text.as_str()
    }
}
