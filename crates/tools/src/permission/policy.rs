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
                && is_about(rule, access)
        });
        match (matching, access.concern) {
            (Some(rule), _) => rule.verdict,
            (None, Some(_)) => Verdict::Ask,
            (None, None) => Verdict::Allow,
        }
    }
}

fn is_about(rule: &Rule, access: &Access<'_>) -> bool {
    let is_strict = rule.verdict != Verdict::Allow;
    matches(&rule.subject, access.subject)
        || access.written.is_some_and(|written| {
            matches(&of_address(&rule.subject), access.subject)
                || (is_strict && matches(&rule.subject, written))
        })
}

/// A glob over addresses with the scheme and the host in small letters, as addresses have them.
fn of_address(glob: &str) -> String {
    let after = glob.find("://").map_or(0, |at| at + 3);
    let end = glob[after..].find('/').map_or(glob.len(), |length| after + length);
    glob[..end].to_ascii_lowercase() + &glob[end..]
}

#[cfg(test)]
mod tests;
