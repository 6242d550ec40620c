//! All rules, in order.

use foveal_web::normal_glob;
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
    /// Whether a rule forbids or asks about commands.
    pub(crate) fn limits_commands(&self) -> bool {
        self.rules.iter().any(|rule| rule.verdict != Verdict::Allow && command::may_be_for(rule))
    }

    /// Why a command is asked about, for a person.
    pub(crate) fn ask_reason(&self, access: &Access<'_>) -> String {
        command::ask_reason(&self.rules, access)
    }

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

/// Whether a rule is about the subject. Of addresses, rules that ask or forbid, and those that
/// allow one address alone, are also about what was written.
fn is_about(rule: &Rule, access: &Access<'_>) -> bool {
    let Some(written) = access.written else { return matches(&rule.subject, access.subject) };
    let by_words = rule.verdict != Verdict::Allow && matches(&rule.subject, written);
    by_words
        || rule.subject == written
        || matches(&rule.subject, access.subject)
        || matches(&normal_glob(&rule.subject), access.subject)
}

#[cfg(test)]
mod tests;
