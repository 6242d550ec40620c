//! What is asked of a file: the parts of a conversation that say which lines matter.

use foveal_transcript::LineNumber;
use serde::{Deserialize, Serialize};

/// Who said a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Voice {
    /// The user's task, a commit's first line, or a plain query.
    Task,
    /// What explains the task further.
    Detail,
    /// The model's text and reasoning.
    Assistant,
    /// Arguments of its calls.
    Arguments,
    /// What calls answered.
    Result,
}

/// A piece of text that says what is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phrase {
    /// The text.
    pub text: String,
    /// Who said it.
    pub voice: Voice,
    /// How many responses of the model came after it; 0 is the latest.
    pub age: u32,
}

/// A line of a file that was told by its number: a search hit, a stack frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldLine {
    /// The file as it was written there; it may be shortened or absolute.
    pub path: String,
    /// The line.
    pub line: LineNumber,
    /// How many responses of the model came after it; 0 is the latest.
    pub age: u32,
}

impl ToldLine {
    /// Whether it may be of the file at `path`: one path ends with the other, at a folder's
    /// name.
    pub fn may_be_of(&self, path: &str) -> bool {
        let (told, path) = (self.path.trim_start_matches("./"), path.trim_start_matches("./"));
        let (long, short) = if told.len() >= path.len() { (told, path) } else { (path, told) };
        let rest = long.strip_suffix(short);
        !short.is_empty()
            && rest.is_some_and(|rest| {
                rest.is_empty() || rest.ends_with('/') || short.starts_with('/')
            })
    }
}

/// What a conversation gives to rank lines by. Empty where nothing is known; then structure
/// alone decides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Texts, in no particular order.
    pub phrases: Vec<Phrase>,
    /// Lines told by number.
    pub told: Vec<ToldLine>,
    /// Files edited so far.
    pub edited: Vec<String>,
}

impl Question {
    /// The question in `text`: a query, or a commit message whose first line says most.
    pub fn of_text(text: &str) -> Self {
        let text = text.trim();
        let (title, detail) = text.split_once('\n').unwrap_or((text, ""));
        let detail: Vec<&str> = detail.lines().filter(|line| !is_trailer(line)).collect();
        let mut question = Self::default();
        question.say(title, Voice::Task, 0);
        question.say(&detail.join("\n"), Voice::Detail, 0);
        question
    }

    /// Adds a phrase unless it is blank.
    pub fn say(&mut self, text: &str, voice: Voice, age: u32) {
        if !text.trim().is_empty() {
            self.phrases.push(Phrase { text: text.to_owned(), voice, age });
        }
    }

    /// Whether a model has spoken or called a tool.
    pub(crate) fn is_of_conversation(&self) -> bool {
        let is_task = |phrase: &Phrase| matches!(phrase.voice, Voice::Task | Voice::Detail);
        !self.phrases.iter().all(is_task)
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.told.is_empty()
    }
}

/// Whether a line of a commit message is about who made it.
fn is_trailer(line: &str) -> bool {
    let Some((key, _)) = line.split_once(": ") else { return false };
    let key = key.trim();
    !key.contains(' ') && (key.ends_with("-by") || key.ends_with("-By") || key == "Change-Id")
}
