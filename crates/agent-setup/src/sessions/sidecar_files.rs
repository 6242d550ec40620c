//! Files beside a recorded session that name its working folder.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

/// The number of bytes that are read of such a file.
const BYTES_MAX: u64 = 1 << 20;

/// The ending of the files in which Cline stores messages.
const CLINE_MESSAGES: &str = ".messages.json";

/// Returns whether the name is that of a file with Cline's messages.
pub(super) fn is_cline_messages_file(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.ends_with(CLINE_MESSAGES))
}

/// Returns the working folder of the session at `path`, if a file beside it names one.
pub(super) fn working_directory(path: &Path) -> Option<String> {
    if is_cline_messages_file(path) {
        let name = path.file_name()?.to_str()?.strip_suffix(CLINE_MESSAGES)?;
        let told: Value =
            serde_json::from_str(&read_short_text(&path.with_file_name(format!("{name}.json")))?)
                .ok()?;
        return Some(told.get("cwd")?.as_str()?.to_owned());
    }
    // Gemini CLI's files: `PROJECT/chats/SESSION.jsonl`, for sub-agents one folder below.
    let chats = path.ancestors().skip(1).take(2).find(|one| one.ends_with("chats"))?;
    let root = read_short_text(&chats.with_file_name(".project_root"))?;
    Some(root.trim().to_owned()).filter(|root| !root.is_empty())
}

/// Reads a regular text file, up to the limit.
fn read_short_text(path: &Path) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}
