//! A row of cost against evidence over all conversations.

use std::borrow::Borrow;

use foveal_engine::projector::Projector;
use foveal_pricing::prices::PriceCard;
use foveal_replay::conversation_replay::VisibleShare;
use foveal_replay::{ConversationReplay, PreparedConversation, replay};
use rayon::prelude::*;

/// Returns the names of the columns.
pub(crate) fn cost_heading(conversations: usize) -> String {
    format!(
        "{} conversations\n{:28} {:>7} {:>7} {:>7} {:>8} {:>7} {:>6} {:>6} {:>5} {:>6}\n",
        conversations,
        "profile",
        "cost",
        "mean",
        "tokens",
        "evidence",
        "refs",
        "rep/s",
        "rewr",
        "laws",
        "dearer"
    )
}

/// Replays all conversations and returns their sums: net cost, mean cost ratio of the
/// conversations, tokens, evidence, references, repairs per conversation, rewrites, broken laws,
/// and the number of conversations that cost more than recorded, repairs included.
pub(crate) fn cost_row<P: Borrow<PreparedConversation> + Sync>(
    name: &str,
    prepared: &[P],
    prices: &PriceCard,
    start: impl Fn(&P) -> Projector + Sync,
) -> String {
    let of = |one: &P| replay(one.borrow(), &mut start(one), prices, &mut |_, _| {});
    let replays: Vec<ConversationReplay> = prepared.par_iter().map(of).collect();
    let raw: f64 = replays.iter().map(ConversationReplay::raw_dollars).sum();
    let net: f64 = replays.iter().map(ConversationReplay::net_dollars).sum();
    let paid = replays.iter().filter(|replay| replay.raw_dollars() > 0.0);
    let ratios: Vec<f64> = paid.map(|r| r.net_dollars() / r.raw_dollars() - 1.0).collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let (mut evidence, mut references) = (VisibleShare::default(), VisibleShare::default());
    let (mut raw_tokens, mut tokens, mut repairs, mut rewrites) = (0, 0, 0, 0);
    for request in replays.iter().flat_map(|replay| &replay.requests) {
        evidence += request.evidence;
        references += request.references;
        raw_tokens += request.raw.prompt.0;
        tokens += request.projected.prompt.0;
        repairs += request.repairs;
        rewrites += u32::from(request.rewrite.is_some());
    }
    let dearer = replays.iter().filter(|r| r.net_dollars() > r.raw_dollars() + 1e-9).count();
    let laws: u32 = replays.iter().map(|replay| replay.breaches.total()).sum();
    format!(
        "{name:28} {:+6.1}% {:+6.1}% {:+6.1}% {:8.4} {:7.4} {:6.2} {rewrites:6} {laws:5} {dearer:6}\n",
        (net / raw - 1.0) * 100.0,
        mean * 100.0,
        (tokens as f64 / raw_tokens as f64 - 1.0) * 100.0,
        evidence.ratio(),
        references.ratio(),
        f64::from(repairs) / replays.len() as f64,
    )
}
