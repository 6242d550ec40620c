//! Rules that choose the profile of a request by its model and its agent, unless its client names
//! one.

use globset::{Glob, GlobBuilder, GlobMatcher};

/// A rule, and the requests that it applies to.
#[derive(Debug, Clone)]
pub struct ProfileRule {
    model: Option<GlobMatcher>,
    agent: Option<GlobMatcher>,
    /// The profile, or `off`.
    profile: String,
}

/// All rules; the first match wins.
#[derive(Debug, Clone, Default)]
pub struct ProfileRules {
    /// The rules, in order.
    pub rules: Vec<ProfileRule>,
    /// The profile of requests that match no rule, or `off`; `None` for the profile of the gateway.
    pub default_profile: Option<String>,
}

impl ProfileRule {
    /// Creates a rule for requests whose model and agent match these globs. `None` matches
    /// everything. A glob must match the whole model name, but only the beginning of an agent name;
    /// case is ignored.
    ///
    /// # Errors
    /// If a glob cannot be parsed.
    pub fn new(
        model: Option<&str>,
        agent: Option<&str>,
        profile: &str,
    ) -> Result<Self, globset::Error> {
        let model = model.map(compile_glob).transpose()?;
        let agent = agent.map(|agent| compile_glob(&format!("{agent}*"))).transpose()?;
        Ok(Self { model, agent, profile: profile.to_owned() })
    }

    fn matches(&self, model: &str, agents: &[&str]) -> bool {
        let is_model = self.model.as_ref().is_none_or(|glob| glob.is_match(model));
        let is_agent = |glob: &GlobMatcher| agents.iter().any(|agent| glob.is_match(agent));
        is_model && self.agent.as_ref().is_none_or(is_agent)
    }
}

impl ProfileRules {
    /// Returns the profile for a request to `model` by an agent that has these names.
    pub fn choose_profile(&self, model: &str, agents: &[&str]) -> Option<&str> {
        let choice = self.rules.iter().find(|choice| choice.matches(model, agents));
        choice.map(|choice| &*choice.profile).or(self.default_profile.as_deref())
    }

    /// Returns whether any rule looks at the model.
    pub(crate) fn depends_on_model(&self) -> bool {
        self.rules.iter().any(|choice| choice.model.is_some())
    }
}

fn compile_glob(glob: &str) -> Result<GlobMatcher, globset::Error> {
    let glob: Glob = GlobBuilder::new(glob).case_insensitive(true).build()?;
    Ok(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::{ProfileRule, ProfileRules};

    fn choices(rules: &[(&str, &str, &str)], otherwise: Option<&str>) -> ProfileRules {
        let choice = |(model, agent, profile): &(&str, &str, &str)| {
            let [model, agent] = [model, agent].map(|text| Some(*text).filter(|it| !it.is_empty()));
            ProfileRule::new(model, agent, profile).expect("a glob")
        };
        ProfileRules {
            rules: rules.iter().map(choice).collect(),
            default_profile: otherwise.map(str::to_owned),
        }
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
        assert_eq!(
            all.choose_profile("claude-haiku-4-5", &["codex_cli_rs/0.169.0"]),
            Some("lossless")
        );
        assert_eq!(all.choose_profile("Claude-Haiku-4-5", &[]), Some("lossless"));
        assert_eq!(all.choose_profile("gpt-5", &["Mozilla", "Codex_exec"]), Some("max"));
        assert_eq!(
            all.choose_profile("anthropic/claude-sonnet-5", &["claude-cli/2.1.330"]),
            Some("off")
        );
        assert_eq!(all.choose_profile("anthropic/claude-sonnet-5", &["my-codex"]), Some("curated"));
        assert_eq!(all.choose_profile("anthropic/claude-haiku-4-5", &[]), None);
        assert_eq!(all.choose_profile("", &[]), None);
        let all = choices(&rules, Some("off"));
        assert_eq!(all.choose_profile("gpt-5", &["opencode/1.18"]), Some("off"));
        assert_eq!(all.choose_profile("gpt-5", &["codex"]), Some("max"));
        assert!(all.depends_on_model());
        assert!(!choices(&[("", "pi", "max")], Some("off")).depends_on_model());
    }
}
