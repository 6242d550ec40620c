//! A model's reasons and summary, as remarks of the view.

use foveal_transcript::LineNumber;

use super::curation::{Curation, RangeReason};
use crate::views::{LineLabel, LineSelection};

/// Largest length of the model's words in one note, in characters.
const REMARK_LENGTH_MAX: usize = 160;

/// Largest number of reasons shown for one file.
const REASONS_MAX: usize = 24;

impl Curation {
    /// Returns the view with the summary as a remark before the first line and each reason before
    /// its range. Each remark says that it is a model's, since the file's content may have
    /// influenced it.
    pub fn into_view(self) -> LineSelection {
        let Curation { mut view, reasons, summary, .. } = self;
        let label = |line: LineNumber, said: &str| {
            let text = format!("a model chose these lines: {}", sanitize_remark(said)).into();
            LineLabel { line, text }
        };
        let first = view.lines.first().map(|(first, _)| *first);
        if let (Some(line), Some(summary)) = (first, &summary) {
            let text =
                format!("a model chose what is shown, and says: {}", sanitize_remark(summary))
                    .into();
            view.remarks.push(LineLabel { line, text });
        }
        let reasons = reasons.iter().take(REASONS_MAX);
        view.remarks.extend(reasons.map(|RangeReason { first, text, .. }| label(*first, text)));
        view
    }
}

/// Removes from the model's words all that looks like a part of a note.
fn sanitize_remark(said: &str) -> String {
    let said = said.replace("expand ", "expand\u{a0}");
    let plain = said.chars().map(|sign| match sign {
        '[' => '(',
        ']' => ')',
        sign if sign.is_control() => ' ',
        sign => sign,
    });
    let plain: String = plain.take(REMARK_LENGTH_MAX).collect();
    plain.trim().to_owned()
}
