//! Laws on content: nothing is lost, nothing grows, and other content stays unchanged.

use std::collections::{HashMap, HashSet};

use foveal_engine::entry_facts::visible_texts;
use foveal_engine::message_shape::{MessageShape, ShapeGap, ShapePiece};
use foveal_engine::note::NoteKind;
use foveal_tool_effects::EffectKind;
use foveal_transcript::Handle;
use foveal_transcript::{EntryIndex, MessageRole, ToolResult};

use super::CheckedRequest;

/// Every replaced message, and every handle in a note, resolves in a store with the messages known
/// at the time.
pub fn handles_resolve(moment: &CheckedRequest<'_>) {
    let known = moment.step.answer.as_usize();
    let mut store: HashMap<Handle, String> = HashMap::new();
    for entry in &moment.record.entries()[..known] {
        let text = entry.prompt_text();
        let before = store.insert(Handle::from_content(text.as_bytes()), text.clone());
        assert!(before.is_none_or(|before| before == text), "two messages have one handle");
    }
    let resolve = |handle: Handle| store.get(&handle).map(String::as_str);
    for (_, index, shape, original) in moment.replaced_results() {
        assert_eq!(shape.handle, Handle::from_content(original.as_bytes()), "handle of {index:?}");
        assert_eq!(resolve(shape.handle), Some(original), "{index:?} is lost");
        for handle in note_handles(shape) {
            assert_eq!(resolve(handle), Some(original), "{handle} in {index:?}");
        }
    }
}

/// Returns the handles that a shape's notes name.
pub fn note_handles(shape: &MessageShape) -> Vec<Handle> {
    shape.notes().filter_map(|note| note.handle).collect()
}

/// Every replacement has fewer tokens than its original, counted from the texts; the prompt has at
/// most as many as the recorded one.
pub fn replacements_are_smaller(moment: &CheckedRequest<'_>) {
    let count = |text: &str| moment.record.tokenizer().count(text);
    for (at, index, _, original) in moment.replaced_results() {
        let tokens = count(&moment.texts[at]);
        assert!(tokens < count(original), "{index:?} has {} tokens", tokens.0);
        assert_eq!(tokens, moment.projector.entry_state(index).tokens, "tokens of {index:?}");
    }
    let mut raw = 0;
    let mut sent = 0;
    for index in moment.window() {
        raw += moment.record.facts(*index).tokens.0;
        sent += moment.projector.entry_state(*index).tokens.0;
    }
    assert!(sent <= raw, "{sent} tokens of {raw} at {:?}", moment.step.answer);
}

/// Messages other than tool results, and kept results, are sent as recorded. Kept pieces are
/// ascending ranges of the original on character boundaries.
pub fn other_content_is_unchanged(moment: &CheckedRequest<'_>) {
    for (at, index) in moment.window().iter().enumerate().skip(moment.first_position) {
        let entry = moment.record.entry(*index);
        let shape = moment.projector.entry_state(*index).decision.shape();
        let is_result = entry.role == MessageRole::Tool;
        assert!(shape.is_none() || is_result, "{index:?} is no tool result");
        if shape.is_none() {
            assert_eq!(moment.texts[at], entry.prompt_text(), "{index:?} is not the original");
        }
    }
    for (_, index, shape, original) in moment.replaced_results() {
        let mut end = 0;
        for piece in &shape.pieces {
            let ShapePiece::Keep(range) = piece else { continue };
            let (from, to) = (range.start as usize, range.end as usize);
            assert!(end <= from && from < to, "{index:?} keeps {range:?} after {end}");
            assert!(original.get(from..to).is_some(), "{index:?} keeps {range:?}");
            end = to;
        }
    }
}

/// A call for verbatim lines, a whole file or the content of a handle returns it byte for byte,
/// until a rewrite reduces it. Lines of a file that the prompt shows above with their numbers may
/// be replaced by pointers.
pub fn requested_content_is_verbatim(moment: &CheckedRequest<'_>) {
    for (at, index) in moment.window().iter().enumerate().skip(moment.first_position) {
        let entry = moment.record.entry(*index);
        let Some(result) = entry.tool_result() else { continue };
        let before = moment.record.entries()[..index.as_usize()].iter().rev();
        let mut calls = before.flat_map(|entry| entry.tool_calls());
        let Some(call) = calls.find(|call| call.id == result.call) else { continue };
        let (is_asked, is_of_file) = match call.name.as_str() {
            "expand" => (true, false),
            "read_lines" => (true, true),
            "read_file" => (call.arguments["mode"] == "full", true),
            _ => (false, false),
        };
        let is_new = !moment.before.levels.contains_key(index)
            && !moment.step.levels.iter().any(|(raised, _)| raised == index);
        if !is_asked || !is_new {
            continue;
        }
        let shape = moment.projector.entry_state(*index).decision.shape().filter(|_| is_of_file);
        let expected = shape
            .map_or_else(|| result.content.clone(), |shape| replace_unchanged_lines(shape, result));
        assert_eq!(moment.texts[at], expected, "{index:?} is not what was asked for");
    }
}

/// Returns a result in which only notes on unchanged lines replace content.
fn replace_unchanged_lines(shape: &MessageShape, result: &ToolResult) -> String {
    let mut text = String::new();
    let mut end = 0;
    for ShapeGap { bytes, note } in shape.gaps() {
        let is_in_place = matches!(note.kind, NoteKind::Unchanged | NoteKind::AllUnchanged);
        assert!(is_in_place, "{note:?} is no note on unchanged lines");
        text += &result.content[end..bytes.start as usize];
        if !text.is_empty() && !text.ends_with('\n') {
            text += "\n";
        }
        text += &note.to_string();
        end = bytes.end as usize;
    }
    text + &result.content[end..]
}

/// The fewest letters and digits of a line that must stay visible.
const ALPHANUMERICS_MIN: usize = 4;

fn has_enough_letters(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= ALPHANUMERICS_MIN
}

/// Every line of every result in the prompt is visible somewhere in the prompt, except for gutters
/// and terminal noise. For profiles without omissions.
pub fn all_lines_are_visible(moment: &CheckedRequest<'_>) {
    let mut visible: HashSet<&str> = HashSet::new();
    for (index, text) in moment.window().iter().zip(moment.texts) {
        let entry = moment.record.entry(*index);
        if entry.role == MessageRole::Tool {
            text.split('\n').for_each(|line| add_line_forms(line, &mut visible));
        } else {
            for text in visible_texts(entry) {
                text.split('\n').for_each(|line| add_line_forms(line, &mut visible));
            }
        }
    }
    for (_, index, _, original) in moment.replaced_results() {
        let facts = moment.record.facts(index);
        for line in &facts.printed.lines {
            let (whole, text) = (line.full_text(original), line.file_text(original).trim());
            let is_noise = facts.kind() == EffectKind::Run && whole.contains(['\u{1b}', '\r']);
            if is_noise || !has_enough_letters(text) {
                continue;
            }
            let found = visible.contains(whole.trim())
                || visible.contains(text)
                || contains_ignoring_blanks(moment, index, text);
            assert!(found, "{index:?} lost {whole:?} at {:?}", moment.step.answer);
        }
    }
}

/// Returns whether the sent result contains a line apart from white space, as for a line of JSON.
fn contains_ignoring_blanks(moment: &CheckedRequest<'_>, index: EntryIndex, line: &str) -> bool {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let at = moment.window().iter().position(|entry| *entry == index);
    at.is_some_and(|at| bare(&moment.texts[at]).contains(&bare(line)))
}

/// Adds the line itself, and the texts after each of its first numbers that may be a gutter.
fn add_line_forms<'t>(line: &'t str, forms: &mut HashSet<&'t str>) {
    forms.insert(line.trim());
    let mut digits = false;
    let mut gutters = 0;
    for (at, c) in line.char_indices() {
        if digits && matches!(c, ':' | '-' | '→' | '|' | '\t' | ' ') {
            forms.insert(line[at + c.len_utf8()..].trim());
            gutters += 1;
        }
        if gutters > 4 {
            return;
        }
        digits = c.is_ascii_digit() || (digits && c == ' ');
    }
}
