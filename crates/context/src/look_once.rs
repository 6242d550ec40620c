//! Look once: results that are reduced soon after the model has seen them.
//!
//! Behind a result of the last request stands nothing that is cached: the answer to it is new in
//! the prompt and written anyway. To reduce it now costs that what is left of it is written too;
//! later it costs that of all that came since, which would have been read. The model has seen the
//! result in full, and what it made of it stands in its answer. So what is rarely used again
//! (output of commands, hits, listings, echoes of edits) goes as soon as that pays.
//!
//! It pays if the conversation goes on, which nobody knows. So it is paid for only with what was
//! saved before: a conversation that ends right then has not cost more than if nothing had been
//! done.

use std::collections::HashSet;

use crate::facts::Facts;
use crate::level::Level;
use crate::note::{Counts, Note, NoteKind};
use crate::rewrite::ask::Ask;
use crate::rewrite::less::{less_of_result, uses_of_thousand};
use crate::settings::LookOnce;
use crate::shaping::arrival::shows_files;
use crate::shaping::reduce::{TELLING_BYTES_MAX, left_of_seen};
use crate::wish::Standing;
use foveal_effects::EffectKind;
use foveal_transcript::{EntryIndex, Handle, Role};

/// A result that the model has seen, and that may be reduced now.
#[derive(Debug)]
pub(crate) struct Seen {
    pub index: EntryIndex,
    /// Place in the window.
    pub position: usize,
    /// Tokens it would lose at least.
    saving: u64,
    /// The first window position that the provider would not find.
    from: usize,
    /// Whether the provider finds again what stands before it, by the end of an answer.
    is_found: bool,
}

/// Entries at the end of the window that are looked at; more than a few answers in a row have.
const LOOKED_AT_MAX: usize = 256;

/// Blocks that a provider may be told more than are known here, as reminders of clients are.
const UNKNOWN_BLOCKS: usize = 4;

/// The results of the last requests that have been seen for long enough, in window order.
pub(crate) fn seen(ask: &Ask<'_>) -> Vec<Seen> {
    let Some(once) = &ask.settings.look_once else { return Vec::new() };
    let window = &ask.window[..ask.sent_and_answered()];
    let mut found: Vec<Seen> = Vec::new();
    let (mut blocks, mut ends_known) = (0, 0);
    let mut pointed_at: HashSet<EntryIndex> = HashSet::new();
    for (position, index) in window.iter().enumerate().rev().take(LOOKED_AT_MAX) {
        if position < ask.fixed_until {
            break;
        }
        let entry = ask.record.entry(*index);
        blocks += entry.blocks.len().max(1);
        if ask.prices.cache_lookback_blocks.is_some() && entry.role == Role::Assistant {
            // What is kept ends with an answer.
            found[ends_known..].iter_mut().for_each(|one| one.from = position + 1);
            ends_known = found.len();
        }
        let Some(life) = &ask.lives[index.at()] else { continue };
        let age = ask.requests - life.arrived;
        if age > latest(once) + AGE_SPARE {
            break;
        }
        let item = &ask.items[index.at()];
        pointed_at.extend(item.decision.shape().iter().flat_map(|shape| shape.refers_to()));
        let is_whole = item.level == Level::Arrival
            && item.standing == Standing::Free
            && item.tokens >= ask.settings.tokens_min
            && !ask.is_wished(*index);
        // What points at it would have to say it all again.
        let is_free = is_whole && !pointed_at.contains(index);
        if !is_free || after(ask, *index, once).is_none_or(|after| age < after) {
            continue;
        }
        let Some(saving) = saving(ask, *index) else { continue };
        let is_found = is_found(ask, life.arrived, blocks);
        found.push(Seen { index: *index, position, saving, from: position, is_found });
    }
    found.reverse();
    found
}

/// Requests for which it is tried again to reduce what did not pay at first.
const AGE_SPARE: u32 = 8;

/// The most requests after which results are reduced.
fn latest(once: &LookOnce) -> u32 {
    let of_reads = once.reads.as_ref().map_or(0, |reads| reads.after);
    once.runs_after.max(once.searches_after).max(of_reads)
}

/// The requests after which such a result is reduced; `None`: it waits until it is old.
fn after(ask: &Ask<'_>, index: EntryIndex, once: &LookOnce) -> Option<u32> {
    let facts = ask.record.facts(index);
    let content = || ask.record.entry(index).result().map_or("", |result| &result.content);
    let after = match facts.kind() {
        // Reports of other agents and the like are asked for once, to be worked with.
        EffectKind::Run if !is_command(facts) => return None,
        EffectKind::Search => once.searches_after,
        EffectKind::Run => once.runs_after,
        EffectKind::List | EffectKind::Edit | EffectKind::Write => return Some(once.runs_after),
        EffectKind::Read => {
            let (reads, life) = (once.reads.as_ref()?, ask.lives[index.at()].as_ref()?);
            let uses = uses_of_thousand(ask, index, facts, life);
            return (uses < reads.uses_min).then_some(reads.after);
        }
        EffectKind::Fetch | EffectKind::Other => return None,
    };
    // What is read like a file is used like one.
    (!shows_files(facts, content())).then_some(after)
}

fn is_command(facts: &Facts) -> bool {
    facts.call.as_ref().is_some_and(|call| call.effect.command.is_some())
}

/// What is saved at least by reducing a result: it is paid for with no more than what was saved
/// before.
fn saving(ask: &Ask<'_>, index: EntryIndex) -> Option<u64> {
    let result = ask.record.entry(index).result()?;
    let facts = ask.record.facts(index);
    if facts.kind() == EffectKind::Read {
        return less_of_result(ask.old_reads, facts, &ask.items[index.at()])
            .map(|(_, saving)| saving);
    }
    let tokens = |text: &str| ask.record.tokenizer().count(text).0;
    let left = match left_of_seen(&result.content, facts) {
        // Nothing that a single note tells of is larger than the whole.
        Some((text, gaps)) => {
            tokens(&text) + tokens(&note_of_all(facts, &result.content, !text.is_empty())) * gaps
        }
        None => TELLING_BYTES_MAX as u64 + LONG_GAP_TOKENS * LONG_GAPS,
    };
    ask.items[index.at()].tokens.0.checked_sub(left)
}

/// A note that tells of all of a result, in its line: of failures too, if it has any.
fn note_of_all(facts: &Facts, content: &str, has_failures: bool) -> String {
    let lines = u32::try_from(facts.printed.lines.len()).unwrap_or(u32::MAX);
    let bytes = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let counts = match facts.kind() {
        EffectKind::Search => Counts { hits: lines, files: lines, bytes, ..Counts::default() },
        _ if has_failures => Counts { lines, bytes, failures: lines, ..Counts::default() },
        _ => Counts { lines, bytes, ..Counts::default() },
    };
    let handle = Some(Handle::of(content.as_bytes()));
    format!("{}\n", Note { counts, handle, ..Note::new(NoteKind::LEFT_OUT) })
}

/// Tokens of a note of a long result, and its gaps: about the most that so few lines make.
const LONG_GAP_TOKENS: u64 = 32;
const LONG_GAPS: u64 = 24;

/// Whether the provider finds the end of the answer before a result that came at the request
/// `arrived`, when it looks from the latest answer `blocks` blocks back.
fn is_found(ask: &Ask<'_>, arrived: u32, blocks: usize) -> bool {
    let Some(lookback) = ask.prices.cache_lookback_blocks else { return true };
    let Some(sent) = ask.requests_sent.get(arrived as usize) else { return false };
    let is_alive = match (ask.prices.cache_lifetime_ms, sent.time, ask.now) {
        (Some(lifetime), Some(then), Some(now)) => now.since_ms(then) <= lifetime,
        (_, _, _) => true,
    };
    sent.keeps_answer && is_alive && blocks + UNKNOWN_BLOCKS <= lookback as usize
}

/// How many of the last of them to reduce so that it pays by the most. All that stands behind the
/// first of these is written again, which what was saved so far has to pay for.
pub(crate) fn worthwhile(ask: &Ask<'_>, seen: &[Seen]) -> usize {
    let Some(once) = &ask.settings.look_once else { return 0 };
    let (read, premium) = (ask.prices.read_ratio(), ask.prices.premium());
    let sent = ask.window_tokens.before(ask.sent).0;
    let (mut saved, mut best) = (0, (0.0, 0));
    for (count, one) in seen.iter().rev().enumerate() {
        if !one.is_found {
            break;
        }
        saved += one.saving;
        let behind = sent - ask.window_tokens.before(one.from).0;
        let costs = premium * behind.saturating_sub(saved) as f64;
        let a_request = saved as f64 * read;
        let surplus = a_request * f64::from(once.horizon) - costs;
        if surplus > best.0 && costs <= ask.balance.tokens() + a_request {
            best = (surplus, count + 1);
        }
    }
    best.1
}
