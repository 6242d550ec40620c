//! What is done to a request that says nothing of it itself: rules by model and by agent.

use globset::{Glob, GlobBuilder, GlobMatcher};

/// What is done to a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// The profile that decides, or `off`; `None` for that of all rules.
    pub profile: Option<String>,
    /// Whether tools are shortened, where it is known how; `None`: they are.
    pub shorten_tools: Option<bool>,
}

/// A rule about the requests that it is for.
#[derive(Debug, Clone)]
pub struct Choice {
    model: Option<GlobMatcher>,
    agent: Option<GlobMatcher>,
    chosen: Chosen,
}

/// Rules, the first that matches first.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// The rules.
    pub all: Vec<Choice>,
    /// What holds where none matches, or the first that does says nothing.
    pub otherwise: Chosen,
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
        chosen: Chosen,
    ) -> Result<Self, globset::Error> {
        let model = model.map(matcher).transpose()?;
        let agent = agent.map(|agent| matcher(&format!("{agent}*"))).transpose()?;
        Ok(Self { model, agent, chosen })
    }

    fn is_for(&self, model: &str, agents: &[&str]) -> bool {
        let is_model = self.model.as_ref().is_none_or(|glob| glob.is_match(model));
        let is_agent = |glob: &GlobMatcher| agents.iter().any(|agent| glob.is_match(agent));
        is_model && self.agent.as_ref().is_none_or(is_agent)
    }
}

impl Choices {
    /// What is said of a request for this model by an agent that calls itself by these names.
    pub fn chosen(&self, model: &str, agents: &[&str]) -> Chosen {
        let choice = self.all.iter().find(|choice| choice.is_for(model, agents));
        let said = choice.map(|choice| choice.chosen.clone()).unwrap_or_default();
        Chosen {
            profile: said.profile.or_else(|| self.otherwise.profile.clone()),
            shorten_tools: said.shorten_tools.or(self.otherwise.shorten_tools),
        }
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
    use super::{Choice, Choices, Chosen};

    fn of(profile: &str) -> Chosen {
        Chosen { profile: Some(profile.to_owned()), shorten_tools: None }
    }

    fn choices(rules: &[(&str, &str, Chosen)], otherwise: Chosen) -> Choices {
        let choice = |(model, agent, chosen): &(&str, &str, Chosen)| {
            let [model, agent] = [model, agent].map(|text| Some(*text).filter(|it| !it.is_empty()));
            Choice::new(model, agent, chosen.clone()).expect("a glob")
        };
        Choices { all: rules.iter().map(choice).collect(), otherwise }
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        let tools = |said| Chosen { shorten_tools: Some(said), ..Chosen::default() };
        let rules = [
            ("claude-haiku-*", "", of("lossless")),
            ("", "codex", Chosen { shorten_tools: Some(false), ..of("max") }),
            ("*sonnet*", "claude-cli/2", of("off")),
            ("*sonnet*", "", of("curated")),
            ("", "pi", tools(true)),
        ];
        let all = choices(&rules, Chosen::default());
        let profile = |model: &str, agents: &[&str]| all.chosen(model, agents).profile;
        let is = |profile: &str| Some(profile.to_owned());
        assert_eq!(profile("claude-haiku-4-5", &["codex_cli_rs/0.169.0"]), is("lossless"));
        assert_eq!(profile("Claude-Haiku-4-5", &[]), is("lossless"));
        assert_eq!(profile("gpt-5", &["Mozilla", "Codex_exec"]), is("max"));
        assert_eq!(profile("anthropic/claude-sonnet-5", &["claude-cli/2.1.330"]), is("off"));
        assert_eq!(profile("anthropic/claude-sonnet-5", &["my-codex"]), is("curated"));
        assert_eq!(profile("anthropic/claude-haiku-4-5", &[]), None);
        assert_eq!(profile("", &[]), None);
        // Where the rule that matches says nothing, what holds otherwise counts.
        let otherwise = Chosen { shorten_tools: Some(true), ..of("off") };
        let all = choices(&rules, otherwise.clone());
        assert_eq!(all.chosen("gpt-5", &["opencode/1.18"]), otherwise);
        assert_eq!(all.chosen("gpt-5", &["pi/0.73"]), otherwise);
        assert_eq!(all.chosen("gpt-5", &["codex"]).shorten_tools, Some(false));
        assert_eq!(all.chosen("claude-haiku-4-5", &[]).shorten_tools, Some(true));
        assert!(all.look_at_models());
        assert!(!choices(&[("", "pi", tools(true))], of("off")).look_at_models());
    }
}
