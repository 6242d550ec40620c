//! What Claude Code's own tools made of a file, so that the server knows whose change it is.
//!
//! Only what the file holds afterwards counts, and only if that is what the tool said it would
//! leave there: a formatter, the user or another program may have written since.

use std::fs::{self, File};
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use foveal_tools::session::OwnChange;
use serde_json::Value;

use super::event::Answered;

/// Tools that change files.
pub(super) const TOOLS: [&str; 3] = ["Edit", "MultiEdit", "Write"];

/// Bytes of a file that is compared.
const BYTES_MAX: u64 = 16 << 20;

/// The file that a call changed, and what it made of it step by step; nothing if it is not known
/// for certain. The path may be from `directory` on.
pub(super) fn of(answered: &Answered, directory: &Path) -> Option<(PathBuf, Vec<OwnChange>)> {
    let Answered { tool, input, response, .. } = answered;
    // The user changed what the model had proposed, and only the tool tells it.
    if response["userModified"] == true {
        return None;
    }
    let path = response["filePath"].as_str().or(input["file_path"].as_str())?;
    let path = directory.join(path);
    let now = held(&path)?;
    let changes = match tool.as_str() {
        "Write" => vec![OwnChange::Whole(input["content"].as_str()?.to_owned())],
        _ => {
            let edits = edits(input, response)?;
            let before = ["originalFile", "originalFileContents"];
            let before = before.iter().find_map(|name| response[*name].as_str())?;
            steps(before, &edits, &now)?
        }
    };
    let left = match changes.last()? {
        OwnChange::Whole(after) | OwnChange::Part { after, .. } => after,
    };
    (*left == now).then_some((path, changes))
}

/// What a file holds now.
fn held(path: &Path) -> Option<String> {
    // To open a pipe would be to wait for whoever writes to it.
    if !path.is_absolute() || !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let read = File::open(path).ok()?.take(BYTES_MAX + 1).read_to_string(&mut text);
    read.is_ok_and(|bytes| bytes as u64 <= BYTES_MAX).then_some(text)
}

/// One replacement.
struct Edit<'a> {
    old: &'a str,
    new: &'a str,
    is_everywhere: bool,
}

/// What was replaced, as the tool says where it does: it may have found other quotation marks
/// than the model wrote.
fn edits<'a>(input: &'a Value, response: &'a Value) -> Option<Vec<Edit<'a>>> {
    if let Some(all) = input["edits"].as_array() {
        let edit = |edit: &'a Value| {
            let (old, new) = (edit["old_string"].as_str()?, edit["new_string"].as_str()?);
            Some(Edit { old, new, is_everywhere: edit["replace_all"] == true })
        };
        return all.iter().map(edit).collect();
    }
    let text = |told: &str, asked: &str| response[told].as_str().or(input[asked].as_str());
    let (old, new) = (text("oldString", "old_string")?, text("newString", "new_string")?);
    let is_everywhere = response["replaceAll"] == true || input["replace_all"] == true;
    Some(vec![Edit { old, new, is_everywhere }])
}

/// What each edit makes of what the one before left.
fn steps(before: &str, edits: &[Edit<'_>], now: &str) -> Option<Vec<OwnChange>> {
    let mut text = before.to_owned();
    let mut changes = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        let is_last = at + 1 == edits.len();
        let line = format!("{}\n", edit.old);
        // What is taken out takes the end of its line along.
        let whole = (edit.new.is_empty() && !edit.old.ends_with('\n') && text.contains(&line))
            .then(|| replaced(&text, &Edit { old: &line, ..*edit }))
            .flatten()
            .filter(|(after, _)| !is_last || after == now);
        let (after, written) = whole.or_else(|| replaced(&text, edit))?;
        changes.push(OwnChange::Part { before: text, after: after.clone(), written });
        text = after;
    }
    Some(changes)
}

/// The text after an edit, and the bytes of it that are new.
fn replaced(text: &str, edit: &Edit<'_>) -> Option<(String, Vec<Range<usize>>)> {
    if edit.old.is_empty() {
        // Into a file with nothing in it.
        let all = std::iter::once(0..edit.new.len());
        return text.is_empty().then(|| (edit.new.to_owned(), all.collect()));
    }
    let most = if edit.is_everywhere { usize::MAX } else { 1 };
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
