//! The table of the agents that can be launched on a gateway.

use super::launch_plan::{LaunchPlan, LaunchRequest, WrapError};
use super::{claude_code, codex, gemini, opencode, pi, qwen};

/// A function that plans the launch of one agent.
type LaunchPlanner = fn(&LaunchRequest<'_>) -> Result<LaunchPlan, WrapError>;

/// The planners by the agents' names in the table of client agents.
const LAUNCH_PLANNERS: [(&str, LaunchPlanner); 6] = [
    ("claude-code", claude_code::plan_launch),
    ("codex", codex::plan_launch),
    ("opencode", opencode::plan_launch),
    ("gemini", gemini::plan_launch),
    ("qwen", qwen::plan_launch),
    ("pi", pi::plan_launch),
];

/// The names of the agents that can be launched on a gateway.
pub(crate) const WRAPPABLE_AGENTS: [&str; 6] =
    ["claude-code", "codex", "opencode", "gemini", "qwen", "pi"];

/// Plans the launch of the agent `name`, which messages call `title`.
///
/// # Errors
/// If the agent cannot be launched on a gateway.
pub(crate) fn plan_launch(
    name: &str,
    title: &str,
    asked: &LaunchRequest<'_>,
) -> Result<LaunchPlan, WrapError> {
    match LAUNCH_PLANNERS.iter().find(|(known, _)| *known == name) {
        Some((_, plan)) => plan(asked),
        None => Err(WrapError::Agent(format!(
            "{title} takes the address of its model from its settings alone: `foveal init --gateway \
             {name}` says what can be done there"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::{LAUNCH_PLANNERS, WRAPPABLE_AGENTS};

    #[test]
    fn names_are_those_of_the_table() {
        assert_eq!(LAUNCH_PLANNERS.map(|(name, _)| name), WRAPPABLE_AGENTS);
        assert!(
            WRAPPABLE_AGENTS
                .iter()
                .all(|name| crate::clients::ClientAgent::from_agent_name(name).is_some())
        );
    }
}
