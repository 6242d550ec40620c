//! What a person wants of single results of a prompt, beside what is decided by rules.

use serde::{Deserialize, Serialize};

use crate::level::Level;
use foveal_transcript::EntryIndex;

/// How a result stands by the wish of the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Standing {
    /// The person wants nothing of it.
    #[default]
    Free,
    /// All of it is sent, until a later rewrite takes it.
    Whole,
    /// All of it is sent, whatever happens.
    Pinned,
    /// A note stands in its place.
    Dropped,
}

/// That a result is to stand so from the next request on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// The result.
    pub entry: EntryIndex,
    /// How it stands then.
    pub standing: Standing,
    /// How far it is reduced then.
    pub level: Level,
    /// Whether all of it is sent then.
    pub is_whole: bool,
}

impl Wish {
    /// A note in its place.
    pub fn dropped(entry: EntryIndex) -> Self {
        Self { entry, standing: Standing::Dropped, level: Level::Note, is_whole: false }
    }

    /// All of it, whatever happens.
    pub fn pinned(entry: EntryIndex) -> Self {
        Self { entry, standing: Standing::Pinned, level: Level::Arrival, is_whole: true }
    }

    /// All of it, and later what the rules make of it.
    pub fn restored(entry: EntryIndex) -> Self {
        Self { entry, standing: Standing::Whole, level: Level::Arrival, is_whole: true }
    }
}

/// Whether one of `wishes` is about this result.
pub(crate) fn has(wishes: &[Wish], entry: EntryIndex) -> bool {
    wishes.iter().any(|wish| wish.entry == entry)
}

/// What the person wants of the next request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wishes {
    /// Of single results, in the order in which it was wished.
    pub results: Vec<Wish>,
    /// That old results are rewritten as if the prompt had just passed the high mark.
    pub compacts: bool,
}

impl Wishes {
    /// Nothing.
    pub const NONE: Wishes = Wishes { results: Vec::new(), compacts: false };

    /// Whether nothing is wished that cannot wait.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty() && !self.compacts
    }
}

/// Why a wish cannot be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unwishable {
    /// It is no result.
    #[error("only what a tool answered can be changed")]
    NoResult,
    /// It is no part of the prompt.
    #[error("it is no part of the prompt any more")]
    NotThere,
    /// Nothing would change.
    #[error("it stands so already")]
    IsSo,
    /// A note in its place would not be shorter.
    #[error("a note in its place would not be shorter than what is sent")]
    NoShorter,
    /// The model's thinking behind it is bound to it.
    #[error("this model's thinking is bound to what stands before it: a change would be refused")]
    Bound,
}
