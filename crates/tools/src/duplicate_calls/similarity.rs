//! Rules of when two calls of a tool are duplicates: those of the table of tools, and registered
//! ones.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use foveal_tool_effects::{SimilarityRule, ToolKind, base_tool_name};

/// A function of the arguments of a call and of an earlier one.
pub type CompareFn = dyn Fn(&Value, &Value) -> bool + Send + Sync;

/// A rule of when two calls are duplicates: a built-in or a custom one.
#[derive(Clone)]
pub enum Similarity {
    /// A built-in rule.
    Rule(SimilarityRule),
    /// A custom rule: a function of the arguments of a call and of an earlier one.
    Custom(Arc<CompareFn>),
}

impl Similarity {
    /// Creates a custom rule: `compare` returns whether a call (first) asks for the answer of an
    /// earlier one (second), by their arguments. It is called while the tracker is locked, so it
    /// must be fast.
    pub fn custom(compare: impl Fn(&Value, &Value) -> bool + Send + Sync + 'static) -> Self {
        Similarity::Custom(Arc::new(compare))
    }
}

impl From<SimilarityRule> for Similarity {
    fn from(rule: SimilarityRule) -> Self {
        Similarity::Rule(rule)
    }
}

impl fmt::Debug for Similarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Similarity::Rule(rule) => rule.fmt(f),
            Similarity::Custom(_) => f.write_str("Custom"),
        }
    }
}

/// The rules of all tools: the registered ones, else [`ToolKind::similarity`].
#[derive(Debug, Clone, Default)]
pub struct SimilarityRules {
    /// By lower-case name.
    registered: HashMap<Box<str>, Similarity>,
}

impl SimilarityRules {
    /// Sets the rule of a tool, in place of any other.
    pub fn register(&mut self, name: &str, rule: impl Into<Similarity>) {
        self.registered.insert(name.to_ascii_lowercase().into(), rule.into());
    }

    /// Returns the rule of a tool; [`SimilarityRule::Exact`] for an unlisted one.
    pub fn rule_for(&self, tool: &str) -> Similarity {
        let rule = self.known_rule(tool).or_else(|| self.known_rule(base_tool_name(tool)));
        rule.unwrap_or(Similarity::Rule(SimilarityRule::Exact))
    }

    fn known_rule(&self, name: &str) -> Option<Similarity> {
        let registered = self.registered.get(name.to_ascii_lowercase().as_str());
        registered.cloned().or_else(|| Some(ToolKind::find_by_name(name)?.similarity.into()))
    }
}
