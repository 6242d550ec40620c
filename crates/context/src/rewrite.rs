//! Rewrites: the rare, batched changes of results that were already sent.

use serde::{Deserialize, Serialize};

use crate::observed::Observed;
use crate::planner::Planner;
use crate::settings::RewriteSettings;
use crate::shaping::draft::Draft;
use crate::transcript::{Conversation, EntryIndex};

/// How far a result has been reduced.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum Level {
    /// As it was shaped when it came.
    #[default]
    Arrival,
    /// What matters of it.
    Reduced,
    /// A note with its handle.
    Note,
}

/// Why a rewrite is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RewriteReason {
    /// The provider's cache has expired, so all is written anew anyway.
    CacheCold,
    /// The client compacted or went back.
    ClientRewrote,
    /// The budget's high mark is passed.
    HighMark,
    /// Carrying what is not needed has cost as much as rewriting will.
    SkiRental,
    /// The profile decides anew for every request, whatever that costs.
    Recomputed,
}

/// What carrying dead weight has cost since the last rewrite.
#[derive(Debug, Clone, Default)]
pub struct Rent;

/// What a choice depends on, beside the planner's state.
pub struct Ask<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// Its facts.
    pub observed: &'a Observed,
    /// The settings.
    pub settings: &'a RewriteSettings,
    /// A moment at which rewriting is free.
    pub reason: Option<RewriteReason>,
}

/// What to rewrite.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Results and their new levels.
    pub levels: Vec<(EntryIndex, Level)>,
    /// Why now.
    pub reason: Option<RewriteReason>,
}

/// Which results to reduce before the next request, if any.
pub fn choose(_planner: &mut Planner, _ask: &Ask<'_>) -> Choice {
    Choice::default()
}

/// Takes from a draft what its level no longer shows.
pub fn reduce(_draft: &mut Draft<'_>, _level: Level) {}
