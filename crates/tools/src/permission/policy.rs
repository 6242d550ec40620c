//! The permission rules, in order.

use foveal_web::normalize_glob;
use serde::{Deserialize, Serialize};

use super::access::{Access, Verdict};
use super::command_rules;
use super::decision::PermissionDecision;
use super::rule::{PermissionRule, glob_matches, names_file};

/// Permission rules in order; the last match decides. The user is asked about an access that needs
/// extra care, unless a rule names its subject with more than wildcards.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PermissionPolicy {
    /// The rules.
    pub rules: Vec<PermissionRule>,
}

impl PermissionPolicy {
    /// Returns whether a rule forbids or asks about commands.
    pub(crate) fn limits_commands(&self) -> bool {
        self.rules
            .iter()
            .any(|rule| rule.verdict != Verdict::Allow && command_rules::may_match_commands(rule))
    }

    /// Returns the reason for the question about a command.
    pub(crate) fn ask_reason(&self, access: &Access<'_>) -> String {
        command_rules::ask_reason(&self.rules, access)
    }

    /// Returns the decision about an access. Without rules everything is allowed, except accesses
    /// that need extra care and files outside of the default folder.
    pub(crate) fn decide(&self, access: &Access<'_>) -> PermissionDecision {
        if access.command.is_some() {
            return command_rules::decide_command(&self.rules, access);
        }
        let matching = self.rules.iter().rposition(|rule| {
            // A rule for a whole folder is not meant to open secrets, nor a rule for everything to
            // open other folders.
            let is_meant = (access.concern.is_none() || names_file(&rule.subject))
                && (!access.is_outside || rule.subject.starts_with('/'));
            (is_meant || rule.verdict == Verdict::Deny)
                && glob_matches(&rule.tool, access.tool)
                && matches_subject(rule, access)
        });
        match matching {
            Some(at) => PermissionDecision { verdict: self.rules[at].verdict, rule: Some(at) },
            None if access.concern.is_some() || access.is_outside => {
                PermissionDecision::without_rule(Verdict::Ask)
            }
            None => PermissionDecision::without_rule(Verdict::Allow),
        }
    }
}

/// Returns whether a rule applies to the subject. For web addresses, rules that ask or forbid, and
/// rules that allow one address, apply to the written form too.
fn matches_subject(rule: &PermissionRule, access: &Access<'_>) -> bool {
    let Some(written) = access.written else { return glob_matches(&rule.subject, access.subject) };
    let by_words = rule.verdict != Verdict::Allow && glob_matches(&rule.subject, written);
    by_words
        || rule.subject == written
        || glob_matches(&rule.subject, access.subject)
        || glob_matches(&normalize_glob(&rule.subject), access.subject)
}

#[cfg(test)]
mod tests;
