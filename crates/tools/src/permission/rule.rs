//! One rule, and what its globs match.

use globset::Glob;
use serde::{Deserialize, Serialize};

use super::access::Verdict;

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Glob over the tool's name.
    pub tool: String,
    /// Glob over the path, address or command; `*` stands for `/` as well. Of a command line,
    /// each command and each redirection to a file (`> file`) is matched by itself.
    pub subject: String,
    /// What it says.
    pub verdict: Verdict,
}

impl Rule {
    /// Whether the rule is about a tool.
    pub(crate) fn is_for_tool(&self, tool: &str) -> bool {
        matches(&self.tool, tool)
    }
}

/// Whether a glob says more than wildcards of the last part of a path, or of a hidden folder
/// above it. Of several folders in braces that is not told.
pub(super) fn names_files(glob: &str) -> bool {
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

/// Whether a glob matches the whole text; what is no glob matches itself alone.
pub(super) fn matches(glob: &str, text: &str) -> bool {
    // Most rules name a tool, or all: what has no wildcards, or nothing else, need not be compiled.
    let is_pattern = || glob.contains(['*', '?', '[', '{', '\\']);
    glob == text
        || glob == "*"
        || (is_pattern() && Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(text)))
}
