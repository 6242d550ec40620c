//! Diffs of the changes that a call would make to the files on disk.

use std::path::Path;

use foveal_transcript::ToolCall;
use foveal_tui::diff_of_call;
use foveal_workspace::edit::{Edit, plan_edit};
use foveal_workspace::regular_file::{LinkPolicy, read_regular};
use serde_json::Value;
use similar::TextDiff;

/// Bytes of a file that is compared with its new content.
const DIFFED_FILE_BYTES_MAX: u64 = 1 << 20;

/// Returns the change that a call would make, as a unified diff, or `None` if it changes no text.
/// If the files cannot be read, or the call does not fit them, the diff shows the call's arguments
/// alone. Arguments are named as in the tools' schemas; `before` returns the text that a `before`
/// handle restores.
pub(super) fn preview_change(
    call: &ToolCall,
    folder: &Path,
    before: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let arguments = &call.arguments;
    let on_disk = match &*call.name {
        "edit_file" => diff_of_edits(std::slice::from_ref(arguments), folder),
        "multi_edit" => {
            arguments.get("edits")?.as_array().and_then(|all| diff_of_edits(all, folder))
        }
        "write_file" => diff_of_write(arguments, folder, before),
        _ => None,
    };
    on_disk.or_else(|| diff_of_call(&call.name, arguments))
}

fn string_argument<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn read_text_file(folder: &Path, path: &str) -> Option<String> {
    let bytes =
        read_regular(&folder.join(path), DIFFED_FILE_BYTES_MAX, LinkPolicy::Followed).ok()?;
    String::from_utf8(bytes).ok()
}

/// Returns the diffs of all edits, file by file, in the order in which the files first appear.
fn diff_of_edits(edits: &[Value], folder: &Path) -> Option<String> {
    let mut files: Vec<(&str, String, String)> = Vec::new();
    for edit in edits {
        let path = string_argument(edit, "path")?;
        if !files.iter().any(|(known, ..)| *known == path) {
            let before = read_text_file(folder, path)?;
            files.push((path, before.clone(), before));
        }
        let (.., after) = files.iter_mut().find(|(known, ..)| *known == path)?;
        let edit = Edit {
            old: string_argument(edit, "old_str")?.to_owned(),
            new: string_argument(edit, "new_str")?.to_owned(),
            replace_all: edit.get("replace_all").and_then(Value::as_bool).unwrap_or(false),
        };
        *after = plan_edit(after, &edit).ok()?.text;
    }
    let is_one = files.len() == 1;
    let told = |(path, before, after): &(&str, String, String)| match is_one {
        true => unified_diff(before, after),
        false => format!("@@ {path}\n{}", unified_diff(before, after)),
    };
    Some(files.iter().map(told).collect())
}

fn diff_of_write(
    arguments: &Value,
    folder: &Path,
    before: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let present = read_text_file(folder, string_argument(arguments, "path")?);
    let Some(handle) = string_argument(arguments, "handle") else {
        return Some(unified_diff(&present?, string_argument(arguments, "content")?));
    };
    match before(handle) {
        Some(text) => Some(unified_diff(&present.unwrap_or_default(), &text)),
        None => Some(format!("@@ replaced by the content of handle {handle} @@\n")),
    }
}

fn unified_diff(before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_is_told_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.rs"), "1\n2\n3\n4\n5\n6\n").expect("a file");
        let told = |name: &str, arguments: Value| {
            let call = ToolCall { id: "a".to_owned(), name: name.to_owned(), arguments };
            preview_change(
                &crate::approval::normalize_argument_names(&call),
                folder.path(),
                &|_| Some("1\n".to_owned()),
            )
        };
        let edit = json!({"path": "a.rs", "old_str": "5", "new_str": "five"});
        let diff = "@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6\n";
        assert_eq!(told("edit_file", edit.clone()).as_deref(), Some(diff));
        let again = json!({"path": "a.rs", "old_str": "five", "new_str": "V"});
        let both = told("multi_edit", json!({"edits": [edit, again]}));
        assert_eq!(both.as_deref(), Some(&*diff.replace("five", "V")));
        let new = told("write_file", json!({"path": "a.rs", "content": "1\n2\n"}));
        assert_eq!(new.as_deref(), Some("@@ -1,6 +1,2 @@\n 1\n 2\n-3\n-4\n-5\n-6\n"));
        // A call that does not fit the file is shown by its arguments.
        let other = json!({"path": "none", "old_str": "x", "new_str": "y"});
        assert_eq!(told("edit_file", other).as_deref(), Some("-x\n+y\n"));
        let undo = told("write_file", json!({"path": "a.rs", "handle": "0123456789ab"}));
        assert_eq!(undo.as_deref(), Some("@@ -1,6 +1 @@\n 1\n-2\n-3\n-4\n-5\n-6\n"));
        // Argument names of other agents' tools are accepted and shown normalized.
        for (name, spelling) in [
            ("edit_file", json!({"file_path": "a.rs", "old_string": "5", "new_string": "five"})),
            ("edit_file", json!({"filePath": "a.rs", "oldString": "5", "newString": "five"})),
            (
                "multi_edit",
                json!({"edits": [{"file_path": "a.rs", "old_text": "5", "new_text": "five"}]}),
            ),
        ] {
            assert_eq!(told(name, spelling.clone()).as_deref(), Some(diff), "{spelling}");
        }
        let new = told("write_file", json!({"file_path": "b.rs", "contents": "1\n"}));
        assert_eq!(new.as_deref(), Some("+1\n"));
        assert_eq!(told("bash", json!({"command": "ls"})), None);
    }
}
