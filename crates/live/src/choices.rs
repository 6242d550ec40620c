//! What is done to a request that says nothing of it itself: rules by model and by agent.

use globset::{Glob, GlobBuilder, GlobMatcher};

/// A rule about the requests that it is for.
#[derive(Debug, Clone)]
pub struct Choice {
    model: Option<GlobMatcher>,
    agent: Option<GlobMatcher>,
    /// The profile that decides, or `off`.
    profile: String,
}

/// Rules, the first that matches first.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// The rules.
    pub all: Vec<Choice>,
    /// The profile that decides where none matches, or `off`; `None`: the usual one.
    pub otherwise: Option<String>,
}

impl Choice {
    /// For requests for models and of agents that these globs match. What is not given matches all.
    /// A model has to match as a whole, of an agent's name the beginning does; case is ignored.
    ///
    /// # Errors
    /// If that is no glob.
    pub fn new(
        model: Option<&str>,
        agent: Option<&str>,
        profile: &str,
    ) -> Result<Self, globset::Error> {
        let model = model.map(matcher).transpose()?;
        let agent = agent.map(|agent| matcher(&format!("{agent}*"))).transpose()?;
        Ok(Self { model, agent, profile: profile.to_owned() })
    }

    fn is_for(&self, model: &str, agents: &[&str]) -> bool {
        let is_model = self.model.as_ref().is_none_or(|glob| glob.is_match(model));
        let is_agent = |glob: &GlobMatcher| agents.iter().any(|agent| glob.is_match(agent));
        is_model && self.agent.as_ref().is_none_or(is_agent)
    }
}

impl Choices {
    /// Returns the profile for a request for this model by an agent that calls itself by these names.
    pub fn profile(&self, model: &str, agents: &[&str]) -> Option<&str> {
        let choice = self.all.iter().find(|choice| choice.is_for(model, agents));
        choice.map(|choice| &*choice.profile).or(self.otherwise.as_deref())
    }

    /// Whether it counts which model a request is for.
    pub(crate) fn look_at_models(&self) -> bool {
        self.all.iter().any(|choice| choice.model.is_some())
    }
}

fn matcher(glob: &str) -> Result<GlobMatcher, globset::Error> {
    let glob: Glob = GlobBuilder::new(glob).case_insensitive(true).build()?;
    Ok(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::{Choice, Choices};

    fn choices(rules: &[(&str, &str, &str)], otherwise: Option<&str>) -> Choices {
        let choice = |(model, agent, profile): &(&str, &str, &str)| {
            let [model, agent] = [model, agent].map(|text| Some(*text).filter(|it| !it.is_empty()));
            Choice::new(model, agent, profile).expect("a glob")
        };
        Choices { all: rules.iter().map(choice).collect(), otherwise: otherwise.map(str::to_owned) }
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        let rules = [
            ("claude-haiku-*", "", "lossless"),
            ("", "codex", "max"),
            ("*sonnet*", "claude-cli/2", "off"),
            ("*sonnet*", "", "curated"),
        ];
        let all = choices(&rules, None);
        assert_eq!(all.profile("claude-haiku-4-5", &["codex_cli_rs/0.169.0"]), Some("lossless"));
        assert_eq!(all.profile("Claude-Haiku-4-5", &[]), Some("lossless"));
        assert_eq!(all.profile("gpt-5", &["Mozilla", "Codex_exec"]), Some("max"));
        assert_eq!(all.profile("anthropic/claude-sonnet-5", &["claude-cli/2.1.330"]), Some("off"));
        assert_eq!(all.profile("anthropic/claude-sonnet-5", &["my-codex"]), Some("curated"));
        assert_eq!(all.profile("anthropic/claude-haiku-4-5", &[]), None);
        assert_eq!(all.profile("", &[]), None);
        let all = choices(&rules, Some("off"));
        assert_eq!(all.profile("gpt-5", &["opencode/1.18"]), Some("off"));
        assert_eq!(all.profile("gpt-5", &["codex"]), Some("max"));
        assert!(all.look_at_models());
        assert!(!choices(&[("", "pi", "max")], Some("off")).look_at_models());
    }
}
