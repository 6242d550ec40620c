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
                && is_about(rule, access)
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
