//! Laws on rewrites: they are rare, have a true declared reason, and pay.

use foveal_engine::overrides::OverrideState;
use foveal_engine::plan_step::RewriteReason;
use foveal_engine::reduction_level::ReductionLevel;
use foveal_engine::settings::RewriteSettings;
use foveal_tool_effects::EffectKind;
use foveal_transcript::{EntryIndex, MessageRole};

use super::CheckedRequest;

/// Checks the declared reason against the sent prompts, and that each result is rewritten at most
/// once.
pub fn rewrites_are_justified(moment: &CheckedRequest<'_>) {
    let step = moment.step;
    let sent = |index: &EntryIndex| index.as_usize() < moment.before.entries;
    let changes = step.changed.iter().any(|(index, _)| sent(index));
    assert!(step.rewrite.is_none() || changes, "a rewrite that changed nothing");
    assert!(step.rewrite.is_some() || step.levels.is_empty() || !changes, "undeclared");
    let Some(reason) = step.rewrite else { return };
    if reason == RewriteReason::Wished {
        return check_override_rewrite(moment);
    }
    let settings = moment.settings.expect("a rewrite needs settings that allow it");
    for (index, level) in &step.levels {
        assert_eq!(moment.record.entry(*index).role, MessageRole::Tool, "{index:?}");
        let old = moment.before.levels.get(index).copied().unwrap_or_default();
        assert!(*level > old, "{index:?} goes from {old:?} to {level:?}");
        assert!(moment.position(*index).is_some(), "{index:?} is not in the prompt");
    }
    match reason {
        RewriteReason::CacheCold => check_cache_expired(moment),
        RewriteReason::ClientRewrote => assert!(moment.has_client_cut(), "the client cut nothing"),
        RewriteReason::HighMark => check_high_mark(moment, settings),
        RewriteReason::SkiRental => check_rental_paid(moment, settings),
        RewriteReason::LookedOnce => check_early_reduction(moment, settings),
        RewriteReason::Compacted => assert!(moment.overrides.compacts, "nobody wanted that"),
        RewriteReason::Wished => {}
        RewriteReason::Recomputed => panic!("the engine does not decide anew"),
        RewriteReason::Foreseen => panic!("the engine does not know what comes"),
    }
}

/// Checks that the first change is that of a result with an override.
fn check_override_rewrite(moment: &CheckedRequest<'_>) {
    let step = moment.step;
    assert!(step.levels.is_empty(), "something else was taken beside");
    let first = step.changed.first().map(|(index, _)| *index).expect("something changed");
    let wanted = |index: EntryIndex| step.wished.iter().any(|wish| wish.entry == index);
    let is_behind = step.wished.iter().any(|wish| wish.entry <= first);
    assert!(wanted(first) || is_behind, "{first:?} changed, and nothing was wanted of it");
}

fn check_cache_expired(moment: &CheckedRequest<'_>) {
    let lifetime = moment.prices.cache_lifetime_ms.expect("what is not cached cannot expire");
    let times = moment.before.time.zip(moment.step.time);
    let gap = times.map(|(last, now)| now.since_ms(last));
    assert!(gap.is_some_and(|gap| gap > lifetime), "{gap:?} ms are not over {lifetime}");
}

/// Checks that the prompt exceeded the high mark. The rewritten results must have held enough
/// tokens to reach the low mark, or else only protected results may be left. The new size of a
/// result is known only after the rewrite, so the prompt may still be too long. The same holds for
/// new entries: they were smaller than recorded until rewrites above them changed their pointer
/// targets.
fn check_high_mark(moment: &CheckedRequest<'_>, settings: &RewriteSettings) {
    let before: u64 = moment.before.tokens.iter().map(|tokens| tokens.0).sum();
    let new = moment.window().iter().filter(|index| index.as_usize() >= moment.before.entries);
    let arrived: u64 = new.map(|index| moment.record.facts(*index).tokens.0).sum();
    assert!(before + arrived > settings.high.0, "{before} + {arrived} tokens are not high");
    let Some(planner) = moment.planner() else { return };
    let rewritten = |index: &EntryIndex| moment.step.levels.iter().any(|(at, _)| at == index);
    let sizes = moment.before.window.iter().zip(&moment.before.tokens);
    let taken: u64 = sizes.filter(|(at, _)| rewritten(at)).map(|(_, tokens)| tokens.0).sum();
    if planner.tokens() <= settings.high || before <= taken + settings.low.0 {
        return;
    }
    // A result that a rewrite further up enlarged was not worth a rewrite when it was chosen.
    for (index, tokens) in moment.before.window.iter().zip(&moment.before.tokens) {
        let item = planner.entry_state(*index);
        let Some(life) = &item.age else { continue };
        let now = planner.request_count() - 1;
        let free = now - life.arrived >= settings.recent_requests
            && *tokens >= settings.tokens_min
            && moment.record.facts(*index).kind() != EffectKind::Other
            && item.override_state == OverrideState::Free
            && moment.step.wished.iter().all(|wish| wish.entry != *index)
            && item.level == ReductionLevel::Arrival;
        assert!(!free || moment.position(*index).is_none(), "{index:?} could have gone");
    }
}

/// Checks that the cost of carrying the rewritten results so far, at their present size, reaches
/// the share of the rewrite's price that the settings require. Their new size counts as zero, so
/// that the estimate of it cannot fail this check.
fn check_rental_paid(moment: &CheckedRequest<'_>, settings: &RewriteSettings) {
    let prices = moment.prices;
    let rewritten = |index: &EntryIndex| moment.step.levels.iter().any(|(at, _)| at == index);
    let before = || moment.before.window.iter().zip(&moment.before.tokens);
    let carried: u64 = before()
        .filter(|(at, _)| rewritten(at))
        .map(|(at, tokens)| tokens.0 * moment.before.requests[at])
        .sum();
    let old = before().skip(moment.step.kept);
    let behind: u64 = old.filter(|(at, _)| !rewritten(at)).map(|(_, tokens)| tokens.0).sum();
    let paid = carried as f64 * prices.cache_read;
    let costs = behind as f64 * (prices.cache_write - prices.cache_read);
    let due = settings.rental * costs;
    assert!(paid >= due, "carrying cost {paid}, rewriting {costs}, at {:?}", moment.step.answer);
}

/// Checks that every rewritten result was sent and answered before, and that the expected cost of
/// carrying all of them in the following requests exceeds the price of the rewrite. Their new size
/// counts as zero, as above.
fn check_early_reduction(moment: &CheckedRequest<'_>, settings: &RewriteSettings) {
    let once = settings.look_once.as_ref().expect("a reason that these settings do not know");
    let prices = moment.prices;
    let rewritten = |index: &EntryIndex| moment.step.levels.iter().any(|(at, _)| at == index);
    for (index, _) in &moment.step.levels {
        assert_eq!(moment.record.entry(*index).role, MessageRole::Tool, "{index:?} is no result");
        assert!(moment.before.requests.get(index).is_some_and(|times| *times > 0), "{index:?}");
        let mut behind = moment.window().iter().filter(|at| *at > index);
        let is_answer = |at: &EntryIndex| moment.record.entry(*at).role == MessageRole::Assistant;
        assert!(behind.any(is_answer), "{index:?} is not answered");
    }
    let old = || moment.before.window.iter().zip(&moment.before.tokens);
    let saved: u64 = old().filter(|(at, _)| rewritten(at)).map(|(_, tokens)| tokens.0).sum();
    let behind = old().skip(moment.step.kept).filter(|(at, _)| !rewritten(at));
    let behind: u64 = behind.map(|(_, tokens)| tokens.0).sum();
    let worth = saved as f64 * prices.cache_read * f64::from(once.horizon);
    let costs = behind as f64 * (prices.cache_write - prices.cache_read);
    assert!(worth >= costs, "{worth} saved, {costs} paid, at {:?}", moment.step.answer);
}
