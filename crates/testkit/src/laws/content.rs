//! Nothing is lost, nothing grows, nothing is touched that need not be.

use std::collections::{HashMap, HashSet};

use foveal_context::facts::visible_texts;
use foveal_context::note::NoteKind;
use foveal_context::shape::{Gap, Piece, Shape};
use foveal_effects::EffectKind;
use foveal_transcript::Handle;
use foveal_transcript::{EntryIndex, Role, ToolResult};

use super::Moment;

/// Every replaced message, and every handle in a note, resolves in a store that was filled
/// with the messages known at the time.
pub fn handles_resolve(moment: &Moment<'_>) {
    let known = moment.step.answer.at();
    let mut store: HashMap<Handle, String> = HashMap::new();
    for entry in &moment.record.entries()[..known] {
        let text = entry.prompt_text();
        let before = store.insert(Handle::of(text.as_bytes()), text.clone());
        assert!(before.is_none_or(|before| before == text), "two messages have one handle");
    }
    let resolve = |handle: Handle| store.get(&handle).map(String::as_str);
    for (_, index, shape, original) in moment.folded() {
        assert_eq!(resolve(shape.handle), Some(original.as_str()), "{index:?} is lost");
        for handle in handles_in_notes(shape) {
            assert_eq!(handle, shape.handle, "{handle} in {index:?}");
        }
    }
    for (_, index, shape, original) in moment.replaced() {
        assert_eq!(shape.handle, Handle::of(original.as_bytes()), "handle of {index:?}");
        assert_eq!(resolve(shape.handle), Some(original), "{index:?} is lost");
        for handle in handles_in_notes(shape) {
            assert_eq!(resolve(handle), Some(original), "{handle} in {index:?}");
        }
    }
}

/// The handles that a shape's notes name.
pub fn handles_in_notes(shape: &Shape) -> Vec<Handle> {
    shape.notes().filter_map(|note| note.handle).collect()
}

/// No replacement has as many tokens as its original, counted from the texts; the prompt has
/// no more than the recorded one.
pub fn nothing_grows(moment: &Moment<'_>) {
    let count = |text: &str| moment.record.tokenizer().count(text);
    let results =
        moment.replaced().map(|(at, index, _, original)| (at, index, original.to_owned()));
    let edits = moment.folded().map(|(at, index, _, original)| (at, index, original));
    for (at, index, original) in results.chain(edits) {
        let tokens = count(&moment.texts[at]);
        assert!(tokens < count(&original), "{index:?} has {} tokens", tokens.0);
        assert_eq!(tokens, moment.projector.item(index).tokens, "tokens of {index:?}");
    }
    let mut raw = 0;
    let mut sent = 0;
    for index in moment.window() {
        raw += moment.record.facts(*index).tokens.0;
        sent += moment.projector.item(*index).tokens.0;
    }
    assert!(sent <= raw, "{sent} tokens of {raw} at {:?}", moment.step.answer);
}

/// What is no tool result, or is kept, is sent as recorded, but for texts in the calls of
/// edits, which [`folds`](super::folds) checks; kept pieces are ascending ranges of the
/// original on character boundaries.
pub fn the_rest_is_untouched(moment: &Moment<'_>) {
    for (at, index) in moment.window().iter().enumerate().skip(moment.from) {
        let entry = moment.record.entry(*index);
        let shape = moment.projector.item(*index).decision.shape();
        let may_change = match entry.role {
            Role::Tool => true,
            Role::Assistant => moment.tells_edits(),
            Role::System | Role::User => false,
        };
        assert!(shape.is_none() || may_change, "{index:?} is no tool result");
        if shape.is_none() {
            assert_eq!(moment.texts[at], entry.prompt_text(), "{index:?} is not the original");
        }
    }
    let results = moment.replaced().map(|(_, index, shape, text)| (index, shape, text.to_owned()));
    let edits = moment.folded().map(|(_, index, shape, text)| (index, shape, text));
    for (index, shape, original) in results.chain(edits) {
        let mut end = 0;
        for piece in &shape.pieces {
            let Piece::Keep(range) = piece else { continue };
            let (from, to) = (range.start as usize, range.end as usize);
            assert!(end <= from && from < to, "{index:?} keeps {range:?} after {end}");
            assert!(original.get(from..to).is_some(), "{index:?} keeps {range:?}");
            end = to;
        }
    }
}

/// Who asks for lines as they are, for a whole file or for what a handle stands for gets it byte for
/// byte, until a rewrite reduces it; lines of a file that stand above at their own numbers may be
/// pointed at.
pub fn verbatim_is_kept(moment: &Moment<'_>) {
    for (at, index) in moment.window().iter().enumerate().skip(moment.from) {
        let entry = moment.record.entry(*index);
        let Some(result) = entry.result() else { continue };
        let before = moment.record.entries()[..index.at()].iter().rev();
        let mut calls = before.flat_map(|entry| entry.calls());
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
        let shape = moment.projector.item(*index).decision.shape().filter(|_| is_of_file);
        let expected = shape.map_or_else(|| result.content.clone(), |shape| pointed(shape, result));
        assert_eq!(moment.texts[at], expected, "{index:?} is not what was asked for");
    }
}

/// A result in which nothing but notes on unchanged lines stands in the place of others.
fn pointed(shape: &Shape, result: &ToolResult) -> String {
    let mut text = String::new();
    let mut end = 0;
    for Gap { bytes, note } in shape.gaps() {
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

/// Characters of a line that make it worth finding again.
const ALPHANUMERICS_MIN: usize = 4;

fn counts(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= ALPHANUMERICS_MIN
}

/// Every line of every result in the prompt stands somewhere in the prompt, gutters and
/// terminal noise aside. For profiles that leave nothing out.
pub fn everything_is_visible(moment: &Moment<'_>) {
    let mut visible: HashSet<&str> = HashSet::new();
    for (index, text) in moment.window().iter().zip(moment.texts) {
        let entry = moment.record.entry(*index);
        if entry.role == Role::Tool {
            text.split('\n').for_each(|line| add_forms(line, &mut visible));
        } else {
            for text in visible_texts(entry) {
                text.split('\n').for_each(|line| add_forms(line, &mut visible));
            }
        }
    }
    for (_, index, _, original) in moment.replaced() {
        let facts = moment.record.facts(index);
        for line in &facts.printed.lines {
            let (whole, text) = (line.whole_in(original), line.text_in(original).trim());
            let is_noise = facts.kind() == EffectKind::Run && whole.contains(['\u{1b}', '\r']);
            if is_noise || !counts(text) {
                continue;
            }
            let found = visible.contains(whole.trim())
                || visible.contains(text)
                || stands_without_blanks(moment, index, text);
            assert!(found, "{index:?} lost {whole:?} at {:?}", moment.step.answer);
        }
    }
}

/// Whether a line stands in its own result but for white space, as a line of JSON may.
fn stands_without_blanks(moment: &Moment<'_>, index: EntryIndex, line: &str) -> bool {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let at = moment.window().iter().position(|entry| *entry == index);
    at.is_some_and(|at| bare(&moment.texts[at]).contains(&bare(line)))
}

/// The line itself, and what follows each of its first numbers that a gutter could be.
fn add_forms<'t>(line: &'t str, forms: &mut HashSet<&'t str>) {
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
