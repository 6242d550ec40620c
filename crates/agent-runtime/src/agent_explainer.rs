//! Explanations of an agent's decisions, for a user who asks for them.

use std::fmt;
use std::sync::Arc;

/// A kind of decision that is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplainedDecision {
    /// The parts of a conversation that go to the model.
    PromptPlan,
    /// A question to a model beside the main one.
    SideModelQuestion,
}

type ExplainFn = dyn Fn(ExplainedDecision, &dyn Fn() -> String) + Send + Sync;

/// A receiver of explanations. It must not block.
#[derive(Clone)]
pub struct AgentExplainer(Arc<ExplainFn>);

impl AgentExplainer {
    /// Creates a receiver that calls `tell` with each decision. Only its second argument builds the
    /// text.
    pub fn new(
        tell: impl Fn(ExplainedDecision, &dyn Fn() -> String) + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(tell))
    }

    pub(crate) fn explain(&self, decision: ExplainedDecision, text: impl Fn() -> String) {
        (self.0)(decision, &text);
    }
}

impl fmt::Debug for AgentExplainer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AgentExplainer")
    }
}
