//! What the tools decided and why, for a person who wants to know.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use foveal_context::views::ChosenBy;

use crate::read_view::ReadView;
use crate::session::LineCounts;

/// Something that was decided.
#[derive(Debug, Clone, Copy)]
pub enum Explained<'a> {
    /// A file was read.
    Read {
        /// The file, as the call names it.
        path: &'a str,
        /// What the read is to show.
        view: &'a ReadView,
        /// Lines of it, and those that are shown.
        lines: LineCounts,
        /// What stands in the place of all of it, in a word, if anything does.
        kind: Option<&'static str>,
        /// The model that chose that, if one did.
        by: Option<&'a ChosenBy>,
    },
    /// A file that was read or written is to be looked at by the index.
    Queued {
        /// The file.
        path: &'a Path,
    },
    /// The index was brought up to date.
    Indexed {
        /// What it came to, or what failed.
        outcome: &'a str,
    },
}

/// What it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// How much of files is shown.
    Reads,
    /// The index.
    Index,
}

/// Who is told. It must not wait.
#[derive(Clone)]
pub struct Explain(Arc<dyn Fn(Explained<'_>) + Send + Sync>);

impl Explain {
    /// Tells `tell`.
    pub fn to(tell: impl Fn(Explained<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(crate) fn tell(&self, explained: Explained<'_>) {
        (self.0)(explained);
    }
}

impl Default for Explain {
    fn default() -> Self {
        Self::to(|_| {})
    }
}

impl fmt::Debug for Explain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Explain")
    }
}

impl Explained<'_> {
    /// What it is about.
    pub fn topic(&self) -> Topic {
        match self {
            Self::Read { .. } => Topic::Reads,
            Self::Queued { .. } | Self::Indexed { .. } => Topic::Index,
        }
    }
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, view, lines, kind, by } => {
                let LineCounts { all, shown } = lines;
                write!(f, "{path} has {all} lines, ")?;
                match view {
                    ReadView::Auto { small, .. } if all <= small => {
                        write!(f, "no more than the limit of {small}: all are wanted")?;
                    }
                    ReadView::Auto { large: Some(large), .. } if all > large => {
                        write!(f, "more than {large}: at most a fifth is wanted, what matters")?;
                    }
                    ReadView::Auto { small, .. } => {
                        write!(f, "more than the limit of {small}: what matters is wanted")?;
                    }
                    ReadView::Curated => f.write_str("of which what matters is asked for")?,
                    ReadView::Whole => f.write_str("all of which are asked for")?,
                    ReadView::Lines(ranges) => {
                        write!(f, "of which what is new is wanted, {} ranges", ranges.len())?;
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
            Self::Queued { path } => write!(f, "{} is queued", path.display()),
            Self::Indexed { outcome } => f.write_str(outcome),
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
            Explained::Read { path: "a.rs", view, lines, kind, by: None }.to_string()
        };
        assert_eq!(
            read(&ReadView::Auto { small: 100, large: Some(500) }, 345, 120, Some("curated")),
            "a.rs has 345 lines, more than the limit of 100: what matters is wanted; 120 are shown, \
             curated, by the built-in curator"
        );
        assert_eq!(
            read(&ReadView::Auto { small: 100, large: None }, 45, 45, None),
            "a.rs has 45 lines, no more than the limit of 100: all are wanted; 45 are shown"
        );
        assert_eq!(
            read(&ReadView::Auto { small: 100, large: Some(500) }, 501, 90, Some("curated")),
            "a.rs has 501 lines, more than 500: at most a fifth is wanted, what matters; 90 are \
             shown, curated, by the built-in curator"
        );
    }
}
