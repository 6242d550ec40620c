//! The query of a curation: the parts of a conversation that indicate which lines matter.

use super::questions;
use foveal_transcript::LineNumber;
use serde::{Deserialize, Serialize};

/// The source of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PhraseSource {
    /// The user's task, the first line of a commit message, or a plain query.
    Task,
    /// Further explanation of the task.
    Detail,
    /// The model's text and reasoning.
    Assistant,
    /// Arguments of the model's tool calls.
    Arguments,
    /// Results of tool calls.
    Result,
}

/// A text that indicates which lines matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phrase {
    /// The text.
    pub text: String,
    /// The source of the text.
    pub voice: PhraseSource,
    /// The number of later responses of the model; 0 for the latest.
    pub age: u32,
}

/// A line that a conversation mentions by number, as search hits and stack frames do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MentionedLine {
    /// The path as written there; it may be shortened or absolute.
    pub path: String,
    /// The line.
    pub line: LineNumber,
    /// The number of later responses of the model; 0 for the latest.
    pub age: u32,
}

impl MentionedLine {
    /// Returns whether the line may be in the file at `path`: one path must end with the other, at
    /// a folder boundary.
    pub fn may_be_in_file(&self, path: &str) -> bool {
        let (told, path) = (self.path.trim_start_matches("./"), path.trim_start_matches("./"));
        let (long, short) = if told.len() >= path.len() { (told, path) } else { (path, told) };
        let rest = long.strip_suffix(short);
        !short.is_empty()
            && rest.is_some_and(|rest| {
                rest.is_empty() || rest.ends_with('/') || short.starts_with('/')
            })
    }
}

/// The query by which lines are ranked. An empty query ranks by structure alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurationQuery {
    /// The phrases, in no particular order.
    pub phrases: Vec<Phrase>,
    /// The lines mentioned by number.
    pub told: Vec<MentionedLine>,
    /// The files edited so far.
    pub edited: Vec<String>,
}

impl CurationQuery {
    /// Returns the query in `text`: a plain query, or a commit message whose first line counts
    /// most.
    pub fn from_text(text: &str) -> Self {
        let text = text.trim();
        let (title, detail) = text.split_once('\n').unwrap_or((text, ""));
        let detail: Vec<&str> = detail.lines().filter(|line| !is_trailer(line)).collect();
        let mut question = Self::default();
        question.add_phrase(title, PhraseSource::Task, 0);
        question.add_phrase(&detail.join("\n"), PhraseSource::Detail, 0);
        question
    }

    /// Adds a phrase unless it is blank.
    pub fn add_phrase(&mut self, text: &str, voice: PhraseSource, age: u32) {
        if !text.trim().is_empty() {
            self.phrases.push(Phrase { text: text.to_owned(), voice, age });
        }
    }

    /// Returns a query for each question of a task that consists of several, such as `how are
    /// redirects followed, and when is auth stripped?`; empty for any other task.
    pub(crate) fn split_questions(&self) -> Vec<Self> {
        let is_task = |phrase: &Phrase| phrase.voice == PhraseSource::Task;
        let Some(task) = self.phrases.iter().rposition(is_task) else { return Vec::new() };
        let whole = self.phrases[task].text.trim();
        let single = |part: &str| {
            let mut query = self.clone();
            // The arguments of a tool call repeat the question.
            query
                .phrases
                .iter_mut()
                .for_each(|phrase| phrase.text = phrase.text.replace(whole, part));
            query
        };
        questions::split_text(whole).into_iter().map(single).collect()
    }

    /// Returns whether the query has phrases of a model or its tool calls.
    pub(crate) fn is_from_conversation(&self) -> bool {
        let is_task =
            |phrase: &Phrase| matches!(phrase.voice, PhraseSource::Task | PhraseSource::Detail);
        !self.phrases.iter().all(is_task)
    }

    /// Returns whether there is neither a phrase nor a mentioned line.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.told.is_empty()
    }
}

/// Returns whether a line of a commit message is a trailer such as `Signed-off-by`.
fn is_trailer(line: &str) -> bool {
    let Some((key, _)) = line.split_once(": ") else { return false };
    let key = key.trim();
    !key.contains(' ') && (key.ends_with("-by") || key.ends_with("-By") || key == "Change-Id")
}
