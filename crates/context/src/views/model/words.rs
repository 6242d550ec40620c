//! What a model says of its choice, as notes beside the lines.

use foveal_transcript::LineNumber;

use super::curation::{Curation, Reason};
use crate::views::{Label, View};

/// Characters of what a model says in one note.
const WORDS_LENGTH_MAX: usize = 160;

/// Reasons that are told of one file.
const REASONS_MAX: usize = 24;

impl Curation {
    /// The view with what the model says of it: of the whole before the first line, of each range
    /// before its own. Each says that a model said it: what a file holds may have led it to.
    pub fn told(self) -> View {
        let Curation { mut view, reasons, summary, .. } = self;
        let label = |line: LineNumber, said: &str| {
            let text = format!("a model chose these lines: {}", plain(said)).into();
            Label { line, text }
        };
        let first = view.lines.first().map(|(first, _)| *first);
        if let (Some(line), Some(summary)) = (first, &summary) {
            let text = format!("a model chose what is shown, and says: {}", plain(summary)).into();
            view.remarks.push(Label { line, text });
        }
        let reasons = reasons.iter().take(REASONS_MAX);
        view.remarks.extend(reasons.map(|Reason { first, text, .. }| label(*first, text)));
        view
    }
}

/// Words that look like no part of a note.
fn plain(said: &str) -> String {
    let said = said.replace("expand ", "expand\u{a0}");
    let plain = said.chars().map(|sign| match sign {
        '[' => '(',
        ']' => ')',
        sign if sign.is_control() => ' ',
        sign => sign,
    });
    let plain: String = plain.take(WORDS_LENGTH_MAX).collect();
    plain.trim().to_owned()
}
