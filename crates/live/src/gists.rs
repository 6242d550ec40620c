//! Which old turns of a conversation are to be told in words, and what it came to.

use foveal_context::gist::Gist;
use foveal_context::step::Step;
use foveal_context::tokens::Tokens;
use foveal_transcript::ContentHash;

use crate::conversation::Live;
use crate::request::{ToTell, ToldInWords};
use crate::wanted::{GISTS_MAX, Wanting};

/// What is to be asked about the conversation whose first message ends so.
pub(crate) fn to_tell(live: &Live, first: ContentHash, wanting: &Wanting) -> Option<ToTell> {
    let waiting = wanting.of(first).gists(live);
    let question = live.to_tell(&waiting).filter(|_| waiting.len() < GISTS_MAX)?;
    let end = live.end_of(*question.entries.last()?)?;
    Some(ToTell { first, end, question })
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
