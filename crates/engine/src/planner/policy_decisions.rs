//! Plans a request by the policy of a design document.

use std::collections::HashMap;
use std::sync::Arc;

use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, MessageRole};

use super::planned_request::PlannedRequest;
use super::window_shaping::WindowShaper;
use crate::message_shape::{Decision, MessageShape, ShapeKind, ShapePiece};
use crate::note::{Note, NoteKind};
use crate::overrides::OverrideState;
use crate::plan_step::{PlanStep, RewriteReason};
use crate::policies::policy_view::{PolicyView, decide_by_size};
use crate::policies::{Policy, content_reset};

/// Follows a policy's note whose target has other lines.
const DIFFERS_SUFFIX: &str = " [what this read gave differs from what stands there]";

/// Decides a request by a policy. Nothing before bound reasoning changes in any case. `wished_from`
/// is the first entry that an override changes.
pub(super) fn plan_by_policy(
    policy: Policy,
    request: &PlannedRequest,
    wished_from: Option<EntryIndex>,
    mut shaper: WindowShaper<'_>,
) -> PlanStep {
    let PlannedRequest { known, cut, may_rewrite, compacts, .. } = *request;
    let (window, entries) = (&*shaper.window, &*shaper.entries);
    let sent_len = window.sent_len;
    let fixed = if may_rewrite { request.rewritable_from.min(sent_len) } else { sent_len };
    let view = PolicyView {
        record: shaper.record,
        window: window.entries(),
        entry_states: &entries.states,
        prelude: window.system.tokens(),
    };
    // Nothing in front of bound reasoning may change, least of all the system prompt.
    let base = match policy {
        Policy::ContentReset(marks) if may_rewrite && request.rewritable_from == 0 => {
            window.system.choose_base_files(&view, marks, compacts)
        }
        Policy::ContentReset(_) | Policy::FirstLastSampled(_) => None,
    };
    let view = PolicyView { prelude: window.system.tokens_with(base.as_deref()), ..view };
    let shapes = match (&base, policy) {
        (Some(base), Policy::ContentReset(marks)) => {
            content_reset::decide_with_base_files(&view, base, marks)
        }
        (_, _) => policy.decide(&view, compacts),
    };
    let read_bytes_max = shaper.config.settings.read_bytes_max;
    let mut wanted = policy_decisions(&view, shapes, fixed, known, read_bytes_max);
    let differs = |(index, (decision, _)): &(&EntryIndex, &(Decision, Tokens))| {
        entries.state(**index).decision != *decision
    };
    let first = wanted.iter().filter(differs).map(|(index, _)| *index).min();
    let from = window.first_changed_position(cut, wished_from.into_iter().chain(first));
    for index in window.entries().iter().take(fixed).filter(|index| **index < known) {
        wanted.insert(*index, entries.decision(*index));
    }
    let changed = shaper.shape_window(from, |shaper, index| {
        wanted.remove(&index).unwrap_or_else(|| shaper.decide_entry(index))
    });
    let first = changed.first().map(|(index, _)| *index);
    let is_wished = wished_from.zip(first).is_some_and(|(from, first)| from <= first);
    let reason = policy.rewrite_reason(compacts);
    let rewrite = match first.filter(|first| *first < known) {
        Some(_) if is_wished => Some(RewriteReason::Wished),
        Some(first) if shaper.window.is_before_cut(first, cut) => Some(reason),
        Some(_) => Some(RewriteReason::ClientRewrote),
        None => base.as_ref().map(|_| reason),
    };
    let unchanged = PlanStep::unchanged(request.answer, request.now, sent_len);
    PlanStep { changed, rewrite, base, ..unchanged }
}

/// Returns the decision on each result from window position `fixed` on that has no override, for
/// the `shapes` of a policy. `known` is the first new entry.
fn policy_decisions(
    view: &PolicyView<'_>,
    shapes: Vec<(EntryIndex, MessageShape)>,
    fixed: usize,
    known: EntryIndex,
    read_bytes_max: Option<usize>,
) -> HashMap<EntryIndex, (Decision, Tokens)> {
    let mut chosen: HashMap<EntryIndex, MessageShape> = shapes.into_iter().collect();
    let mut wanted = HashMap::new();
    for index in view.window.get(fixed..).unwrap_or_default() {
        let state = &view.entry_states[index.as_usize()];
        let entry = view.record.entry(*index);
        if entry.role != MessageRole::Tool || state.override_state != OverrideState::Free {
            continue;
        }
        let current = || (state.decision.clone(), state.tokens);
        let decided = match chosen.remove(index) {
            Some(shape) if state.decision.shape() == Some(&shape) => current(),
            Some(shape) => decide_by_size(view.record, *index, &correct_notes(view, *index, shape)),
            None => (Decision::Keep, view.record.facts(*index).tokens),
        };
        // Results that no prompt can hold are shaped by the settings on arrival, and stay so.
        let is_too_long = read_bytes_max.is_some_and(|most| {
            entry.tool_result().is_some_and(|result| result.content.len() > most)
        });
        match decided.0.shape().is_none() && is_too_long {
            true if *index < known => drop(wanted.insert(*index, current())),
            true => {}
            false => drop(wanted.insert(*index, decided)),
        }
    }
    wanted
}

/// Returns whether the prompt holds all of a result, as far as known.
fn is_sent_whole(view: &PolicyView<'_>, index: EntryIndex) -> bool {
    let state = &view.entry_states[index.as_usize()];
    state.decision.shape().is_none() && state.override_state != OverrideState::Dropped
}

/// Corrects the notes of a policy's shape: each gets the handle of its content, and a pointer at
/// a result with other content says so.
fn correct_notes(
    view: &PolicyView<'_>,
    index: EntryIndex,
    mut shape: MessageShape,
) -> MessageShape {
    let content =
        |index: EntryIndex| view.record.entry(index).tool_result().map(|it| it.content.as_str());
    let own = content(index);
    let mut differs = false;
    for piece in &mut shape.pieces {
        let ShapePiece::Note(_, note) = piece else { continue };
        let mut told = Note { handle: Some(shape.handle), ..(**note).clone() };
        let is_another =
            |target: &EntryIndex| content(*target) != own || !is_sent_whole(view, *target);
        if told.refers_to.iter().any(is_another) {
            differs = true;
            told.refers_to.clear();
            if let NoteKind::Quoted(text) = &mut told.kind {
                *text = format!("{text}{DIFFERS_SUFFIX}").into_boxed_str();
            }
        }
        *note = Arc::new(told);
    }
    if differs {
        shape.kind = ShapeKind::Note;
    }
    shape
}
