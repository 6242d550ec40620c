//! `outside-cache`: prints what could be saved if results that go after one look were kept out of
//! the cache while they are looked at, at the price of plain input.
//!
//! Only where prompts are cached up to marks can that be done, and only for what is known to go.
//! Here all that went is known beforehand, so this is the most that it could save.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use foveal_code::views::CuratedViews;
use foveal_context::prices::PriceCard;
use foveal_context::profile::Profile;
use foveal_context::step::RewriteReason;
use foveal_context::tokens::Tokenizer;
use foveal_replay::{Prepared, replay};
use rayon::prelude::*;

use crate::recorded_sessions::load_conversations;

/// The command line of `outside-cache`.
#[derive(Debug, clap::Args)]
pub(crate) struct OutsideCacheArguments {
    /// A folder of recorded sessions.
    #[arg(default_value = "../shared/sessions/atif")]
    folder: PathBuf,
    /// A built-in price card.
    #[arg(default_value = "anthropic-5m")]
    card: String,
}

/// Replays the sessions and prints the most that could be saved.
///
/// # Errors
/// If an argument or a file cannot be used.
pub(super) fn run(arguments: &OutsideCacheArguments) -> anyhow::Result<()> {
    let card = &arguments.card;
    let prices = PriceCard::named(card).with_context(|| format!("there is no card `{card}`"))?;
    let prepared: Vec<_> = load_conversations(std::slice::from_ref(&arguments.folder))?
        .into_par_iter()
        .map(|recorded| Prepared::new(recorded.conversation, Tokenizer::O200k))
        .collect();
    println!("{:10} {:>12} {:>9} {:>9}", "profile", "tokens", "of cost", "mean");
    for name in ["balanced", "max"] {
        let profile = Profile::named(name).context("no such profile")?;
        let each: Vec<(u64, f64)> =
            prepared.par_iter().map(|one| replaced_after_one_look(profile, one, &prices)).collect();
        let saved = |tokens: u64| tokens as f64 * (prices.cache_write - prices.input) / 1e6;
        let tokens: u64 = each.iter().map(|(tokens, _)| tokens).sum();
        let dollars: f64 = each.iter().map(|(_, dollars)| dollars).sum();
        let paid: Vec<_> = each.iter().filter(|(_, dollars)| *dollars > 0.0).collect();
        let shares = paid.iter().map(|(tokens, dollars)| saved(*tokens) / dollars);
        let mean = shares.sum::<f64>() / paid.len().max(1) as f64;
        println!(
            "{name:10} {tokens:>12} {:>7.2} % {:>7.2} %",
            saved(tokens) / dollars * 100.0,
            mean * 100.0
        );
    }
    Ok(())
}

/// Returns the tokens of results that were reduced at the request after the one that brought
/// them, and the cost of the conversation as recorded.
fn replaced_after_one_look(
    profile: &Profile,
    prepared: &Prepared,
    prices: &PriceCard,
) -> (u64, f64) {
    let mut projector = profile.start(prices).with_views(Arc::new(CuratedViews::default()));
    // The request that a result came with, and its tokens as it was sent last.
    let mut sent: HashMap<u32, (u32, u64)> = HashMap::new();
    let (mut request, mut tokens) = (0, 0);
    let whole = replay(prepared, &mut projector, prices, &mut |projector, step| {
        request += 1;
        if step.rewrite == Some(RewriteReason::LookedOnce) {
            let gone = step.changed.iter().filter_map(|(index, _)| sent.get(&index.0));
            let new = gone.filter(|(came, _)| came + 1 == request);
            tokens += new.map(|(_, tokens)| tokens).sum::<u64>();
        }
        for index in projector.window() {
            let now = projector.item(*index).tokens.0;
            sent.entry(index.0).or_insert((request, now)).1 = now;
        }
    });
    (tokens, whole.raw_dollars())
}
