//! What a call would change, held against the files on disk.

use std::path::Path;

use foveal_chat::change_of_call;
use foveal_files::bounded::{Links, read_regular};
use foveal_files::edit::{Edit, plan_edit};
use foveal_transcript::Call;
use serde_json::Value;
use similar::TextDiff;

/// Bytes of a file that is compared with what it becomes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What a call would change, as a unified diff; `None` if it changes no text. Where the files cannot
/// be read, or the call does not fit them, it is what the call alone says. Arguments are spelled as
/// the tools' schemas name them; `before` returns the text that a `before` handle puts back.
pub(super) fn change(
    call: &Call,
    folder: &Path,
    before: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let arguments = &call.arguments;
    let on_disk = match &*call.name {
        "edit_file" => edited(std::slice::from_ref(arguments), folder),
        "multi_edit" => arguments.get("edits")?.as_array().and_then(|all| edited(all, folder)),
        "write_file" => written(arguments, folder, before),
        _ => None,
    };
    on_disk.or_else(|| change_of_call(&call.name, arguments))
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn read(folder: &Path, path: &str) -> Option<String> {
    let bytes = read_regular(&folder.join(path), FILE_BYTES_MAX, Links::Followed).ok()?;
    String::from_utf8(bytes).ok()
}

/// All edits, file by file, in the order in which the files are named first.
fn edited(edits: &[Value], folder: &Path) -> Option<String> {
    let mut files: Vec<(&str, String, String)> = Vec::new();
    for edit in edits {
        let path = text(edit, "path")?;
        if !files.iter().any(|(known, ..)| *known == path) {
            let before = read(folder, path)?;
            files.push((path, before.clone(), before));
        }
        let (.., after) = files.iter_mut().find(|(known, ..)| *known == path)?;
        let edit = Edit {
            old: text(edit, "old_str")?.to_owned(),
            new: text(edit, "new_str")?.to_owned(),
            replace_all: edit.get("replace_all").and_then(Value::as_bool).unwrap_or(false),
        };
        *after = plan_edit(after, &edit).ok()?.text;
    }
    let is_one = files.len() == 1;
    let told = |(path, before, after): &(&str, String, String)| match is_one {
        true => unified(before, after),
        false => format!("@@ {path}\n{}", unified(before, after)),
    };
    Some(files.iter().map(told).collect())
}

fn written(
    arguments: &Value,
    folder: &Path,
    before: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let present = read(folder, text(arguments, "path")?);
    let Some(handle) = text(arguments, "handle") else {
        return Some(unified(&present?, text(arguments, "content")?));
    };
    match before(handle) {
        Some(text) => Some(unified(&present.unwrap_or_default(), &text)),
        None => Some(format!("@@ becomes what stands under the handle {handle} @@\n")),
    }
}

fn unified(before: &str, after: &str) -> String {
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
            let call = Call { id: "a".to_owned(), name: name.to_owned(), arguments };
            change(&crate::commands::own_agent::spelled(&call), folder.path(), &|_| {
                Some("1\n".to_owned())
            })
        };
        let edit = json!({"path": "a.rs", "old_str": "5", "new_str": "five"});
        let diff = "@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6\n";
        assert_eq!(told("edit_file", edit.clone()).as_deref(), Some(diff));
        let again = json!({"path": "a.rs", "old_str": "five", "new_str": "V"});
        let both = told("multi_edit", json!({"edits": [edit, again]}));
        assert_eq!(both.as_deref(), Some(&*diff.replace("five", "V")));
        let new = told("write_file", json!({"path": "a.rs", "content": "1\n2\n"}));
        assert_eq!(new.as_deref(), Some("@@ -1,6 +1,2 @@\n 1\n 2\n-3\n-4\n-5\n-6\n"));
        // What does not fit the file is told as the call has it.
        let other = json!({"path": "none", "old_str": "x", "new_str": "y"});
        assert_eq!(told("edit_file", other).as_deref(), Some("-x\n+y\n"));
        let undo = told("write_file", json!({"path": "a.rs", "handle": "0123456789ab"}));
        assert_eq!(undo.as_deref(), Some("@@ -1,6 +1 @@\n 1\n-2\n-3\n-4\n-5\n-6\n"));
        // Names that models know from elsewhere are taken, and so they are shown.
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
