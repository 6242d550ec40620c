//! A permission rule, and the matching of its globs.

use globset::Glob;
use serde::{Deserialize, Serialize};

use super::access::Verdict;

/// A permission rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermissionRule {
    /// Glob over the tool's name.
    pub tool: String,
    /// Glob over the path, address or command; `*` stands for `/` as well. Of a command line,
    /// each command and each redirection to a file (`> file`) is matched by itself.
    pub subject: String,
    /// The effect of the rule.
    pub verdict: Verdict,
}

impl PermissionRule {
    /// Returns whether the rule applies to a tool.
    pub(crate) fn is_for_tool(&self, tool: &str) -> bool {
        glob_matches(&self.tool, tool)
    }
}

/// Returns whether a glob names the last part of a path, or a hidden folder above it, with more
/// than wildcards. For folders in braces the answer is `false`.
pub(super) fn names_file(glob: &str) -> bool {
    let is_named = |part: &str| {
        let mut is_class = false;
        part.chars().any(|letter| {
            match letter {
                '[' => is_class = true,
                ']' => is_class = false,
                _ => {}
            }
            !is_class && letter.is_alphanumeric()
        })
    };
    let mut parts = glob.rsplit('/');
    let last = parts.next().unwrap_or_default();
    let is_hidden = |part: &str| part.starts_with('.') && is_named(part);
    let is_last = match last.split_once('{') {
        Some((before, choices)) => {
            is_named(before) || choices.trim_end_matches('}').split(',').all(is_named)
        }
        None => is_named(last) && !last.contains('}'),
    };
    let has_folders = glob.rfind('/').is_some_and(|at| glob[..at].contains('{'));
    !has_folders && (is_last || parts.any(is_hidden))
}

/// Returns whether a glob matches the whole text. An invalid glob matches only itself.
pub(super) fn glob_matches(glob: &str, text: &str) -> bool {
    // Most rules name one tool or all tools; such globs need no compilation.
    let is_pattern = || glob.contains(['*', '?', '[', '{', '\\']);
    glob == text
        || glob == "*"
        || (is_pattern() && Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(text)))
}
