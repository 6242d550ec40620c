//! The oldest turns told in words by a model, where even the low mark cannot be reached.
//!
//! What the model said in these turns is told in one short text at the first of them; a few words
//! stand at each of the others. Calls, results, the user's messages and turns that edit stay where
//! they are. [`Question`] says which turns, and what a model is asked about them; what it answers is
//! data, and is [checked](Question::check). The note names what gives all of the words back.

mod answer;
mod material;
mod stand_in;
mod turns;

use crate::record::Record;
use crate::tokens::{Tokenizer, Tokens};
use foveal_transcript::{EntryIndex, Role};

use self::turns::words_tokens;

pub use self::answer::Refused;
pub use self::stand_in::{Gist, fitted, said, stand_ins};

/// Low, so that the same question gets much the same answer.
pub const TEMPERATURE: f32 = 0.3;

/// How often a model is asked about the same turns.
pub const ATTEMPTS_MAX: u32 = 2;

/// The latest responses: what they say is in use.
const RECENT_RESPONSES: usize = 8;

/// Shorter words stay: a note in their place would save nothing.
const WORDS_TOKENS_MIN: Tokens = Tokens(80);

/// Turns that said less together are not worth a question.
const TOLD_TOKENS_MIN: Tokens = Tokens(600);

/// Tokens of what a model is told of the turns. It fits small local models, with the answer.
const MATERIAL_TOKENS_MAX: u64 = 12_000;

/// Of the tokens that are told, the share that the telling may have.
const SHARE_MAX: f64 = 0.25;

/// Tokens that the telling may have at most.
const TELLING_TOKENS_MAX: u64 = 800;

/// What a model is asked about old turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The responses that are to be told.
    pub entries: Vec<EntryIndex>,
    /// What the model is to do.
    pub system: String,
    /// With what.
    pub user: String,
    /// Tokens of what is told: the words of these responses.
    pub tokens: Tokens,
    /// Tokens that the telling may have.
    pub tokens_max: Tokens,
}

/// Where turns are taken from.
pub(crate) struct Ask<'a> {
    pub(crate) record: &'a Record,
    /// The entries of the prompt, in order.
    pub(crate) window: &'a [EntryIndex],
    /// Whether a response is told already, or a telling of it waits.
    pub(crate) is_told: &'a dyn Fn(EntryIndex) -> bool,
}

impl Question {
    /// About the oldest turns that are not told yet; `None` where there is too little to tell.
    pub(crate) fn about(ask: &Ask<'_>) -> Option<Self> {
        let (record, window) = (ask.record, ask.window);
        let is_response = |index: &&EntryIndex| record.entry(**index).role == Role::Assistant;
        let until = window.iter().rev().filter(is_response).nth(RECENT_RESPONSES - 1)?;
        let old = &window[..window.partition_point(|index| index < until)];
        let mut material = material::Material::new(record);
        let (mut entries, mut tokens) = (Vec::new(), Tokens(0));
        for (at, index) in old.iter().enumerate() {
            if (ask.is_told)(*index) {
                continue;
            }
            let own = words_tokens(record, *index).filter(|own| *own >= WORDS_TOKENS_MIN);
            let Some(own) = own else { continue };
            if !material.add(&old[at..], MATERIAL_TOKENS_MAX) {
                break;
            }
            entries.push(*index);
            tokens += own;
        }
        if tokens < TOLD_TOKENS_MIN {
            return None;
        }
        let share = (tokens.0 as f64 * SHARE_MAX) as u64;
        let tokens_max = Tokens(share.min(TELLING_TOKENS_MAX));
        let system = material::task(tokens_max);
        Some(Self { entries, system, user: material.text, tokens, tokens_max })
    }

    /// The same without what `redact` takes for a secret: what is left is asked.
    #[must_use]
    pub fn redacted(self, redact: impl Fn(&str) -> String) -> Self {
        Self { user: redact(&self.user), ..self }
    }

    /// The telling that an answer has.
    ///
    /// # Errors
    /// Why it is of no use.
    pub fn check(&self, answer: &str, tokenizer: Tokenizer) -> Result<Gist, Refused> {
        let text = answer::text(answer)?;
        let tokens = tokenizer.count(&text);
        if tokens > self.tokens_max {
            return Err(Refused::TooLong { tokens, tokens_max: self.tokens_max });
        }
        if let Some(name) = answer::strange_name(&text, &self.user) {
            return Err(Refused::StrangeName { name });
        }
        Ok(Gist { entries: self.entries.clone(), text })
    }

    /// The same, with what was wrong with the last answer.
    #[must_use]
    pub fn again(&self, refused: &Refused) -> Self {
        let user =
            format!("{}\nYour last answer is of no use: {refused}. Answer again.\n", self.user);
        Self { user, ..self.clone() }
    }
}
