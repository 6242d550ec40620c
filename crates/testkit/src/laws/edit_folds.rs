//! Laws on folded edits: only texts of applied edits are left out, and the notes on them are true.

use std::collections::HashSet;

use foveal_engine::call_texts::argument_texts;
use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::entry_facts::file_name;
use foveal_engine::message_shape::ShapeKind;
use foveal_engine::note::{Note, NoteKind};
use foveal_tool_effects::EffectKind;
use foveal_tool_effects::outcome::{CallOutcome, call_outcome};
use foveal_transcript::{EntryIndex, MessageRole, ToolCall};
use serde_json::Value;

use super::CheckedRequest;

/// The rest of a message with folded edits is the original: its text, the names of its calls and
/// every argument except old and new texts of edits that changed a file.
pub fn only_edit_texts_are_folded(moment: &CheckedRequest<'_>) {
    for (at, index, shape, _) in moment.folded_responses() {
        assert_eq!(shape.kind, ShapeKind::Folded, "{index:?}");
        let notes: Vec<String> = shape.notes().map(Note::to_string).collect();
        let entry = moment.record.entry(index);
        let mut rest = moment.texts[at].strip_prefix(&entry.text()).expect("the text is kept");
        for (place, call) in entry.tool_calls().enumerate() {
            rest = rest.strip_prefix('\n').unwrap_or(rest);
            rest = rest.strip_prefix(&call.name).expect("the name is kept").trim_start();
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            let sent = values.next().expect("arguments").expect("are JSON");
            rest = &rest[values.byte_offset()..];
            if sent == call.arguments {
                continue;
            }
            assert!(was_edit_applied(moment, index, place, call), "{index:?} did not happen");
            let answer = call_result_text(moment.record, index, call).to_lowercase();
            let head: String = answer.chars().take(60).collect();
            let refused = FAILURE_WORDS.iter().find(|words| head.contains(**words));
            assert_eq!(refused, None, "{index:?} is answered by {answer:?}");
            let sent = ToolCall { arguments: sent, ..call.clone() };
            for (sent, was) in argument_texts(&sent).into_iter().zip(argument_texts(call)) {
                let told = notes.iter().any(|note| note == sent) && was.len() >= 100;
                assert!(sent == was || told, "{index:?} says {sent:?} for {was:?}");
            }
        }
        assert_eq!(rest, "", "{index:?} says more");
    }
}

/// Words that tools use only for failed edits.
const FAILURE_WORDS: [&str; 5] = ["error", "not found", "not exist", " matches of", "denied"];

fn call_result_text<'c>(
    record: &'c ConversationRecord,
    index: EntryIndex,
    call: &ToolCall,
) -> &'c str {
    let mut results = record.entries()[index.as_usize()..].iter().filter_map(|e| e.tool_result());
    results.find(|result| result.call == call.id).map_or("", |result| &result.content)
}

/// Returns whether the result of a call of the response at `index` says that the edit was applied.
fn was_edit_applied(
    moment: &CheckedRequest<'_>,
    index: EntryIndex,
    at: usize,
    call: &ToolCall,
) -> bool {
    let effect = &moment.record.facts(index).calls[at].effect;
    let entries = &moment.record.entries()[index.as_usize()..];
    let mut results = entries.iter().filter_map(|entry| entry.tool_result());
    let result = results.find(|result| result.call == call.id);
    result.is_some_and(|result| call_outcome(effect, result) == CallOutcome::Done)
}

/// A note on several edits of a file states their number between the named turns, and every edit
/// that refers to an earlier note is among those of a note above it.
pub fn edit_notes_are_true(moment: &CheckedRequest<'_>) {
    let mut told: HashSet<(String, u32)> = HashSet::new();
    for index in moment.window().iter().filter(|index| is_response(moment, **index)) {
        let turn = turn_number(moment.record, *index);
        let Some(shape) = moment.projector.entry_state(*index).decision.shape() else { continue };
        for note in shape.notes() {
            let file = note.file.as_deref().unwrap_or_default();
            let NoteKind::Edits(edits) = &note.kind else { continue };
            let (first, last) = edits.turns;
            assert_eq!(first, turn, "{index:?}");
            let listed: u32 = edits.changes.iter().map(|(_, times)| times).sum();
            assert!([0, edits.count].contains(&(listed + edits.more)), "{index:?}: {note:?}");
            let counts = |path: &String| {
                let found = applied_edit_turns(moment, path, first, last);
                (found.len() == edits.count as usize).then_some(found)
            };
            // The name may belong to several files; the note is about one of them.
            let found = written_paths(moment, *index, file).iter().find_map(counts);
            let found = found.unwrap_or_else(|| panic!("{index:?}: {note:?}"));
            told.extend(found.into_iter().map(|turn| (file.to_owned(), turn)));
        }
        for note in shape.notes().filter(|note| note.kind == NoteKind::ToldAbove) {
            let file = note.file.as_deref().expect("a file");
            assert!(told.contains(&(file.to_owned(), turn)), "{index:?} is told nowhere");
        }
    }
}

fn is_response(moment: &CheckedRequest<'_>, index: EntryIndex) -> bool {
    moment.record.entry(index).role == MessageRole::Assistant
}

/// Returns the number of the response at `index`, from 1.
fn turn_number(record: &ConversationRecord, index: EntryIndex) -> u32 {
    let entries = &record.entries()[..=index.as_usize()];
    entries.iter().filter(|entry| entry.role == MessageRole::Assistant).count() as u32
}

/// Returns the files named `name` that the response at `index` writes.
fn written_paths(moment: &CheckedRequest<'_>, index: EntryIndex, name: &str) -> Vec<String> {
    let effects = moment.record.facts(index).calls.iter().map(|call| &call.effect);
    let paths = effects.flat_map(|effect| &effect.writes).map(|write| &write.path);
    paths.filter(|path| file_name(path) == name).cloned().collect()
}

/// Returns the turns of the applied edits of a file in the prompt.
fn applied_edit_turns(moment: &CheckedRequest<'_>, path: &str, first: u32, last: u32) -> Vec<u32> {
    let mut turns = Vec::new();
    for index in moment.window().iter().filter(|index| is_response(moment, **index)) {
        let turn = turn_number(moment.record, *index);
        let entry = moment.record.entry(*index);
        for (at, call) in entry.tool_calls().enumerate() {
            let effect = &moment.record.facts(*index).calls[at].effect;
            let changes = matches!(effect.kind, EffectKind::Edit | EffectKind::Write);
            let writes = effect.writes.iter().any(|write| write.path == path);
            if changes && writes && was_edit_applied(moment, *index, at, call) {
                turns.push(turn);
            }
        }
    }
    turns.retain(|turn| (first..=last).contains(turn));
    turns
}
