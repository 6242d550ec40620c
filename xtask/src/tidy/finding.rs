//! The results of the rules.

use std::fmt;

/// Where a rule is broken, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// File, relative to the repository, with `/`.
    pub(crate) path: String,
    /// 1-based line.
    pub(crate) line: usize,
    /// The fault, and the remedy.
    pub(crate) what: String,
}

impl Place {
    pub(crate) fn new(path: impl Into<String>, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.into(), line, what: what.into() }
    }
}

/// One broken rule at one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// File, relative to the repository, with `/`.
    pub(crate) path: String,
    /// 1-based line.
    pub(crate) line: usize,
    /// The rule's name in the table.
    pub(crate) rule: &'static str,
    /// The fault, and the remedy.
    pub(crate) what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.what)
    }
}
