//! Explanations of the tools' decisions, for a user who asks for them.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use foveal_engine::views::CurationRecord;
use foveal_screen::numbers::PlainCount;

use crate::read_view::ReadView;
use crate::session::LineCounts;

/// A decision of the tools, with its reasons.
#[derive(Debug, Clone, Copy)]
pub enum Explanation<'a> {
    /// A file was read.
    FileRead {
        /// The file, as the call names it.
        path: &'a str,
        /// The view that the read asks for.
        view: &'a ReadView,
        /// The numbers of lines in the file and in the answer.
        lines: LineCounts,
        /// The kind of reduction in one word, if the file was reduced.
        kind: Option<&'static str>,
        /// The model that chose the lines, if one did.
        chosen_by: Option<&'a CurationRecord>,
    },
    /// A file that was read or written was queued for the index.
    FileQueued {
        /// The file.
        path: &'a Path,
    },
    /// The index was updated.
    IndexUpdated {
        /// The outcome of the update, or its error.
        outcome: &'a str,
    },
}

/// The subject of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplanationTopic {
    /// The shown part of a file.
    Reads,
    /// The index.
    Index,
}

/// A receiver of explanations. It must not block.
#[derive(Clone)]
pub struct ExplanationSink(Arc<dyn Fn(Explanation<'_>) + Send + Sync>);

impl ExplanationSink {
    /// Creates a sink that passes explanations to `tell`.
    pub fn new(tell: impl Fn(Explanation<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(crate) fn emit(&self, explained: Explanation<'_>) {
        (self.0)(explained);
    }
}

impl Default for ExplanationSink {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for ExplanationSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Explain")
    }
}

impl Explanation<'_> {
    /// Returns the subject of the explanation.
    pub fn topic(&self) -> ExplanationTopic {
        match self {
            Self::FileRead { .. } => ExplanationTopic::Reads,
            Self::FileQueued { .. } | Self::IndexUpdated { .. } => ExplanationTopic::Index,
        }
    }
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FileRead { path, view, lines, kind, chosen_by: by } => {
                let LineCounts { all, shown } = lines;
                write!(f, "{path} has {}, ", PlainCount::new(*all, "line"))?;
                match view {
                    ReadView::Auto { small, .. } if all <= small => {
                        write!(f, "no more than the limit of {small}: all are requested")?;
                    }
                    ReadView::Auto { large: Some(large), .. } if all > large => {
                        write!(f, "more than {large}: at most a fifth is requested")?;
                    }
                    ReadView::Auto { small, .. } => {
                        write!(f, "more than the limit of {small}: relevant ones are requested")?;
                    }
                    ReadView::Curated => f.write_str("of which relevant ones are requested")?,
                    ReadView::Whole => f.write_str("all of which are requested")?,
                    ReadView::Lines(ranges) => {
                        write!(f, "of which {} new ranges are requested", ranges.len())?;
                    }
                }
                write!(f, "; {shown} are shown")?;
                if let Some(kind) = kind {
                    write!(f, ", {kind}")?;
                }
                match by {
                    Some(by) => write!(f, ", chosen by {} in {} ms", by.model, by.time_ms),
                    None if *kind == Some("curated") => f.write_str(", by the built-in curator"),
                    None => Ok(()),
                }
            }
            Self::FileQueued { path } => write!(f, "{} is queued", path.display()),
            Self::IndexUpdated { outcome } => f.write_str(outcome),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_decision_is_told_in_a_line() {
        let read = |view: &ReadView, all, shown, kind| {
            let lines = LineCounts { all, shown };
            Explanation::FileRead { path: "a.rs", view, lines, kind, chosen_by: None }.to_string()
        };
        assert_eq!(
            read(&ReadView::Auto { small: 100, large: Some(500) }, 345, 120, Some("curated")),
            "a.rs has 345 lines, more than the limit of 100: relevant ones are requested; 120 are \
             shown, curated, by the built-in curator"
        );
        assert_eq!(
            read(&ReadView::Auto { small: 100, large: None }, 45, 45, None),
            "a.rs has 45 lines, no more than the limit of 100: all are requested; 45 are shown"
        );
        assert_eq!(
            read(&ReadView::Auto { small: 100, large: Some(500) }, 501, 90, Some("curated")),
            "a.rs has 501 lines, more than 500: at most a fifth is requested; 90 are shown, \
             curated, by the built-in curator"
        );
    }
}
