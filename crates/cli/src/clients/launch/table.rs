//! The agents that can be started on a gateway.

use super::plan::{Asked, CannotWrap, Plan};
use super::{claude_code, codex, gemini, opencode, pi, qwen};

/// What an agent is told.
type Planned = fn(&Asked<'_>) -> Result<Plan, CannotWrap>;

/// By their names in the table of agents.
const LAUNCHED: [(&str, Planned); 6] = [
    ("claude-code", claude_code::plan),
    ("codex", codex::plan),
    ("opencode", opencode::plan),
    ("gemini", gemini::plan),
    ("qwen", qwen::plan),
    ("pi", pi::plan),
];

/// The names of all that can be.
pub(crate) const WRAPPED: [&str; 6] = ["claude-code", "codex", "opencode", "gemini", "qwen", "pi"];

/// What the agent called `name` (`title` for people) is told, which has this environment, folder
/// and arguments.
///
/// # Errors
/// If it cannot be put on a gateway in this way.
pub(crate) fn plan(name: &str, title: &str, asked: &Asked<'_>) -> Result<Plan, CannotWrap> {
    match LAUNCHED.iter().find(|(known, _)| *known == name) {
        Some((_, plan)) => plan(asked),
        None => Err(CannotWrap::Agent(format!(
            "{title} takes the address of its model from its settings alone: `foveal init --gateway \
             {name}` says what can be done there"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::{LAUNCHED, WRAPPED};

    #[test]
    fn names_are_those_of_the_table() {
        assert_eq!(LAUNCHED.map(|(name, _)| name), WRAPPED);
        assert!(WRAPPED.iter().all(|name| crate::clients::Client::named(name).is_some()));
    }
}
