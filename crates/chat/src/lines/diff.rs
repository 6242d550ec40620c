//! Changes of files.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use serde_json::Value;
use similar::TextDiff;

use super::wrap::{Break, plain, wrap};
use crate::theme::{Colours, Role};

/// Unchanged lines around a change.
const AROUND: usize = 2;

/// Bytes of texts that are compared; of longer ones the size alone is told.
const COMPARED_BYTES_MAX: usize = 256 << 10;

/// What a call changes, as a unified diff, as far as the call itself says; `None` if it changes no
/// text.
pub fn of_call(name: &str, arguments: &Value) -> Option<String> {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let of_edit = |edit: &Value| {
        let (old, new) = (text(edit, "old_str")?, text(edit, "new_str")?);
        Some(between(&old, &new))
    };
    match name {
        "edit_file" => of_edit(arguments),
        "multi_edit" => {
            let edits = arguments.get("edits")?.as_array()?;
            let mut all = String::new();
            let mut path = None;
            for edit in edits {
                let of = text(edit, "path");
                if of != path {
                    all.push_str(&format!("@@ {}\n", of.as_deref().unwrap_or_default()));
                    path = of;
                }
                all.push_str(&of_edit(edit)?);
            }
            Some(all)
        }
        "write_file" => Some(between("", &text(arguments, "content")?)),
        _ => None,
    }
}

/// What two texts differ in.
fn between(old: &str, new: &str) -> String {
    if old.len() + new.len() > COMPARED_BYTES_MAX {
        return format!("@@ {} bytes become {} @@\n", old.len(), new.len());
    }
    let diff = TextDiff::from_lines(old, new);
    let mut text = String::new();
    for (at, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if at > 0 {
            text.push_str("@@\n");
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let value = change.to_string_lossy();
            text.push_str(&format!("{}{}\n", change.tag(), value.trim_end_matches(['\n', '\r'])));
        }
    }
    text
}

/// Lines that a unified diff adds and removes.
pub(crate) fn size(diff: &str) -> (usize, usize) {
    let count = |sign: char| diff.lines().filter(|line| line.starts_with(sign)).count();
    (count('+'), count('-'))
}

/// A line of a unified diff.
pub(super) fn line(line: &str, colours: Colours) -> Span<'static> {
    let role = match line.as_bytes().first() {
        Some(b'+') => Role::Added,
        Some(b'-') => Role::Removed,
        Some(b'@') => Role::Aside,
        _ => Role::Plain,
    };
    Span::styled(line.to_owned(), colours.style(role))
}

/// The lines of a unified diff: what is added green, what is removed red. Backgrounds go to the end of
/// the row.
pub(crate) fn diff(
    text: &str,
    columns: usize,
    indent: &str,
    colours: Colours,
) -> Vec<Line<'static>> {
    let prefix = [Span::raw(indent.to_owned())];
    plain(text)
        .lines()
        .flat_map(|text| {
            let line = line(text, colours);
            let style = line.style;
            let rows = wrap(&[line], columns, (&prefix, &prefix), Break::Anywhere);
            rows.into_iter().map(move |row| filled(row, columns, style))
        })
        .collect()
}

/// A row with its background to the end, if it has one.
fn filled(mut row: Line<'static>, columns: usize, style: Style) -> Line<'static> {
    if style.bg.is_some() {
        let left = columns.saturating_sub(row.width());
        row.push_span(Span::styled(" ".repeat(left), style));
    }
    row
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_tells_its_change() {
        let edit = json!({"path": "a", "old_str": "a\nb\nc", "new_str": "a\nx\nc"});
        assert_eq!(of_call("edit_file", &edit).as_deref(), Some(" a\n-b\n+x\n c\n"));
        let both = json!({"edits": [edit, {"path": "b", "old_str": "1", "new_str": "2"}]});
        let told = of_call("multi_edit", &both).expect("a change");
        assert_eq!(told, "@@ a\n a\n-b\n+x\n c\n@@ b\n-1\n+2\n");
        assert_eq!(size(&told), (2, 2));
        let new = json!({"path": "c", "content": "one\ntwo\n"});
        assert_eq!(of_call("write_file", &new).as_deref(), Some("+one\n+two\n"));
        assert_eq!(of_call("bash", &json!({"command": "ls"})), None);
        assert_eq!(of_call("edit_file", &json!({"path": 1})), None);
    }
}
