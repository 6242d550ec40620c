//! The law of overrides: a user's override of a result holds until the next one.

use foveal_engine::message_shape::ShapeKind;
use foveal_engine::overrides::OverrideState;
use foveal_engine::reduction_level::ReductionLevel;
use foveal_transcript::MessageRole;

use super::CheckedRequest;

/// Pinned results are sent verbatim. Restored ones are too, until a rewrite reduces them, and
/// dropped ones are notes that are shorter than the results. The last override decides the state,
/// and only requested overrides are applied.
pub fn overrides_hold(moment: &CheckedRequest<'_>) {
    for wish in &moment.step.wished {
        assert!(moment.overrides.results.contains(wish), "{wish:?} was not wished");
        assert_eq!(moment.record.entry(wish.entry).role, MessageRole::Tool, "{wish:?}");
    }
    for (at, index) in moment.window().iter().enumerate() {
        let last = moment.step.wished.iter().rev().find(|wish| wish.entry == *index);
        let before = moment.before.override_states.get(index).copied();
        let expected = last.map(|wish| wish.standing).or(before).unwrap_or_default();
        let item = moment.projector.entry_state(*index);
        assert_eq!(item.override_state, expected, "{index:?}");
        let content =
            moment.record.entry(*index).tool_result().map_or("", |result| &result.content);
        match expected {
            OverrideState::Pinned => assert_eq!(moment.texts[at], content, "{index:?} is pinned"),
            OverrideState::Whole if item.level == ReductionLevel::Arrival => {
                assert_eq!(moment.texts[at], content, "{index:?} is sent again");
            }
            OverrideState::Dropped => {
                let shape = item.decision.shape().expect("a note stands in its place");
                assert_eq!(shape.kind, ShapeKind::Note, "{index:?}");
                assert!(shape.notes().all(|note| note.handle == Some(shape.handle)), "{index:?}");
                assert!(item.tokens < moment.record.facts(*index).tokens, "{index:?}");
            }
            OverrideState::Whole | OverrideState::Free => {}
        }
    }
}
