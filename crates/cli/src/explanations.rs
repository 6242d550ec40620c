//! Explanations of decisions on standard error, one line each, for the chosen topics.

use std::fmt::Display;

use foveal_agent_runtime::{AgentExplainer, ExplainedDecision};
use foveal_screen::escape_one_line;
use foveal_tools::explanation::{ExplanationSink, ExplanationTopic as ToolTopic};

use crate::debug_topics::{DebugTopic, DebugTopics};
use crate::notice;

/// Prints an explanation if its topic is chosen.
fn print_explanation<T: Display>(debug: DebugTopics, topic: DebugTopic, text: impl FnOnce() -> T) {
    if debug.includes(topic) {
        let text = text().to_string();
        notice::print_notice(format_args!(
            "[{}] {}",
            DebugTopics::topic_name(topic),
            escape_one_line(&text)
        ));
    }
}

/// Returns the receiver of the tools' explanations.
pub(crate) fn tool_explainer(debug: DebugTopics) -> ExplanationSink {
    ExplanationSink::new(move |explained| {
        let topic = match explained.topic() {
            ToolTopic::Reads => DebugTopic::Reads,
            ToolTopic::Index => DebugTopic::Index,
        };
        print_explanation(debug, topic, || explained);
    })
}

/// Returns the receiver of the explanations of foveal's own agent.
pub(crate) fn agent_explainer(debug: DebugTopics) -> AgentExplainer {
    AgentExplainer::new(move |decision, text| {
        let topic = match decision {
            ExplainedDecision::PromptPlan => DebugTopic::Plan,
            ExplainedDecision::SideModelQuestion => DebugTopic::Model,
        };
        print_explanation(debug, topic, text);
    })
}
