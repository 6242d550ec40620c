//! What the person wanted of results holds until they want something else.

use foveal_context::level::Level;
use foveal_context::shape::ShapeKind;
use foveal_context::wish::Standing;
use foveal_transcript::Role;

use super::Moment;

/// Pinned results are sent word for word, those sent again until a rewrite takes them, and those
/// that were dropped are notes, shorter than they were; how each stands is what was wished last.
/// Only what was wished is carried out.
pub fn law(moment: &Moment<'_>) {
    for wish in &moment.step.wished {
        assert!(moment.wishes.results.contains(wish), "{wish:?} was not wished");
        assert_eq!(moment.record.entry(wish.entry).role, Role::Tool, "{wish:?}");
    }
    for (at, index) in moment.window().iter().enumerate() {
        let last = moment.step.wished.iter().rev().find(|wish| wish.entry == *index);
        let before = moment.before.standings.get(index).copied();
        let expected = last.map(|wish| wish.standing).or(before).unwrap_or_default();
        let item = moment.projector.item(*index);
        assert_eq!(item.standing, expected, "{index:?}");
        let content = moment.record.entry(*index).result().map_or("", |result| &result.content);
        match expected {
            Standing::Pinned => assert_eq!(moment.texts[at], content, "{index:?} is pinned"),
            Standing::Whole if item.level == Level::Arrival => {
                assert_eq!(moment.texts[at], content, "{index:?} is sent again");
            }
            Standing::Dropped => {
                let shape = item.decision.shape().expect("a note stands in its place");
                assert_eq!(shape.kind, ShapeKind::Note, "{index:?}");
                assert!(shape.notes().all(|note| note.handle == Some(shape.handle)), "{index:?}");
                assert!(item.tokens < moment.record.facts(*index).tokens, "{index:?}");
            }
            Standing::Whole | Standing::Free => {}
        }
    }
}
