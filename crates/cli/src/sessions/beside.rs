//! What agents keep of a session beside its file: the folder it was held in.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

/// Most bytes read of a file that tells of a session.
const BYTES_MAX: u64 = 1 << 20;

/// How the files end in which Cline keeps messages.
const CLINE_MESSAGES: &str = ".messages.json";

/// Whether a file has the name of one with Cline's messages.
pub(super) fn has_cline_messages(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.ends_with(CLINE_MESSAGES))
}

/// The working folder of the session at `path`, where a file beside it tells.
pub(super) fn directory(path: &Path) -> Option<String> {
    if has_cline_messages(path) {
        let name = path.file_name()?.to_str()?.strip_suffix(CLINE_MESSAGES)?;
        let told: Value =
            serde_json::from_str(&text(&path.with_file_name(format!("{name}.json")))?).ok()?;
        return Some(told.get("cwd")?.as_str()?.to_owned());
    }
    // Gemini CLI's: `PROJECT/chats/SESSION.jsonl`, those of sub-agents one folder below.
    let chats = path.ancestors().skip(1).take(2).find(|one| one.ends_with("chats"))?;
    let root = text(&chats.with_file_name(".project_root"))?;
    Some(root.trim().to_owned()).filter(|root| !root.is_empty())
}

/// The text of a file, if it is a file with text that is not too long.
fn text(path: &Path) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}
