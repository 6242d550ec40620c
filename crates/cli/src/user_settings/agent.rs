//! How foveal's own agent works.

use foveal_context::retention::strategy::{Form, ResetMarks, Sampled, Strategy};
use foveal_context::tokens::Tokens;
use foveal_live::rules::Rules;

use super::budget::{BadBudget, Budget};

/// What the profile of foveal's own agent may be: nothing is left out with the first, and the last
/// three are strategies of design documents.
pub(crate) const PROFILES: [&str; 8] = [
    foveal_live::rules::OFF,
    "lossless",
    "balanced",
    "curated",
    "max",
    "first-last-sampled",
    "first-last-sampled-max5",
    "content-reset",
];

/// How foveal's own agent works.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AgentSettings {
    /// Files of a project that stand in its system prompt, where there are any.
    pub(crate) base_files: Vec<String>,
    /// By which rules its requests are decided about, where nothing else is said.
    pub(crate) profile: String,
    /// Whether it may start sub-agents.
    pub(crate) sub_agents: bool,
    /// Limits of what stays of a conversation.
    pub(crate) history: HistoryLimits,
}

/// Limits of what stays of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HistoryLimits {
    /// Most full reads of one file.
    pub(crate) max_file_reads: usize,
    /// Whether results of old edits stay.
    pub(crate) keep_all_edits: bool,
    /// Characters of run output beyond which only its ends stay.
    pub(crate) bash_truncate: usize,
    /// When contents leave; of the engine's own profiles too.
    pub(crate) budget: Budget,
}

impl Default for AgentSettings {
    fn default() -> Self {
        let (base_files, history) = (Vec::new(), HistoryLimits::default());
        Self { base_files, profile: "balanced".to_owned(), sub_agents: true, history }
    }
}

impl Default for HistoryLimits {
    /// As the documents have them.
    fn default() -> Self {
        let Sampled { file_reads_max, keeps_edits, run_characters_max, .. } =
            Sampled::new(Form::Table);
        Self {
            max_file_reads: file_reads_max,
            keep_all_edits: keeps_edits,
            bash_truncate: run_characters_max,
            budget: Budget::default(),
        }
    }
}

impl HistoryLimits {
    /// Has these limits hold for requests to a model that takes prompts of up to `window`.
    ///
    /// # Errors
    /// If they contradict each other for it.
    pub(crate) fn limit(&self, rules: &mut Rules, window: Tokens) -> Result<(), BadBudget> {
        if let Some(rewrite) = &mut rules.settings.rewrite {
            let usual = (rewrite.high, rewrite.low);
            (rewrite.high, rewrite.low) = self.budget.marks(usual, window)?;
        }
        if let Some(strategy) = &mut rules.strategy {
            *strategy = self.of(*strategy, window)?;
        }
        Ok(())
    }

    /// A strategy with these limits.
    fn of(&self, strategy: Strategy, window: Tokens) -> Result<Strategy, BadBudget> {
        Ok(match strategy {
            Strategy::FirstLastSampled(usual) => Strategy::FirstLastSampled(Sampled {
                file_reads_max: self.max_file_reads,
                keeps_edits: self.keep_all_edits,
                run_characters_max: self.bash_truncate,
                ..usual
            }),
            Strategy::ContentReset(ResetMarks { high, low }) => {
                let (high, low) = self.budget.marks((high, low), window)?;
                Strategy::ContentReset(ResetMarks { high, low })
            }
        })
    }
}
