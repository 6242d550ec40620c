//! Shaped on arrival, then frozen: a prompt begins with the last one, byte for byte, up to
//! the place from which a rewrite or the client's cut is declared.

use foveal_context::shape::Decision;
use foveal_context::transcript::EntryIndex;

use super::Moment;

/// Checks the declared prefix and that exactly what differs is declared as changed.
pub fn law(moment: &Moment<'_>) {
    let (step, before) = (moment.step, moment.before);
    let sent = before.texts.len();
    assert!(step.kept <= sent, "kept {} of {sent}", step.kept);
    assert!(step.kept <= moment.texts.len(), "kept {} of {}", step.kept, moment.texts.len());
    for at in 0..step.kept {
        let index = moment.window()[at];
        assert_eq!(index, before.window[at], "another entry at {at}, before {:?}", step.answer);
        assert_eq!(moment.texts[at], before.texts[at], "{index:?} changed at {:?}", step.answer);
    }
    let pairs = || moment.window().iter().zip(&before.window);
    let same = pairs().take_while(|(now, then)| now == then).count();
    let declared = step.rewrite.is_some() || (moment.is_cut() && step.kept >= same);
    assert!(
        step.kept == sent || declared,
        "kept {} of {sent} at {:?}, undeclared",
        step.kept,
        step.answer
    );
    let texts = moment.texts.iter().zip(&before.texts).take(same);
    let equal = texts.take_while(|(now, then)| now == then).count();
    let is_cut = moment.is_cut();
    assert!(is_cut || step.kept == equal, "kept {}, not {equal}, at {:?}", step.kept, step.answer);
    let old = |index: &EntryIndex| before.decisions.get(index).cloned().unwrap_or_default();
    let expected: Vec<(EntryIndex, Decision)> = moment
        .window()
        .iter()
        .map(|index| (*index, moment.projector.item(*index).decision.clone()))
        .filter(|(index, decision)| old(index) != *decision)
        .collect();
    assert_eq!(step.changed, expected, "declared changes at {:?}", step.answer);
}
