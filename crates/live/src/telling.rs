//! Old turns told in words by a model: what it is to be asked, and what came of it.

use foveal_context::gist::{Gist, Question};
use foveal_context::step::Step;
use foveal_context::tokens::Tokens;
use foveal_transcript::ContentHash;

use crate::chain::Chain;
use crate::conversation::Live;
use crate::conversations::Conversations;
use crate::request::ToldInWords;
use crate::wanted::GISTS_MAX;

/// What a model is to be asked about the oldest turns of a conversation, since its prompt is longer
/// than leaving out results can make it. What comes of it is [told](Conversations::tell); nothing
/// waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToTell {
    /// The end of the conversation's first message.
    first: ContentHash,
    /// The end of the message that the last of the turns is.
    end: ContentHash,
    /// The question.
    pub question: Question,
}

impl Conversations {
    /// What is to be asked about a conversation.
    pub(crate) fn to_tell(&self, live: &Live, chain: &Chain) -> Option<ToTell> {
        let first = chain.ends.first().copied()?;
        let waiting = self.wanting.of(first).gists(live);
        let question = live.to_tell(&waiting).filter(|_| waiting.len() < GISTS_MAX)?;
        let end = live.end_of(*question.entries.last()?)?;
        Some(ToTell { first, end, question })
    }

    /// Notes what came of a question. It is put in place with the next rewrite that begins at the
    /// oldest results, and is a decision like others from then on; until then it is forgotten when
    /// the process ends.
    pub fn tell(&self, asked: &ToTell, gist: Gist) {
        let mut wanted = self.wanting.of(asked.first);
        wanted.tell(asked.end, gist);
        self.wanting.set(asked.first, wanted);
    }
}

/// What each of `gists` stands for, as it goes before they are told.
pub(crate) fn tokens_before(live: &Live, gists: &[Gist]) -> Vec<Tokens> {
    gists.iter().map(|gist| live.tokens_told(gist)).collect()
}

/// What a step, which is decided, tells in words of the `gists` that took so many tokens each.
pub(crate) fn told(
    live: &Live,
    step: &Step,
    (gists, before): (&[Gist], &[Tokens]),
) -> Option<ToldInWords> {
    let turns = step.told.iter().map(|gist| gist.entries.len() as u64).sum();
    let is_told = |(gist, _): &(&Gist, &Tokens)| step.told.contains(gist);
    let tokens_before = gists.iter().zip(before).filter(is_told).map(|(_, tokens)| *tokens).sum();
    let tokens = step.told.iter().map(|gist| live.tokens_told(gist)).sum();
    (turns > 0).then_some(ToldInWords { turns, tokens_before, tokens })
}
