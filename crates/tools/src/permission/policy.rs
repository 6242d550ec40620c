//! All rules, in order.

use serde::{Deserialize, Serialize};

use super::access::{Access, Verdict};
use super::command;
use super::decided::Decided;
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
    /// concern, and those outside of the folder that is meant.
    pub(crate) fn decide(&self, access: &Access<'_>) -> Decided {
        if access.command.is_some() {
            return command::decide(&self.rules, access);
        }
        let matching = self.rules.iter().rposition(|rule| {
            // A rule for everything in a folder was not made with secrets in mind, nor one for
            // everything with other folders.
            let is_meant = (access.concern.is_none() || names_files(&rule.subject))
                && (!access.is_outside || rule.subject.starts_with('/'));
            (is_meant || rule.verdict == Verdict::Deny)
                && matches(&rule.tool, access.tool)
                && matches(&rule.subject, access.subject)
        });
        match matching {
            Some(at) => Decided { verdict: self.rules[at].verdict, rule: Some(at) },
            None if access.concern.is_some() || access.is_outside => {
                Decided::without_rule(Verdict::Ask)
            }
            None => Decided::without_rule(Verdict::Allow),
        }
    }
}

#[cfg(test)]
mod tests;
