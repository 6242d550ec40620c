//! Early reduction: some results are reduced soon after the model has seen them.
//!
//! Behind a result of the last request nothing is cached: the answer to it is new in the prompt and
//! written anyway. Reducing the result now costs one more write of its remains. Reducing it later
//! costs a write of everything after it, which could have been read. The model has seen the result
//! in full, and its conclusions stand in its answer. So results that are rarely used again (output
//! of commands, hits, listings, echoes of edits) are reduced as soon as that pays.
//!
//! It pays only if the conversation goes on, which is unknown. So earlier savings must cover the
//! cost: a conversation that ends right then has cost no more than without any reduction.

use std::collections::HashSet;

use super::inputs::RewriteInputs;
use super::reduction::{next_reduction, uses_per_thousand};
use crate::entry_facts::EntryFacts;
use crate::note::{Counts, Note, NoteKind};
use crate::overrides::OverrideState;
use crate::reduction_level::ReductionLevel;
use crate::settings::EarlyReduction;
use crate::shaping::pipeline::reads_like_file;
use crate::shaping::reduction::{FAILURE_BYTES_MAX, estimate_seen_result};
use foveal_tool_effects::EffectKind;
use foveal_transcript::{EntryIndex, Handle, MessageRole};

/// A result that the model has seen and that may be reduced now.
#[derive(Debug)]
pub(crate) struct ReductionCandidate {
    pub index: EntryIndex,
    /// Position in the window.
    pub position: usize,
    /// Least number of tokens that the reduction saves.
    saving: u64,
    /// The first window position that the provider would not find in its cache.
    uncached_from: usize,
    /// Whether the provider has cached the prompt up to the answer before the result.
    is_prefix_cached: bool,
}

/// Most entries at the end of the window that are examined; a few consecutive answers have fewer.
const EXAMINED_ENTRIES_MAX: usize = 256;

/// Allowance for blocks that clients add to a request, such as reminders, and that are unknown
/// here.
const CLIENT_BLOCK_ALLOWANCE: usize = 4;

/// Returns the results of the last requests that the model has seen often enough, in window order.
pub(crate) fn find_candidates(ask: &RewriteInputs<'_>) -> Vec<ReductionCandidate> {
    let Some(once) = &ask.settings.look_once else { return Vec::new() };
    let window = &ask.window.entries()[..ask.answered_len()];
    let mut found: Vec<ReductionCandidate> = Vec::new();
    let (mut blocks, mut ends_known) = (0, 0);
    let mut pointed_at: HashSet<EntryIndex> = HashSet::new();
    for (position, index) in window.iter().enumerate().rev().take(EXAMINED_ENTRIES_MAX) {
        if position < ask.request.rewritable_from {
            break;
        }
        let entry = ask.record.entry(*index);
        blocks += entry.blocks.len().max(1);
        if ask.config.prices.cache_lookback_blocks.is_some() && entry.role == MessageRole::Assistant
        {
            // The cached part ends with an answer.
            found[ends_known..].iter_mut().for_each(|one| one.uncached_from = position + 1);
            ends_known = found.len();
        }
        let item = ask.entries.state(*index);
        let Some(life) = &item.age else { continue };
        let age = ask.history.request_count() - life.arrived;
        if age > max_requests_before_reduction(once) + RETRY_REQUESTS {
            break;
        }
        pointed_at
            .extend(item.decision.shape().iter().flat_map(|shape| shape.referenced_entries()));
        let is_whole = item.level == ReductionLevel::Arrival
            && item.override_state == OverrideState::Free
            && item.tokens >= ask.settings.tokens_min
            && !ask.has_override(*index);
        // Results that point at it would have to repeat its lines.
        let is_free = is_whole && !pointed_at.contains(index);
        if !is_free || requests_before_reduction(ask, *index, once).is_none_or(|after| age < after)
        {
            continue;
        }
        let Some(saving) = guaranteed_saving(ask, *index) else { continue };
        let is_found = is_prefix_cached(ask, life.arrived, blocks);
        found.push(ReductionCandidate {
            index: *index,
            position,
            saving,
            uncached_from: position,
            is_prefix_cached: is_found,
        });
    }
    found.reverse();
    found
}

/// Number of further requests at which a reduction that did not pay is tried again.
const RETRY_REQUESTS: u32 = 8;

/// Returns the largest number of requests that show a result before it is reduced.
fn max_requests_before_reduction(once: &EarlyReduction) -> u32 {
    let of_reads = once.reads.as_ref().map_or(0, |reads| reads.after);
    once.runs_after.max(once.searches_after).max(of_reads)
}

/// Returns how many requests show such a result before it is reduced; `None`: it waits until it is
/// old.
fn requests_before_reduction(
    ask: &RewriteInputs<'_>,
    index: EntryIndex,
    once: &EarlyReduction,
) -> Option<u32> {
    let facts = ask.record.facts(index);
    let content = || ask.record.entry(index).tool_result().map_or("", |result| &result.content);
    let after = match facts.kind() {
        // Reports of sub-agents and the like are the basis of further work.
        EffectKind::Run if !runs_command(facts) => return None,
        EffectKind::Search => once.searches_after,
        EffectKind::Run => once.runs_after,
        EffectKind::List | EffectKind::Edit | EffectKind::Write => return Some(once.runs_after),
        EffectKind::Read => {
            let (reads, life) = (once.reads.as_ref()?, ask.entries.state(index).age.as_ref()?);
            let uses = uses_per_thousand(ask, index, facts, life);
            return (uses < reads.uses_min).then_some(reads.after);
        }
        EffectKind::Fetch | EffectKind::Other => return None,
    };
    // Output that shows files is used like a read of them.
    (!reads_like_file(facts, content())).then_some(after)
}

fn runs_command(facts: &EntryFacts) -> bool {
    facts.call.as_ref().is_some_and(|call| call.effect.command.is_some())
}

/// Returns the least number of tokens that reducing a result saves. A lower bound, since no more
/// than earlier savings may be spent.
fn guaranteed_saving(ask: &RewriteInputs<'_>, index: EntryIndex) -> Option<u64> {
    let result = ask.record.entry(index).tool_result()?;
    let facts = ask.record.facts(index);
    if facts.kind() == EffectKind::Read {
        return next_reduction(ask.config.old_reads(), facts, ask.entries.state(index))
            .map(|(_, saving)| saving);
    }
    let tokens = |text: &str| ask.record.tokenizer().count(text).0;
    let left = match estimate_seen_result(&result.content, facts) {
        // No gap's note is larger than a note of the whole.
        Some((text, gaps)) => {
            tokens(&text) + tokens(&largest_note(facts, &result.content, !text.is_empty())) * gaps
        }
        None => FAILURE_BYTES_MAX as u64 + LONG_RESULT_NOTE_TOKENS * LONG_RESULT_GAPS,
    };
    ask.entries.state(index).tokens.0.checked_sub(left)
}

/// Returns the largest note on a result, as a line of its own.
fn largest_note(facts: &EntryFacts, content: &str, has_failures: bool) -> String {
    let lines = u32::try_from(facts.printed.lines.len()).unwrap_or(u32::MAX);
    let bytes = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let counts = match facts.kind() {
        EffectKind::Search => Counts { hits: lines, files: lines, bytes, ..Counts::default() },
        _ if has_failures => Counts { lines, bytes, failures: lines, ..Counts::default() },
        _ => Counts { lines, bytes, ..Counts::default() },
    };
    let handle = Some(Handle::from_content(content.as_bytes()));
    format!("{}\n", Note { counts, handle, ..Note::new(NoteKind::LEFT_OUT) })
}

/// Tokens of a note in a long result, and the most gaps that its telling lines make, roughly.
const LONG_RESULT_NOTE_TOKENS: u64 = 32;
const LONG_RESULT_GAPS: u64 = 24;

/// Returns whether the provider has cached the end of the answer before a result that arrived with
/// request `arrived`, `blocks` blocks in front of the latest answer.
fn is_prefix_cached(ask: &RewriteInputs<'_>, arrived: u32, blocks: usize) -> bool {
    let Some(lookback) = ask.config.prices.cache_lookback_blocks else { return true };
    let Some(sent) = ask.history.sent.get(arrived as usize) else { return false };
    let is_alive = match (ask.config.prices.cache_lifetime_ms, sent.time, ask.request.now) {
        (Some(lifetime), Some(then), Some(now)) => now.since_ms(then) <= lifetime,
        (_, _, _) => true,
    };
    sent.keeps_answer && is_alive && blocks + CLIENT_BLOCK_ALLOWANCE <= lookback as usize
}

/// Returns how many of the last candidates to reduce for the largest surplus. Everything behind the
/// first of them is written again, and the savings so far must cover it.
pub(crate) fn profitable_count(ask: &RewriteInputs<'_>, seen: &[ReductionCandidate]) -> usize {
    let Some(once) = &ask.settings.look_once else { return 0 };
    let (read, premium) = (ask.config.prices.read_ratio(), ask.config.prices.write_premium());
    let sent = ask.window.sent_tokens().0;
    let (mut saved, mut best) = (0, (0.0, 0));
    for (count, one) in seen.iter().rev().enumerate() {
        if !one.is_prefix_cached {
            break;
        }
        saved += one.saving;
        let behind = sent - ask.window.tokens.prefix_tokens(one.uncached_from).0;
        let costs = premium * behind.saturating_sub(saved) as f64;
        let a_request = saved as f64 * read;
        let surplus = a_request * f64::from(once.horizon) - costs;
        if surplus > best.0 && costs <= ask.history.balance.tokens() + a_request {
            best = (surplus, count + 1);
        }
    }
    best.1
}
