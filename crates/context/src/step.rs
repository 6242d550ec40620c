//! What one request's planning decided, as a value that can be recorded.

use serde::{Deserialize, Serialize};

use crate::level::Level;
use crate::placement::base_files::BaseFile;
use crate::shape::Decision;
use crate::tokens::Tokens;
use crate::views::Chosen;
use crate::wish::{Standing, Wish};
use foveal_transcript::{EntryIndex, Timestamp};

/// What is decided about one entry, and what it weighs.
#[derive(Debug, Clone, Default)]
pub struct Item {
    /// What stands in its place.
    pub decision: Decision,
    /// Tokens of what is sent.
    pub tokens: Tokens,
    /// How far it has been reduced.
    pub level: Level,
    /// What the person wants of it.
    pub standing: Standing,
}

impl Item {
    /// That the entry of this place stands as it does: what takes back a wish that comes later.
    pub fn as_it_is(&self, entry: EntryIndex) -> Wish {
        let (standing, level) = (self.standing, self.level);
        Wish { entry, standing, level, is_whole: self.decision.shape().is_none() }
    }

    /// Whether all of it is sent because the person wants that, as long as no rewrite took it.
    pub(crate) fn is_whole_by_wish(&self) -> bool {
        match self.standing {
            Standing::Pinned => true,
            Standing::Whole => self.level == Level::Arrival,
            Standing::Free | Standing::Dropped => false,
        }
    }
}

/// What one request's planning changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The response the request is answered by.
    pub answer: EntryIndex,
    /// When the request was sent, as far as known.
    pub time: Option<Timestamp>,
    /// Decisions that are new or differ from what was sent before; all others stand.
    pub changed: Vec<(EntryIndex, Decision)>,
    /// Levels raised by a rewrite.
    pub levels: Vec<(EntryIndex, Level)>,
    /// What the person wanted of results, as far as it was carried out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wished: Vec<Wish>,
    /// What [`Views`](crate::views::Views) chose of reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<Chosen>,
    /// First window position whose bytes are not those of the last request; the length of
    /// the last request's window if it only grew.
    pub kept: usize,
    /// Why results that were already sent changed, if any did.
    pub rewrite: Option<RewriteReason>,
    /// Whether the provider is to be asked to keep the prompt up to the latest answer in it: the
    /// results behind that may be reduced at the next request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_answer: bool,
    /// The files that stand in the system prompt from this request on, where these are others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Vec<BaseFile>>,
    /// What becomes of results that passed whole because they were decided about too late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<BacklogChange>,
}

/// Results that passed whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BacklogChange {
    /// Those of a request passed whole.
    Added {
        /// The first of them that shaping would change.
        from: EntryIndex,
        /// Tokens that shaping them would save.
        saving: u64,
    },
    /// Those from here on were shaped.
    Shaped {
        /// The first of them.
        from: EntryIndex,
    },
}

/// Why a rewrite is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RewriteReason {
    /// Nothing of the last prompt is cached: it has expired, or was too short for the cache. All is
    /// written anyway.
    CacheCold,
    /// The client compacted or went back.
    ClientRewrote,
    /// The budget's high mark is passed.
    HighMark,
    /// Carrying what is not needed has cost as much as rewriting will.
    SkiRental,
    /// The model had seen them, and little stood behind them.
    LookedOnce,
    /// The person dropped results, pinned them, or had them sent again.
    Wished,
    /// The person wanted a shorter prompt.
    Compacted,
    /// The profile decides anew for every request, whatever that costs.
    Recomputed,
    /// All that follows is known, and with it that a rewrite pays: of the oracle.
    Foreseen,
}

impl RewriteReason {
    /// The words used in reports and messages.
    pub fn words(self) -> &'static str {
        match self {
            RewriteReason::CacheCold => "nothing of the prompt was cached",
            RewriteReason::ClientRewrote => "the client compacted or went back",
            RewriteReason::HighMark => "the prompt was too long",
            RewriteReason::SkiRental => "carrying them had cost more than a rewrite",
            RewriteReason::LookedOnce => "they had been seen, and little stood behind them",
            RewriteReason::Wished => "the person changed what is sent",
            RewriteReason::Compacted => "the person wanted a shorter prompt",
            RewriteReason::Recomputed => "the profile decides anew for every request",
            RewriteReason::Foreseen => "it was known that they would not be used again",
        }
    }
}
