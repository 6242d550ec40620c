//! The set of questions with their answers, and the comparison of hits with answers.

use std::collections::BTreeMap;

use foveal_syntax::LineRange;
use foveal_transcript::LineNumber;
use serde::Deserialize;

use crate::ranking_metrics::FoundPlace;

/// The greatest number of lines of a hit that counts although it holds more than the answer.
const PLACE_LINES_MAX: u32 = 60;

/// The half of the set: the ranking was fitted on half A only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum QuestionHalf {
    A,
    B,
}

/// A question with its answers.
#[derive(Debug, Deserialize)]
pub(crate) struct LabelledQuestion {
    /// `owner/name`.
    pub(crate) repository: String,
    pub(crate) question: String,
    pub(crate) answers: Vec<LabelledAnswer>,
}

/// An entity that answers a question.
#[derive(Debug, Deserialize)]
pub(crate) struct LabelledAnswer {
    pub(crate) path: String,
    /// The name of the entity.
    pub(crate) entity: String,
    /// The first line, including documentation.
    first_line: u32,
    /// The line of the name.
    pub(crate) name_line: u32,
    last_line: u32,
}

/// Parses the questions of `text`, one per line.
pub(crate) fn parse_questions(text: &str) -> Result<Vec<LabelledQuestion>, serde_json::Error> {
    text.lines().map(serde_json::from_str).collect()
}

/// Groups the questions by repository and keeps their order.
pub(crate) fn group_by_repository(
    questions: &[LabelledQuestion],
) -> BTreeMap<&str, Vec<&LabelledQuestion>> {
    let mut all: BTreeMap<&str, Vec<&LabelledQuestion>> = BTreeMap::new();
    for question in questions {
        all.entry(&question.repository).or_default().push(question);
    }
    all
}

impl LabelledQuestion {
    /// Returns the name of the folder with the checkout.
    pub(crate) fn folder_name(&self) -> &str {
        self.repository.rsplit('/').next().unwrap_or(&self.repository)
    }

    /// Returns the half by the lowest bit of the BLAKE3 hash of repository and question.
    pub(crate) fn half(&self) -> QuestionHalf {
        let hash = blake3::hash(format!("{}\n{}", self.repository, self.question).as_bytes());
        if hash.as_bytes()[0] & 1 == 0 { QuestionHalf::A } else { QuestionHalf::B }
    }

    /// Returns the rank of the first of `places` that shows an answer, from 0.
    pub(crate) fn answer_rank(&self, places: &[FoundPlace]) -> Option<usize> {
        places.iter().position(|place| self.answers.iter().any(|answer| answer.is_shown_by(place)))
    }
}

impl LabelledAnswer {
    /// Returns whether `place` shows the answer: it lies within the answer's lines, or it is short
    /// and contains the line of the name.
    fn is_shown_by(&self, place: &FoundPlace) -> bool {
        let own = LineRange::new(LineNumber(self.first_line), LineNumber(self.last_line));
        let short = place.lines.line_count() <= PLACE_LINES_MAX;
        place.path == self.path
            && (own.covers(place.lines)
                || short && place.lines.contains(LineNumber(self.name_line)))
    }

    /// Returns the problem of the answer in a file with content `text`, if there is one.
    pub(crate) fn find_problem(&self, text: &str) -> Option<&'static str> {
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
