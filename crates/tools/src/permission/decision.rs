//! A decision of the permission rules.

use super::access::Verdict;

/// A decision of the permission rules about an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PermissionDecision {
    /// The decided effect.
    pub(crate) verdict: Verdict,
    /// The index of the deciding rule; `None` if no rule applies.
    pub(crate) rule: Option<usize>,
}

impl PermissionDecision {
    /// Creates a decision that no rule makes.
    pub(crate) fn without_rule(verdict: Verdict) -> Self {
        Self { verdict, rule: None }
    }

    /// Returns the stricter of two decisions; `self` if they are equal.
    pub(crate) fn stricter_of(self, other: Self) -> Self {
        if other.verdict > self.verdict { other } else { self }
    }
}
