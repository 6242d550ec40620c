//! All rules, in order.

use serde::{Deserialize, Serialize};

use super::access::{Access, Verdict};
use super::command;
use super::rule::{Rule, matches, names_files};

/// Rules in order; the last that matches counts. Accesses with a concern are asked about where no
/// rule names their subject in more than wildcards.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Policy {
    /// The rules.
    pub rules: Vec<Rule>,
}

impl Policy {
    /// What the rules say of an access. Without rules, everything is allowed but accesses with a
    /// concern.
    pub(crate) fn verdict(&self, access: &Access<'_>) -> Verdict {
        if access.command.is_some() {
            return command::verdict(&self.rules, access);
        }
        let matching = self.rules.iter().rev().find(|rule| {
            // A rule for everything in a folder was not made with secrets in mind.
            (access.concern.is_none()
                || names_files(&rule.subject)
                || rule.verdict == Verdict::Deny)
                && matches(&rule.tool, access.tool)
                && matches(&rule.subject, access.subject)
        });
        match (matching, access.concern) {
            (Some(rule), _) => rule.verdict,
            (None, Some(_)) => Verdict::Ask,
            (None, None) => Verdict::Allow,
        }
    }
}

#[cfg(test)]
mod tests;
