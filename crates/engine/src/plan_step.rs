//! The decisions of the planner for one request, as values that can be recorded.

use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, Timestamp};
use serde::{Deserialize, Serialize};

use crate::message_shape::Decision;
use crate::overrides::{OverrideState, ResultOverride};
use crate::placement::base_files::BaseFile;
use crate::reduction_level::{ReductionLevel, ResultAge};
use crate::views::ChosenView;

/// The decision on an entry, with its tokens, its override and its age.
#[derive(Debug, Clone, Default)]
pub struct EntryState {
    /// The decision on its form.
    pub decision: Decision,
    /// Tokens of the entry as sent.
    pub tokens: Tokens,
    /// How far it has been reduced.
    pub level: ReductionLevel,
    /// The user's override.
    pub override_state: OverrideState,
    /// The requests at which a result or a long edit arrived and was last used.
    pub age: Option<ResultAge>,
}

impl EntryState {
    /// Returns an override that restores this state of `entry`: the inverse of a later override.
    pub fn current_override(&self, entry: EntryIndex) -> ResultOverride {
        let (standing, level) = (self.override_state, self.level);
        ResultOverride { entry, standing, level, is_whole: self.decision.shape().is_none() }
    }

    /// Returns whether an override changes what is sent.
    pub(crate) fn is_changed_by(&self, wish: &ResultOverride) -> bool {
        self.level != wish.level || self.decision.shape().is_none() != wish.is_whole
    }

    /// Returns whether all of it is sent because of an override that no rewrite has ended.
    pub(crate) fn is_kept_by_override(&self) -> bool {
        match self.override_state {
            OverrideState::Pinned => true,
            OverrideState::Whole => self.level == ReductionLevel::Arrival,
            OverrideState::Free | OverrideState::Dropped => false,
        }
    }
}

/// The step of the planner for one request: its changes to the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    /// The response to the request.
    pub answer: EntryIndex,
    /// The time at which the request was sent, if known.
    pub time: Option<Timestamp>,
    /// Decisions that are new or differ from those sent before; all others stand.
    pub changed: Vec<(EntryIndex, Decision)>,
    /// Levels raised by a rewrite.
    pub levels: Vec<(EntryIndex, ReductionLevel)>,
    /// Overrides that were carried out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wished: Vec<ResultOverride>,
    /// The views of reads that [`ViewSource`](crate::views::ViewSource) chose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<ChosenView>,
    /// The first window position whose bytes differ from the last request; the length of the last
    /// window if it only grew.
    pub kept: usize,
    /// The reason why results that were already sent changed, if any did.
    pub rewrite: Option<RewriteReason>,
    /// Whether the provider is asked to cache the prompt up to its latest answer: the results
    /// behind it may be reduced at the next request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_answer: bool,
    /// The base files in the system prompt from this request on, if they changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Vec<BaseFile>>,
    /// The change to the results that passed through whole because their decision came too late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<BacklogChange>,
}

impl PlanStep {
    /// Returns a step that changes nothing; `kept` is the length of the last window, or a position
    /// where the client cut it.
    pub fn unchanged(answer: EntryIndex, time: Option<Timestamp>, kept: usize) -> Self {
        Self {
            answer,
            time,
            changed: Vec::new(),
            levels: Vec::new(),
            wished: Vec::new(),
            chosen: Vec::new(),
            kept,
            rewrite: None,
            keeps_answer: false,
            base: None,
            backlog: None,
        }
    }
}

/// A change to the results that wait to be shaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BacklogChange {
    /// The results of a request passed through whole.
    Added {
        /// The first of them that shaping would change.
        from: EntryIndex,
        /// Tokens that shaping them would save.
        saving: u64,
    },
    /// The waiting results from here on were shaped.
    Shaped {
        /// The first of them.
        from: EntryIndex,
    },
}

/// The reason for a rewrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RewriteReason {
    /// Nothing of the last prompt is cached, since it has expired or was too short: all of it is
    /// written anyway.
    CacheCold,
    /// The client compacted or rewound the conversation.
    ClientRewrote,
    /// The prompt exceeded the budget's high mark.
    HighMark,
    /// Carrying dead weight has cost as much as the rewrite will (ski rental).
    SkiRental,
    /// Early reduction: the model had seen the results, and few tokens followed them.
    LookedOnce,
    /// The user dropped, pinned or restored results.
    Wished,
    /// The user asked for a shorter prompt.
    Compacted,
    /// The profile decides anew for every request, regardless of the cost.
    Recomputed,
    /// The oracle of a replay knows from the rest of the session that the rewrite pays.
    Foreseen,
}

impl RewriteReason {
    /// Returns a description for reports and messages.
    pub fn description(self) -> &'static str {
        match self {
            RewriteReason::CacheCold => "as far as is known, nothing of the prompt was cached",
            RewriteReason::ClientRewrote => "the client compacted or rewound the conversation",
            RewriteReason::HighMark => "the prompt was too long",
            RewriteReason::SkiRental => "sending them unchanged had cost more than a rewrite",
            RewriteReason::LookedOnce => "the model had already seen them, and few tokens followed",
            RewriteReason::Wished => "the user changed what is sent",
            RewriteReason::Compacted => "the user asked for a shorter prompt",
            RewriteReason::Recomputed => "the profile decides anew for every request",
            RewriteReason::Foreseen => "it was known that they would not be used again",
        }
    }
}
