//! The settings of foveal's own agent.

use foveal_engine::policies::Policy;
use foveal_engine::policies::content_reset::ResetMarks;
use foveal_engine::policies::first_last_sampled::{SamplingForm, SamplingSettings};
use foveal_engine::tokens::Tokens;
use foveal_proxy::rules::ShapingRules;

use super::prompt_budget::{PromptBudget, PromptBudgetError};

/// The profiles of foveal's own agent. The first omits nothing; the last three are strategies from
/// the design documents.
pub(crate) const PROFILES: [&str; 8] = [
    foveal_proxy::rules::OFF,
    "lossless",
    "balanced",
    "curated",
    "max",
    "first-last-sampled",
    "first-last-sampled-max5",
    "content-reset",
];

/// The settings of foveal's own agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AgentSettings {
    /// Project files for the system prompt, as far as they exist.
    pub(crate) base_files: Vec<String>,
    /// The default profile for its requests.
    pub(crate) profile: String,
    /// Whether the agent may start sub-agents.
    pub(crate) sub_agents: bool,
    /// Limits of the history in its prompts.
    pub(crate) history: HistoryLimits,
}

/// Limits of the history in prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HistoryLimits {
    /// The largest number of full reads of one file.
    pub(crate) max_file_reads: usize,
    /// Whether results of old edits stay.
    pub(crate) keep_all_edits: bool,
    /// The longest command output that stays whole, in characters.
    pub(crate) bash_truncate: usize,
    /// The prompt sizes at which contents are omitted. They also apply to the engine's own
    /// profiles.
    pub(crate) budget: PromptBudget,
}

impl Default for AgentSettings {
    fn default() -> Self {
        let (base_files, history) = (Vec::new(), HistoryLimits::default());
        Self { base_files, profile: "balanced".to_owned(), sub_agents: true, history }
    }
}

impl Default for HistoryLimits {
    /// Returns the limits of the design documents.
    fn default() -> Self {
        let SamplingSettings { file_reads_max, keeps_edits, run_characters_max, .. } =
            SamplingSettings::new(SamplingForm::Table);
        Self {
            max_file_reads: file_reads_max,
            keep_all_edits: keeps_edits,
            bash_truncate: run_characters_max,
            budget: PromptBudget::default(),
        }
    }
}

impl HistoryLimits {
    /// Applies these limits to the rules for a model with this `window`.
    ///
    /// # Errors
    /// If the limits contradict each other for this window.
    pub(crate) fn apply_to_rules(
        &self,
        rules: &mut ShapingRules,
        window: Tokens,
    ) -> Result<(), PromptBudgetError> {
        if let Some(rewrite) = &mut rules.settings.rewrite {
            let usual = ResetMarks { high: rewrite.high, low: rewrite.low };
            let marks = self.budget.resolve_marks(usual, window)?;
            (rewrite.high, rewrite.low) = (marks.high, marks.low);
        }
        if let Some(policy) = &mut rules.policy {
            *policy = self.limit_policy(*policy, window)?;
        }
        Ok(())
    }

    /// Returns a policy with these limits.
    fn limit_policy(&self, policy: Policy, window: Tokens) -> Result<Policy, PromptBudgetError> {
        Ok(match policy {
            Policy::FirstLastSampled(usual) => Policy::FirstLastSampled(SamplingSettings {
                file_reads_max: self.max_file_reads,
                keeps_edits: self.keep_all_edits,
                run_characters_max: self.bash_truncate,
                ..usual
            }),
            Policy::ContentReset(usual) => {
                Policy::ContentReset(self.budget.resolve_marks(usual, window)?)
            }
        })
    }
}
