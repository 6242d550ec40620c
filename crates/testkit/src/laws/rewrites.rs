//! Rewrites are rare, declared with a reason that is true, and pay.

use foveal_context::level::Level;
use foveal_context::settings::RewriteSettings;
use foveal_context::step::RewriteReason;
use foveal_context::wish::Standing;
use foveal_effects::EffectKind;
use foveal_transcript::{EntryIndex, Role};

use super::Moment;

/// Checks the declared reason against what was sent, and that each result is rewritten at
/// most once.
pub fn law(moment: &Moment<'_>) {
    let step = moment.step;
    let sent = |index: &EntryIndex| index.at() < moment.before.entries;
    let changes = step.changed.iter().any(|(index, _)| sent(index));
    assert!(step.rewrite.is_none() || changes, "a rewrite that changed nothing");
    assert!(step.rewrite.is_some() || step.levels.is_empty() || !changes, "undeclared");
    let Some(reason) = step.rewrite else { return };
    if reason == RewriteReason::Wished {
        return is_wished(moment);
    }
    let settings = moment.settings.expect("a rewrite needs settings that allow it");
    for (index, level) in &step.levels {
        let may_change = match moment.record.entry(*index).role {
            Role::Tool => true,
            Role::Assistant => moment.tells_edits(),
            Role::System | Role::User => false,
        };
        assert!(may_change, "{index:?}");
        let old = moment.before.levels.get(index).copied().unwrap_or_default();
        assert!(*level > old, "{index:?} goes from {old:?} to {level:?}");
        assert!(moment.position(*index).is_some(), "{index:?} is not in the prompt");
    }
    match reason {
        RewriteReason::CacheCold => is_cold(moment),
        RewriteReason::ClientRewrote => assert!(moment.is_cut(), "the client cut nothing"),
        RewriteReason::HighMark => is_high(moment, settings),
        RewriteReason::SkiRental => has_paid(moment, settings),
        RewriteReason::LookedOnce => has_been_seen(moment, settings),
        RewriteReason::Compacted => assert!(moment.wishes.compacts, "nobody wanted that"),
        RewriteReason::Wished => {}
        RewriteReason::Recomputed => panic!("the engine does not decide anew"),
        RewriteReason::Foreseen => panic!("the engine does not know what comes"),
    }
}

/// What changes begins with a result of which the person wanted something.
fn is_wished(moment: &Moment<'_>) {
    let step = moment.step;
    assert!(step.levels.is_empty(), "something else was taken beside");
    let first = step.changed.first().map(|(index, _)| *index).expect("something changed");
    let wanted = |index: EntryIndex| step.wished.iter().any(|wish| wish.entry == index);
    let is_behind = step.wished.iter().any(|wish| wish.entry <= first);
    assert!(wanted(first) || is_behind, "{first:?} changed, and nothing was wanted of it");
}

fn is_cold(moment: &Moment<'_>) {
    let lifetime = moment.prices.cache_lifetime_ms.expect("what is not cached cannot expire");
    let times = moment.before.time.zip(moment.step.time);
    let gap = times.map(|(last, now)| now.since_ms(last));
    assert!(gap.is_some_and(|gap| gap > lifetime), "{gap:?} ms are not over {lifetime}");
}

/// The mark was passed, and what was taken held enough to come down to the low mark, or what is
/// left is what may not be touched. How little of a result its rewrite leaves is known only
/// afterwards, so that the prompt may still be too long then. So it is with what arrived: until
/// rewrites above it changed what it may point at, it was shorter than it is as recorded.
fn is_high(moment: &Moment<'_>, settings: &RewriteSettings) {
    let before: u64 = moment.before.tokens.iter().map(|tokens| tokens.0).sum();
    let new = moment.window().iter().filter(|index| index.at() >= moment.before.entries);
    let arrived: u64 = new.map(|index| moment.record.facts(*index).tokens.0).sum();
    assert!(before + arrived > settings.high.0, "{before} + {arrived} tokens are not high");
    let Some(planner) = moment.planner() else { return };
    let rewritten = |index: &EntryIndex| moment.step.levels.iter().any(|(at, _)| at == index);
    let sizes = moment.before.window.iter().zip(&moment.before.tokens);
    let taken: u64 = sizes.filter(|(at, _)| rewritten(at)).map(|(_, tokens)| tokens.0).sum();
    if planner.tokens() <= settings.high || before <= taken + settings.low.0 {
        return;
    }
    // What a rewrite further up has made larger was not worth a rewrite when it was chosen.
    for (index, tokens) in moment.before.window.iter().zip(&moment.before.tokens) {
        let Some(life) = planner.life(*index) else { continue };
        let now = planner.requests() - 1;
        let item = planner.item(*index);
        let free = now - life.arrived >= settings.recent_requests
            && *tokens >= settings.tokens_min
            && moment.record.facts(*index).kind() != EffectKind::Other
            && item.standing == Standing::Free
            && moment.step.wished.iter().all(|wish| wish.entry != *index)
            && item.level == Level::Arrival;
        assert!(!free || moment.position(*index).is_none(), "{index:?} could have gone");
    }
}

/// What the rewritten results were carried for, from their first request on and at their
/// present size, is worth the share of the rewrite that the settings ask for. Their own new
/// size counts as nothing, so that an estimate of it cannot fail this.
fn has_paid(moment: &Moment<'_>, settings: &RewriteSettings) {
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

/// Every rewritten result went with an earlier request and was answered, and what all of them are
/// carried for in the requests that are expected to follow is worth the rewrite. Their own new size
/// counts as nothing, as above.
fn has_been_seen(moment: &Moment<'_>, settings: &RewriteSettings) {
    let once = settings.look_once.as_ref().expect("a reason that these settings do not know");
    let prices = moment.prices;
    let rewritten = |index: &EntryIndex| moment.step.levels.iter().any(|(at, _)| at == index);
    for (index, _) in &moment.step.levels {
        assert_eq!(moment.record.entry(*index).role, Role::Tool, "{index:?} is no result");
        assert!(moment.before.requests.get(index).is_some_and(|times| *times > 0), "{index:?}");
        let mut behind = moment.window().iter().filter(|at| *at > index);
        let is_answer = |at: &EntryIndex| moment.record.entry(*at).role == Role::Assistant;
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
