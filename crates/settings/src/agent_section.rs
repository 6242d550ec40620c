//! The settings of foveal's own agent.

use foveal_engine::policies::Policy;
use foveal_engine::policies::content_reset::ResetMarks;
use foveal_engine::policies::first_last_sampled::{SamplingForm, SamplingSettings};
use foveal_pricing::tokens::Tokens;
use foveal_proxy::rules::ShapingRules;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use crate::prompt_budget::{PromptBudget, PromptBudgetError, PromptSizeSetting};
use crate::setting_values::{deserialize_checked, deserialize_count};

/// The profiles of foveal's own agent. The first omits nothing; the last three are policies of
/// the design documents.
pub const PROFILES: [&str; 8] = [
    foveal_proxy::rules::OFF,
    "lossless",
    "balanced",
    "curated",
    "max",
    "first-last-sampled",
    "first-last-sampled-max5",
    "content-reset",
];

/// The agent of `foveal run` and `foveal chat`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSection {
    /// Project files that `foveal run` gives the model from the start, as far as they exist.
    pub base_files: Vec<String>,
    /// The profile by which foveal's own agent leaves contents out of prompts.
    #[serde(deserialize_with = "deserialize_profile")]
    #[schemars(extend("enum" = PROFILES))]
    pub profile: String,
    /// Whether foveal's own agent may start sub-agents for bounded pieces of work.
    pub sub_agents: bool,
    /// The prompt size from which on old contents are omitted: tokens, or a share of the model's
    /// window such as `70%`. If not set, the profile's share: 75 % with `balanced` and `curated`,
    /// 50 % with `max` and `content-reset`.
    budget: Option<PromptSizeSetting>,
    /// Old contents are omitted until the prompt is down to this size. If not set, it is the
    /// profile's share of `budget`: 60 % with `balanced` and `curated`, 50 % with `max` and
    /// `content-reset`.
    budget_low: Option<PromptSizeSetting>,
    /// With a profile `first-last-sampled`: the number of full reads of one file that are kept.
    #[serde(deserialize_with = "deserialize_count")]
    #[schemars(range(min = 1))]
    max_file_reads: u32,
    /// With a profile `first-last-sampled`: whether results of old edits are kept.
    keep_all_edits: bool,
    /// With a profile `first-last-sampled`: the length of an output above which only its ends are
    /// kept, in characters.
    #[serde(deserialize_with = "deserialize_count")]
    #[schemars(range(min = 1))]
    bash_truncate: u32,
}

impl Default for AgentSection {
    /// Returns the defaults; those of the history are the limits of the design documents.
    fn default() -> Self {
        let SamplingSettings { file_reads_max, keeps_edits, run_characters_max, .. } =
            SamplingSettings::new(SamplingForm::Table);
        let to_count = |number| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            base_files: Vec::new(),
            profile: "curated".to_owned(),
            sub_agents: true,
            budget: None,
            budget_low: None,
            max_file_reads: to_count(file_reads_max),
            keep_all_edits: keeps_edits,
            bash_truncate: to_count(run_characters_max),
        }
    }
}

/// The error about an unknown profile.
#[derive(Debug, thiserror::Error)]
#[error("unknown profile `{0}`: expected one of {all}", all = PROFILES.join(", "))]
struct UnknownProfile(String);

fn deserialize_profile<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserialize_checked(deserializer, |name: &String| match PROFILES.contains(&&**name) {
        true => Ok(()),
        false => Err(UnknownProfile(name.clone())),
    })
}

impl AgentSection {
    /// Returns the prompt sizes at which contents are omitted.
    pub(crate) fn budget(&self) -> PromptBudget {
        PromptBudget { high: self.budget, low: self.budget_low }
    }

    /// Applies the limits of the history to the rules for a model with this `window`.
    ///
    /// # Errors
    /// If the limits contradict each other for this window.
    pub fn apply_to_rules(
        &self,
        rules: &mut ShapingRules,
        window: Tokens,
    ) -> Result<(), PromptBudgetError> {
        let budget = self.budget();
        if let Some(rewrite) = &mut rules.settings.rewrite {
            let usual = ResetMarks { high: rewrite.high, low: rewrite.low };
            let marks = budget.resolve_marks(usual, window)?;
            (rewrite.high, rewrite.low) = (marks.high, marks.low);
            // Only what the user set is a limit; the profile's own mark is a matter of costs.
            rewrite.tokens_max = self.budget.map(|_| marks.high);
        }
        match &mut rules.policy {
            Some(Policy::FirstLastSampled(sampling)) => {
                sampling.file_reads_max = self.max_file_reads as usize;
                sampling.keeps_edits = self.keep_all_edits;
                sampling.run_characters_max = self.bash_truncate as usize;
            }
            Some(Policy::ContentReset(marks)) => {
                *marks = budget.resolve_marks(*marks, window)?;
            }
            None => {}
        }
        Ok(())
    }
}
