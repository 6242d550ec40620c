//! Which profile a request gets that names none itself: rules by model and by agent.

use globset::{Glob, GlobBuilder, GlobMatcher};

/// A rule: requests that it is for get this profile.
#[derive(Debug, Clone)]
pub struct Choice {
    model: Option<GlobMatcher>,
    agent: Option<GlobMatcher>,
    profile: String,
}

/// Rules, the first that matches first, and what holds where none does.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// The rules.
    pub all: Vec<Choice>,
    /// The profile where none matches; `None` for that of all rules.
    pub otherwise: Option<String>,
}

impl Choice {
    /// Requests for models and of agents that these globs match get `profile`, or nothing is done
    /// for them where that is `off`. What is not given matches all. A model has to match as a
    /// whole, of an agent's name the beginning does; case is ignored.
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
    /// The profile of a request for this model by an agent that calls itself by these names;
    /// `None` where nothing is said.
    pub fn profile(&self, model: &str, agents: &[&str]) -> Option<&str> {
        let choice = self.all.iter().find(|choice| choice.is_for(model, agents));
        choice.map(|choice| choice.profile.as_str()).or(self.otherwise.as_deref())
    }

    /// Whether nothing is said of any request.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.otherwise.is_none()
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
        let all = rules.iter().map(choice).collect();
        Choices { all, otherwise: otherwise.map(str::to_owned) }
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
        let profile = |model: &str, agents: &[&str]| all.profile(model, agents).map(str::to_owned);
        let is = |profile: &str| Some(profile.to_owned());
        assert_eq!(profile("claude-haiku-4-5", &["codex_cli_rs/0.169.0"]), is("lossless"));
        assert_eq!(profile("Claude-Haiku-4-5", &[]), is("lossless"));
        assert_eq!(profile("gpt-5", &["Mozilla", "Codex_exec"]), is("max"));
        assert_eq!(profile("anthropic/claude-sonnet-5", &["claude-cli/2.1.330"]), is("off"));
        assert_eq!(profile("anthropic/claude-sonnet-5", &["my-codex"]), is("curated"));
        assert_eq!(profile("anthropic/claude-haiku-4-5", &[]), None);
        assert_eq!(profile("", &[]), None);
        let all = choices(&rules, Some("off"));
        assert_eq!(all.profile("gpt-5", &["opencode/1.18"]), Some("off"));
        assert!(choices(&[], None).is_empty() && !all.is_empty());
    }
}
