//! The questions and their answers, and when a found place is one of them.

use std::collections::BTreeMap;

use foveal_code::{LineNumber, LineRange};
use serde::Deserialize;

use crate::measure::Place;

/// Lines of a found place at most, for it to count where it holds more than the answer.
const LINES_MAX: u32 = 60;

/// One half chose the ranking's numbers, the other did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Half {
    A,
    B,
}

/// A question with the places that answer it.
#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    /// `owner/name`.
    pub(crate) repository: String,
    pub(crate) question: String,
    pub(crate) answers: Vec<Answer>,
}

/// A place that answers a question.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    pub(crate) path: String,
    /// What it is called there.
    pub(crate) entity: String,
    /// Of it with its documentation.
    first_line: u32,
    /// Where its name stands.
    pub(crate) name_line: u32,
    last_line: u32,
}

/// The questions of `text`, one a line.
pub(crate) fn read(text: &str) -> Result<Vec<Question>, serde_json::Error> {
    text.lines().map(serde_json::from_str).collect()
}

/// The questions of each repository, in order.
pub(crate) fn by_repository(questions: &[Question]) -> BTreeMap<&str, Vec<&Question>> {
    let mut all: BTreeMap<&str, Vec<&Question>> = BTreeMap::new();
    for question in questions {
        all.entry(&question.repository).or_default().push(question);
    }
    all
}

impl Question {
    /// The name of the folder that holds the checkout.
    pub(crate) fn folder(&self) -> &str {
        self.repository.rsplit('/').next().unwrap_or(&self.repository)
    }

    /// By the lowest bit of the BLAKE3 of repository and question: nobody chose it.
    pub(crate) fn half(&self) -> Half {
        let hash = blake3::hash(format!("{}\n{}", self.repository, self.question).as_bytes());
        if hash.as_bytes()[0] & 1 == 0 { Half::A } else { Half::B }
    }

    /// Which of `places` is the first right one, from 0 on.
    pub(crate) fn rank(&self, places: &[Place]) -> Option<usize> {
        places.iter().position(|place| self.answers.iter().any(|answer| answer.is_at(place)))
    }
}

impl Answer {
    /// Whether `place` shows the answer: it lies within its lines, or it is short and holds
    /// the line of its name.
    fn is_at(&self, place: &Place) -> bool {
        let own = LineRange::new(LineNumber(self.first_line), LineNumber(self.last_line));
        let short = place.lines.count() <= LINES_MAX;
        place.path == self.path
            && (own.covers(place.lines)
                || short && place.lines.contains(LineNumber(self.name_line)))
    }

    /// What is wrong with it in a file that holds `text`.
    pub(crate) fn problem(&self, text: &str) -> Option<&'static str> {
        let lines: Vec<&str> = text.lines().collect();
        let name = self.entity.rsplit(['.', ':']).next().unwrap_or(&self.entity);
        let line = lines.get((self.name_line as usize).saturating_sub(1));
        if self.first_line > self.name_line || self.name_line > self.last_line {
            Some("the lines are out of order")
        } else if self.last_line as usize > lines.len() {
            Some("the file is shorter")
        } else if !line.is_some_and(|line| line.contains(name)) {
            Some("the name does not stand in its line")
        } else {
            None
        }
    }
}
