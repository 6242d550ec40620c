//! What the rules say of an access, and which of them says it.

use super::access::Verdict;

/// What the rules say of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decided {
    /// What is said.
    pub(crate) verdict: Verdict,
    /// The rule that says it, by its place; `None`: no rule does.
    pub(crate) rule: Option<usize>,
}

impl Decided {
    /// What holds without a rule.
    pub(crate) fn without_rule(verdict: Verdict) -> Self {
        Self { verdict, rule: None }
    }

    /// The stricter of two; this one if they are alike.
    pub(crate) fn stricter(self, other: Self) -> Self {
        if other.verdict > self.verdict { other } else { self }
    }
}
