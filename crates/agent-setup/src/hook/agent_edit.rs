//! Edits by Claude Code's own tools, recorded so that the server can attribute them.
//!
//! An edit counts only if the file now holds exactly the content that the tool reported: a
//! formatter, the user or another program may have written since.

use std::fs::{self, File};
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use foveal_tools::session::ClientToolChange;
use serde_json::Value;

use super::event::AnsweredCall;

/// The tools that change files.
pub(super) const EDIT_TOOLS: [&str; 3] = ["Edit", "MultiEdit", "Write"];

/// The largest file that is compared, in bytes.
const BYTES_MAX: u64 = 16 << 20;

/// Returns the file that a call changed, and its changes one by one; `None` if they are not
/// certain. A relative path starts at `directory`.
pub(super) fn detect_agent_edit(
    answered: &AnsweredCall,
    directory: &Path,
) -> Option<(PathBuf, Vec<ClientToolChange>)> {
    let AnsweredCall { tool, input, response, .. } = answered;
    // The user changed the model's proposal, and the tool alone knows how.
    if response["userModified"] == true {
        return None;
    }
    let path = response["filePath"].as_str().or(input["file_path"].as_str())?;
    let path = directory.join(path);
    let now = read_file(&path)?;
    let changes = match tool.as_str() {
        "Write" => vec![ClientToolChange::Whole(input["content"].as_str()?.to_owned())],
        _ => {
            let edits = parse_replacements(input, response)?;
            let before = ["originalFile", "originalFileContents"];
            let before = before.iter().find_map(|name| response[*name].as_str())?;
            apply_replacements(before, &edits, &now)?
        }
    };
    let left = match changes.last()? {
        ClientToolChange::Whole(after) | ClientToolChange::Part { after, .. } => after,
    };
    (*left == now).then_some((path, changes))
}

/// Reads the current content of a file.
fn read_file(path: &Path) -> Option<String> {
    // Opening a named pipe would block until a writer comes.
    if !path.is_absolute() || !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let read = File::open(path).ok()?.take(BYTES_MAX + 1).read_to_string(&mut text);
    read.is_ok_and(|bytes| bytes as u64 <= BYTES_MAX).then_some(text)
}

/// One string replacement of an edit call.
struct StringReplacement<'a> {
    old: &'a str,
    new: &'a str,
    replaces_all: bool,
}

/// Returns the replacements of a call, from the response where it has them: the tool may have
/// matched other quotation marks than the model wrote.
fn parse_replacements<'a>(
    input: &'a Value,
    response: &'a Value,
) -> Option<Vec<StringReplacement<'a>>> {
    if let Some(all) = input["edits"].as_array() {
        let edit = |edit: &'a Value| {
            let (old, new) = (edit["old_string"].as_str()?, edit["new_string"].as_str()?);
            Some(StringReplacement { old, new, replaces_all: edit["replace_all"] == true })
        };
        return all.iter().map(edit).collect();
    }
    let text = |told: &str, asked: &str| response[told].as_str().or(input[asked].as_str());
    let (old, new) = (text("oldString", "old_string")?, text("newString", "new_string")?);
    let is_everywhere = response["replaceAll"] == true || input["replace_all"] == true;
    Some(vec![StringReplacement { old, new, replaces_all: is_everywhere }])
}

/// Applies the replacements in turn, and returns the change of each.
fn apply_replacements(
    before: &str,
    edits: &[StringReplacement<'_>],
    now: &str,
) -> Option<Vec<ClientToolChange>> {
    let mut text = before.to_owned();
    let mut changes = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        let is_last = at + 1 == edits.len();
        let line = format!("{}\n", edit.old);
        // `Edit` removes the line break with a line that it deletes.
        let whole = (edit.new.is_empty() && !edit.old.ends_with('\n') && text.contains(&line))
            .then(|| apply_replacement(&text, &StringReplacement { old: &line, ..*edit }))
            .flatten()
            .filter(|(after, _)| !is_last || after == now);
        let (after, written) = whole.or_else(|| apply_replacement(&text, edit))?;
        changes.push(ClientToolChange::Part { before: text, after: after.clone(), written });
        text = after;
    }
    Some(changes)
}

/// Returns the text after a replacement, and the byte ranges of the new text in it.
fn apply_replacement(
    text: &str,
    edit: &StringReplacement<'_>,
) -> Option<(String, Vec<Range<usize>>)> {
    if edit.old.is_empty() {
        // An empty `old` fills an empty file.
        let all = std::iter::once(0..edit.new.len());
        return text.is_empty().then(|| (edit.new.to_owned(), all.collect()));
    }
    let most = if edit.replaces_all { usize::MAX } else { 1 };
    let (mut after, mut written, mut from) = (String::new(), Vec::new(), 0);
    for (at, old) in text.match_indices(edit.old).take(most) {
        after.push_str(&text[from..at]);
        written.push(after.len()..after.len() + edit.new.len());
        after.push_str(edit.new);
        from = at + old.len();
    }
    after.push_str(&text[from..]);
    (!written.is_empty()).then_some((after, written))
}
