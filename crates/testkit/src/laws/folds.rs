//! Edits that are told in a few words: only texts of edits that were carried out are left out,
//! and what the notes say of them is true.

use std::collections::HashSet;

use foveal_context::call_texts::argument_texts;
use foveal_context::facts::file_name;
use foveal_context::note::{Note, NoteKind};
use foveal_context::record::Record;
use foveal_context::shape::ShapeKind;
use foveal_effects::EffectKind;
use foveal_effects::outcome::{Outcome, outcome};
use foveal_transcript::{Call, EntryIndex, Role};
use serde_json::Value;

use super::Moment;

/// The message around the told texts is the original: its text, the names of its calls and
/// every argument but old and new texts of edits that changed a file.
pub fn only_edits_are_told(moment: &Moment<'_>) {
    for (at, index, shape, _) in moment.folded() {
        assert_eq!(shape.kind, ShapeKind::Folded, "{index:?}");
        let notes: Vec<String> = shape.notes().map(Note::to_string).collect();
        let entry = moment.record.entry(index);
        let mut rest = moment.texts[at].strip_prefix(&entry.text()).expect("the text is kept");
        for (place, call) in entry.calls().enumerate() {
            rest = rest.strip_prefix('\n').unwrap_or(rest);
            rest = rest.strip_prefix(&call.name).expect("the name is kept").trim_start();
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            let sent = values.next().expect("arguments").expect("are JSON");
            rest = &rest[values.byte_offset()..];
            if sent == call.arguments {
                continue;
            }
            assert!(is_done(moment, index, place, call), "{index:?} did not happen");
            let answer = answer_of(moment.record, index, call).to_lowercase();
            let head: String = answer.chars().take(60).collect();
            let refused = REFUSALS.iter().find(|words| head.contains(**words));
            assert_eq!(refused, None, "{index:?} is answered by {answer:?}");
            let sent = Call { arguments: sent, ..call.clone() };
            for (sent, was) in argument_texts(&sent).into_iter().zip(argument_texts(call)) {
                let told = notes.iter().any(|note| note == sent) && was.len() >= 100;
                assert!(sent == was || told, "{index:?} says {sent:?} for {was:?}");
            }
        }
        assert_eq!(rest, "", "{index:?} says more");
    }
}

/// Words that no tool says of an edit that it made.
const REFUSALS: [&str; 5] = ["error", "not found", "not exist", " matches of", "denied"];

fn answer_of<'c>(record: &'c Record, index: EntryIndex, call: &Call) -> &'c str {
    let mut results = record.entries()[index.at()..].iter().filter_map(|e| e.result());
    results.find(|result| result.call == call.id).map_or("", |result| &result.content)
}

/// Whether the result of a call of the response at `index` says that it was carried out.
fn is_done(moment: &Moment<'_>, index: EntryIndex, at: usize, call: &Call) -> bool {
    let effect = &moment.record.facts(index).calls[at].effect;
    let entries = &moment.record.entries()[index.at()..];
    let mut results = entries.iter().filter_map(|entry| entry.result());
    let result = results.find(|result| result.call == call.id);
    result.is_some_and(|result| outcome(effect, result) == Outcome::Done)
}

/// A note on a run says how many edits of the file there are between the turns it names, and
/// every edit that is told elsewhere is among those of a note above it.
pub fn notes_on_runs_are_true(moment: &Moment<'_>) {
    let mut told: HashSet<(String, u32)> = HashSet::new();
    for index in moment.window().iter().filter(|index| is_response(moment, **index)) {
        let turn = turn_of(moment.record, *index);
        let Some(shape) = moment.projector.item(*index).decision.shape() else { continue };
        for note in shape.notes() {
            let file = note.file.as_deref().unwrap_or_default();
            let NoteKind::Edits(edits) = &note.kind else { continue };
            let (first, last) = edits.turns;
            assert_eq!(first, turn, "{index:?}");
            let listed: u32 = edits.changes.iter().map(|(_, times)| times).sum();
            assert!([0, edits.count].contains(&(listed + edits.more)), "{index:?}: {note:?}");
            let counts = |path: &String| {
                let found = edits_between(moment, path, first, last);
                (found.len() == edits.count as usize).then_some(found)
            };
            // Of several files of one name it is one of them.
            let found = paths_of(moment, *index, file).iter().find_map(counts);
            let found = found.unwrap_or_else(|| panic!("{index:?}: {note:?}"));
            told.extend(found.into_iter().map(|turn| (file.to_owned(), turn)));
        }
        for note in shape.notes().filter(|note| note.kind == NoteKind::ToldAbove) {
            let file = note.file.as_deref().expect("a file");
            assert!(told.contains(&(file.to_owned(), turn)), "{index:?} is told nowhere");
        }
    }
}

fn is_response(moment: &Moment<'_>, index: EntryIndex) -> bool {
    moment.record.entry(index).role == Role::Assistant
}

/// The number of the response at `index`, from 1.
fn turn_of(record: &Record, index: EntryIndex) -> u32 {
    let entries = &record.entries()[..=index.at()];
    entries.iter().filter(|entry| entry.role == Role::Assistant).count() as u32
}

/// The files called `name` that the response at `index` writes.
fn paths_of(moment: &Moment<'_>, index: EntryIndex, name: &str) -> Vec<String> {
    let effects = moment.record.facts(index).calls.iter().map(|call| &call.effect);
    let paths = effects.flat_map(|effect| &effect.writes).map(|write| &write.path);
    paths.filter(|path| file_name(path) == name).cloned().collect()
}

/// The turns of the edits of a file that stand in the prompt and were carried out.
fn edits_between(moment: &Moment<'_>, path: &str, first: u32, last: u32) -> Vec<u32> {
    let mut turns = Vec::new();
    for index in moment.window().iter().filter(|index| is_response(moment, **index)) {
        let turn = turn_of(moment.record, *index);
        let entry = moment.record.entry(*index);
        for (at, call) in entry.calls().enumerate() {
            let effect = &moment.record.facts(*index).calls[at].effect;
            let changes = matches!(effect.kind, EffectKind::Edit | EffectKind::Write);
            let writes = effect.writes.iter().any(|write| write.path == path);
            if changes && writes && is_done(moment, *index, at, call) {
                turns.push(turn);
            }
        }
    }
    turns.retain(|turn| (first..=last).contains(turn));
    turns
}
