//! Tools that change files: which change each call asks for.

use super::look::read;
use crate::arguments::{Arguments, EDITS};
use crate::effect::{Change, Effect, EffectKind, WriteTarget};
use crate::patch;

pub(super) fn changed(kind: EffectKind, arguments: Arguments<'_>, change: Change) -> Effect {
    let writes = arguments.path().map(|path| WriteTarget { path, change });
    Effect { kind, writes: writes.into_iter().collect(), ..Effect::default() }
}

pub(super) fn edit(arguments: Arguments<'_>) -> Effect {
    let mut effect = Effect { kind: EffectKind::Edit, ..Effect::default() };
    let whole = arguments.path();
    let edits = arguments.list(EDITS);
    if let Some(edits) = edits.filter(|edits| !edits.is_empty()) {
        for item in edits {
            let item = arguments.within(item);
            let Some(path) = item.path().or_else(|| whole.clone()) else { continue };
            effect.writes.push(WriteTarget { path, change: replacement(item) });
        }
    } else if let Some(path) = whole {
        let nested = arguments.value(&["edit"]).filter(|value| value.is_object());
        let item = nested.map_or(arguments, |value| arguments.within(value));
        effect.writes.push(WriteTarget { path, change: replacement(item) });
    }
    effect
}

fn replacement(arguments: Arguments<'_>) -> Change {
    let Some(new) = arguments.new_text() else { return Change::Unknown };
    match arguments.old() {
        // An empty text to look for creates the file.
        Some("") => Change::Content(new.to_owned()),
        Some(_) if arguments.flag(&["use_regex", "regex", "isRegex"]) => Change::Unknown,
        Some(old) => {
            Change::Replace { old: old.to_owned(), new: new.to_owned(), all: arguments.all() }
        }
        None => Change::Unknown,
    }
}

pub(super) fn write(arguments: Arguments<'_>) -> Effect {
    let change = match arguments.content() {
        Some(text) if arguments.text(&["mode"]) == Some("append") => {
            Change::Append(text.to_owned())
        }
        Some(text) => Change::Content(text.to_owned()),
        None => Change::Unknown,
    };
    changed(EffectKind::Write, arguments, change)
}

pub(super) fn insert(arguments: Arguments<'_>) -> Effect {
    let after = arguments.number(&["insert_line", "after"]);
    // Roo counts the line the text goes before, and 0 is the end.
    let before = arguments.number(&["line"]).and_then(|line| (line > 0).then(|| line - 1));
    let new = arguments.new_text().or_else(|| arguments.content());
    let change = match (after.or(before).and_then(|after| u32::try_from(after).ok()), new) {
        (Some(after), Some(new)) => Change::Insert { after, new: new.to_owned() },
        _ => Change::Unknown,
    };
    changed(EffectKind::Edit, arguments, change)
}

/// Cline's editor. The line that a text goes before is counted from 1.
pub(super) fn edit_or_create(arguments: Arguments<'_>) -> Effect {
    let line = arguments.number(&["insert_line"]).and_then(|line| u32::try_from(line).ok());
    let change = match (line, arguments.old(), arguments.new_text()) {
        (_, _, None) => Change::Unknown,
        (Some(line), _, Some(new)) => {
            Change::Insert { after: line.saturating_sub(1), new: new.to_owned() }
        }
        (None, Some(old), Some(_)) if !old.is_empty() => replacement(arguments),
        (None, _, Some(new)) => Change::Content(new.to_owned()),
    };
    changed(EffectKind::Edit, arguments, change)
}

pub(super) fn blocks(arguments: Arguments<'_>) -> Effect {
    let Some(path) = arguments.path() else {
        return Effect { kind: EffectKind::Edit, ..Effect::default() };
    };
    let mut changes = patch::search_replace_blocks(arguments.text(&["diff"]).unwrap_or_default());
    if changes.is_empty() {
        changes.push(Change::Unknown);
    }
    let writes = changes.into_iter().map(|change| WriteTarget { path: path.clone(), change });
    Effect { kind: EffectKind::Edit, writes: writes.collect(), ..Effect::default() }
}

pub(super) fn patched(arguments: Arguments<'_>) -> Effect {
    let named = arguments.text(&["input", "patch", "patchText", "diff"]);
    let text = named.or_else(|| arguments.plain()).unwrap_or_default();
    let mut writes = patch::codex_patch(text, arguments.directory);
    if writes.is_empty() {
        writes.extend(
            patch::unified_diff_paths(text)
                .into_iter()
                .map(|name| WriteTarget { path: arguments.resolve(name), change: Change::Unknown }),
        );
    }
    Effect { kind: EffectKind::Edit, writes, ..Effect::default() }
}

pub(super) fn editor(arguments: Arguments<'_>) -> Effect {
    match arguments.text(&["command"]).unwrap_or_default() {
        "view" => read(arguments),
        "create" | "write" => write(arguments),
        "str_replace" => {
            let change = match (arguments.old(), arguments.new_text()) {
                (Some(old), new) if !old.is_empty() => Change::Replace {
                    old: old.to_owned(),
                    new: new.unwrap_or_default().to_owned(),
                    all: false,
                },
                _ => Change::Unknown,
            };
            changed(EffectKind::Edit, arguments, change)
        }
        "insert" => insert(arguments),
        "undo_edit" => changed(EffectKind::Edit, arguments, Change::Unknown),
        _ => Effect::default(),
    }
}
