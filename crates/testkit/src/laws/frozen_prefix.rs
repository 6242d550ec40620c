//! The law of the frozen prefix: results are shaped on arrival, and a prompt begins with the last
//! one, byte for byte, up to the place of a declared rewrite or of the client's cut.

use foveal_engine::message_shape::Decision;
use foveal_transcript::EntryIndex;

use super::CheckedRequest;

/// Checks the declared prefix, and that exactly the differences are declared as changes.
pub fn prefix_is_frozen(moment: &CheckedRequest<'_>) {
    let (step, before) = (moment.step, moment.before);
    let sent = before.texts.len();
    assert!(step.kept <= sent, "kept {} of {sent}", step.kept);
    assert!(step.kept <= moment.texts.len(), "kept {} of {}", step.kept, moment.texts.len());
    for at in 0..step.kept {
        let index = moment.window()[at];
        assert_eq!(index, before.window[at], "another entry at {at}, before {:?}", step.answer);
        assert_eq!(moment.texts[at], before.texts[at], "{index:?} changed at {:?}", step.answer);
    }
    let is_cut = moment.has_client_cut();
    let declared = step.rewrite.is_some() || is_cut;
    assert!(step.kept == sent || declared, "kept {} of {sent}, undeclared", step.kept);
    let same = moment.window().iter().zip(&before.window).take_while(|(now, then)| now == then);
    let texts = moment.texts.iter().zip(&before.texts).take(same.count());
    let (now, then): (Vec<_>, Vec<_>) = texts.unzip();
    let equal = now.iter().zip(&then).take_while(|(now, then)| now == then).count();
    // A cut by the client does not justify changes before it.
    assert!(equal == now.len() || step.rewrite.is_some(), "{equal} changed, undeclared");
    assert!(is_cut || step.kept == equal, "kept {}, not {equal}, at {:?}", step.kept, step.answer);
    let old = |index: &EntryIndex| before.decisions.get(index).cloned().unwrap_or_default();
    let expected: Vec<(EntryIndex, Decision)> = moment
        .window()
        .iter()
        .map(|index| (*index, moment.projector.entry_state(*index).decision.clone()))
        .filter(|(index, decision)| old(index) != *decision)
        .collect();
    assert_eq!(step.changed, expected, "declared changes at {:?}", step.answer);
}
