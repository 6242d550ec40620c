//! When two calls of a tool ask for the same: the rules of the table of tools, and those that
//! were registered beside it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use foveal_effects::{SimilarityRule, ToolKind, base_name};

/// What a tool says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Declared {
    /// That it changes nothing.
    ReadOnly,
    /// Nothing, or that it may change something.
    #[default]
    Other,
}

/// A function of the arguments of a call and of an earlier one.
pub type Compare = dyn Fn(&Value, &Value) -> bool + Send + Sync;

/// What makes two calls the same: a rule that is known here, or one of somebody's own.
#[derive(Clone)]
pub enum Similarity {
    /// One that is known here.
    Rule(SimilarityRule),
    /// Whether a call (first) asks for what an earlier one (second) answered.
    Custom(Arc<Compare>),
}

impl Similarity {
    /// A rule of one's own: whether a call (first) asks for what an earlier one (second)
    /// answered, by their arguments. It is called with the tracker in use, so it must be quick.
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

/// The rules of all tools: [`ToolKind::similarity`], unless another was registered.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// By name in lower case.
    registered: HashMap<Box<str>, Similarity>,
}

impl Rules {
    /// Sets the rule of a tool, whether it had one or not.
    pub fn register(&mut self, name: &str, rule: impl Into<Similarity>) {
        self.registered.insert(name.to_ascii_lowercase().into(), rule.into());
    }

    /// The rule of a tool. One that nobody listed has the generic one if it declares to change
    /// nothing, and otherwise [`SimilarityRule::Exact`].
    pub fn of(&self, tool: &str, declared: Declared) -> Similarity {
        let rule = self.known(tool).or_else(|| self.known(base_name(tool)));
        rule.unwrap_or(Similarity::Rule(match declared {
            Declared::ReadOnly => SimilarityRule::Generic,
            Declared::Other => SimilarityRule::Exact,
        }))
    }

    fn known(&self, name: &str) -> Option<Similarity> {
        let registered = self.registered.get(name.to_ascii_lowercase().as_str());
        registered.cloned().or_else(|| Some(ToolKind::of(name)?.similarity.into()))
    }
}
