//! The diffs of tool calls, and diffs as styled lines.

use foveal_screen::numbers::format_plural;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use serde_json::Value;
use similar::TextDiff;

use super::line_wrap::{WrapMode, printable_text, wrap_spans};
use crate::theme::{ColourSupport, TextRole};

/// Unchanged lines around a change.
const CONTEXT_LINES: usize = 2;

/// Bytes of the texts up to which they are compared; for larger texts the diff only states the
/// sizes.
const COMPARED_BYTES_MAX: usize = 256 << 10;

/// Returns the change of a call as a unified diff, as far as the arguments show it. Returns `None`
/// for calls that change no text.
pub fn diff_of_call(name: &str, arguments: &Value) -> Option<String> {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let of_edit = |edit: &Value| {
        let (old, new) = (text(edit, "old_str")?, text(edit, "new_str")?);
        Some(unified_diff(&old, &new))
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
        "write_file" => Some(unified_diff("", &text(arguments, "content")?)),
        _ => None,
    }
}

/// Returns the unified diff of two texts.
fn unified_diff(old: &str, new: &str) -> String {
    if old.len() + new.len() > COMPARED_BYTES_MAX {
        let replaced = format_plural(old.len() as u64, "byte");
        return format!("@@ {replaced} replaced by {} @@\n", new.len());
    }
    let diff = TextDiff::from_lines(old, new);
    let mut text = String::new();
    for (at, group) in diff.grouped_ops(CONTEXT_LINES).iter().enumerate() {
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

/// Returns the numbers of lines that a unified diff adds and removes.
pub(crate) fn count_changed_lines(diff: &str) -> (usize, usize) {
    let count = |sign: char| diff.lines().filter(|line| line.starts_with(sign)).count();
    (count('+'), count('-'))
}

/// Returns a styled line of a unified diff.
pub(super) fn style_diff_line(line: &str, colours: ColourSupport) -> Span<'static> {
    let role = match line.as_bytes().first() {
        Some(b'+') => TextRole::Added,
        Some(b'-') => TextRole::Removed,
        Some(b'@') => TextRole::Aside,
        _ => TextRole::Plain,
    };
    Span::styled(line.to_owned(), colours.role_style(role))
}

/// Returns the styled lines of a unified diff. Backgrounds extend to the end of the row.
pub(crate) fn render_diff(
    text: &str,
    columns: usize,
    indent: &str,
    colours: ColourSupport,
) -> Vec<Line<'static>> {
    let prefix = [Span::raw(indent.to_owned())];
    printable_text(text)
        .lines()
        .flat_map(|text| {
            let line = style_diff_line(text, colours);
            let style = line.style;
            let rows = wrap_spans(&[line], columns, &prefix, &prefix, WrapMode::Anywhere);
            rows.into_iter().map(move |row| fill_background(row, columns, style))
        })
        .collect()
}

/// Extends the row's background, if it has one, to the end of the row.
fn fill_background(mut row: Line<'static>, columns: usize, style: Style) -> Line<'static> {
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
        assert_eq!(diff_of_call("edit_file", &edit).as_deref(), Some(" a\n-b\n+x\n c\n"));
        let both = json!({"edits": [edit, {"path": "b", "old_str": "1", "new_str": "2"}]});
        let told = diff_of_call("multi_edit", &both).expect("a change");
        assert_eq!(told, "@@ a\n a\n-b\n+x\n c\n@@ b\n-1\n+2\n");
        assert_eq!(count_changed_lines(&told), (2, 2));
        let new = json!({"path": "c", "content": "one\ntwo\n"});
        assert_eq!(diff_of_call("write_file", &new).as_deref(), Some("+one\n+two\n"));
        assert_eq!(diff_of_call("bash", &json!({"command": "ls"})), None);
        assert_eq!(diff_of_call("edit_file", &json!({"path": 1})), None);
    }
}
