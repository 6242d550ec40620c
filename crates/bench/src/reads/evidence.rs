//! What tells that an agent used a line.

/// How an agent uses a line that it has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// It changes the line.
    Edited,
    /// It repeats the line in its text.
    Quoted,
    /// It asks for the line again by its number.
    Reread,
}

/// Every kind of evidence.
pub const EVIDENCE: &[Evidence] = &[Evidence::Edited, Evidence::Quoted, Evidence::Reread];
