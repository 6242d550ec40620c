//! Evidence that an agent used a line.

/// A kind of use of a line that an agent has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum UsageEvidence {
    /// It changes the line.
    Edited,
    /// It repeats the line in its text.
    Quoted,
    /// It asks for the line again by its number.
    Reread,
}

/// Every kind of evidence.
pub(crate) const EVIDENCE: &[UsageEvidence] =
    &[UsageEvidence::Edited, UsageEvidence::Quoted, UsageEvidence::Reread];
