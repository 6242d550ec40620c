//! The effects of tools that change files.

use super::reads_and_searches::read_effect;
use crate::arguments::{CallArguments, EDIT_LIST_NAMES};
use crate::effect::{Effect, EffectKind, WriteChange, WriteTarget};
use crate::patch;

pub(super) fn single_change_effect(
    kind: EffectKind,
    arguments: CallArguments<'_>,
    change: WriteChange,
) -> Effect {
    let writes = arguments.path().map(|path| WriteTarget { path, change });
    Effect { kind, writes: writes.into_iter().collect(), ..Effect::default() }
}

pub(super) fn edit_effect(arguments: CallArguments<'_>) -> Effect {
    let mut effect = Effect { kind: EffectKind::Edit, ..Effect::default() };
    let whole = arguments.path();
    let edits = arguments.list(EDIT_LIST_NAMES);
    if let Some(edits) = edits.filter(|edits| !edits.is_empty()) {
        for item in edits {
            let item = arguments.with_value(item);
            let Some(path) = item.path().or_else(|| whole.clone()) else { continue };
            effect.writes.push(WriteTarget { path, change: replacement_change(item) });
        }
    } else if let Some(path) = whole {
        let nested = arguments.value(&["edit"]).filter(|value| value.is_object());
        let item = nested.map_or(arguments, |value| arguments.with_value(value));
        effect.writes.push(WriteTarget { path, change: replacement_change(item) });
    }
    effect
}

fn replacement_change(arguments: CallArguments<'_>) -> WriteChange {
    let Some(new) = arguments.new_text() else { return WriteChange::Unknown };
    match arguments.old_text() {
        // An empty search text creates the file.
        Some("") => WriteChange::Content(new.to_owned()),
        Some(_) if arguments.flag(&["use_regex", "regex", "isRegex"]) => WriteChange::Unknown,
        Some(old) => WriteChange::Replace {
            old: old.to_owned(),
            new: new.to_owned(),
            all: arguments.replaces_all(),
        },
        None => WriteChange::Unknown,
    }
}

pub(super) fn write_effect(arguments: CallArguments<'_>) -> Effect {
    let change = match arguments.content() {
        Some(text) if arguments.text(&["mode"]) == Some("append") => {
            WriteChange::Append(text.to_owned())
        }
        Some(text) => WriteChange::Content(text.to_owned()),
        None => WriteChange::Unknown,
    };
    single_change_effect(EffectKind::Write, arguments, change)
}

pub(super) fn insert_effect(arguments: CallArguments<'_>) -> Effect {
    let after = arguments.number(&["insert_line", "after"]);
    // Roo numbers the line that the text precedes; 0 is the end.
    let before = arguments.number(&["line"]).and_then(|line| (line > 0).then(|| line - 1));
    let new = arguments.new_text().or_else(|| arguments.content());
    let change = match (after.or(before).and_then(|after| u32::try_from(after).ok()), new) {
        (Some(after), Some(new)) => WriteChange::Insert { after, new: new.to_owned() },
        _ => WriteChange::Unknown,
    };
    single_change_effect(EffectKind::Edit, arguments, change)
}

/// Returns the effect of Cline's editor. It numbers the line that a text precedes from 1.
pub(super) fn edit_or_create_effect(arguments: CallArguments<'_>) -> Effect {
    let line = arguments.number(&["insert_line"]).and_then(|line| u32::try_from(line).ok());
    let change = match (line, arguments.old_text(), arguments.new_text()) {
        (_, _, None) => WriteChange::Unknown,
        (Some(line), _, Some(new)) => {
            WriteChange::Insert { after: line.saturating_sub(1), new: new.to_owned() }
        }
        (None, Some(old), Some(_)) if !old.is_empty() => replacement_change(arguments),
        (None, _, Some(new)) => WriteChange::Content(new.to_owned()),
    };
    single_change_effect(EffectKind::Edit, arguments, change)
}

pub(super) fn search_replace_effect(arguments: CallArguments<'_>) -> Effect {
    let Some(path) = arguments.path() else {
        return Effect { kind: EffectKind::Edit, ..Effect::default() };
    };
    let mut changes =
        patch::parse_search_replace_blocks(arguments.text(&["diff"]).unwrap_or_default());
    if changes.is_empty() {
        changes.push(WriteChange::Unknown);
    }
    let writes = changes.into_iter().map(|change| WriteTarget { path: path.clone(), change });
    Effect { kind: EffectKind::Edit, writes: writes.collect(), ..Effect::default() }
}

pub(super) fn patch_effect(arguments: CallArguments<'_>) -> Effect {
    let named = arguments.text(&["input", "patch", "patchText", "diff"]);
    let text = named.or_else(|| arguments.as_text()).unwrap_or_default();
    let mut writes = patch::parse_codex_patch(text, arguments.directory);
    if writes.is_empty() {
        writes.extend(patch::unified_diff_paths(text).into_iter().map(|name| WriteTarget {
            path: arguments.resolve(name),
            change: WriteChange::Unknown,
        }));
    }
    Effect { kind: EffectKind::Edit, writes, ..Effect::default() }
}

pub(super) fn editor_effect(arguments: CallArguments<'_>) -> Effect {
    match arguments.text(&["command"]).unwrap_or_default() {
        "view" => read_effect(arguments),
        "create" | "write" => write_effect(arguments),
        "str_replace" => {
            let change = match (arguments.old_text(), arguments.new_text()) {
                (Some(old), new) if !old.is_empty() => WriteChange::Replace {
                    old: old.to_owned(),
                    new: new.unwrap_or_default().to_owned(),
                    all: false,
                },
                _ => WriteChange::Unknown,
            };
            single_change_effect(EffectKind::Edit, arguments, change)
        }
        "insert" => insert_effect(arguments),
        "undo_edit" => single_change_effect(EffectKind::Edit, arguments, WriteChange::Unknown),
        _ => Effect::default(),
    }
}
