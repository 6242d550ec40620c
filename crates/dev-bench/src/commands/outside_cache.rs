//! `outside-cache`: prints the possible savings if early reduced results were kept out of the cache
//! until their reduction, at the price of plain input.
//!
//! This requires a provider with explicit cache breakpoints, and results whose reduction is known
//! beforehand. Here all reductions are known, so the figure is an upper bound.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use foveal_engine::plan_step::RewriteReason;
use foveal_engine::profile::Profile;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_replay::baselines::find_profile;
use foveal_replay::{PreparedConversation, replay};
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

/// Replays the sessions and prints the upper bound of the savings.
///
/// # Errors
/// If an argument or a file cannot be used.
pub(super) fn run(arguments: &OutsideCacheArguments) -> anyhow::Result<()> {
    let card = &arguments.card;
    let prices = PriceCard::find(card).with_context(|| format!("unknown price card `{card}`"))?;
    let prepared: Vec<_> = load_conversations(std::slice::from_ref(&arguments.folder))?
        .into_par_iter()
        .map(|recorded| PreparedConversation::new(recorded.conversation, Tokenizer::O200k))
        .collect();
    println!("{:10} {:>12} {:>9} {:>9}", "profile", "tokens", "of cost", "mean");
    for name in ["balanced", "max"] {
        let profile = find_profile(name).context("no such profile")?;
        let each: Vec<(u64, f64)> =
            prepared.par_iter().map(|one| early_reduced_tokens(profile, one, &prices)).collect();
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

/// Returns the tokens of results that were reduced at the request after the one that brought them,
/// and the cost of the conversation as recorded.
fn early_reduced_tokens(
    profile: &Profile,
    prepared: &PreparedConversation,
    prices: &PriceCard,
) -> (u64, f64) {
    let mut projector =
        profile.new_projector(prices).with_view_source(Arc::new(CuratedViewSource::default()));
    // The request that brought a result, and its tokens as last sent.
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
            let now = projector.entry_state(*index).tokens.0;
            sent.entry(index.0).or_insert((request, now)).1 = now;
        }
    });
    (tokens, whole.raw_dollars())
}
