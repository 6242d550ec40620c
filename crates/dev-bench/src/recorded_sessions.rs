//! Reads recorded sessions from files and folders.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use foveal_transcript::Conversation;
use rayon::prelude::*;

/// A conversation with its source.
#[derive(Debug, Clone)]
pub(crate) struct RecordedConversation {
    /// The name of the folder that its file is in.
    pub(crate) source: String,
    /// The id of its session.
    pub(crate) session: String,
    /// The conversation.
    pub(crate) conversation: Conversation,
}

/// Reads the sessions at `paths`, for folders those of all files in them, in the order of their
/// paths.
///
/// # Errors
/// For the first file that cannot be read as sessions, or if there is no file.
pub(crate) fn load_conversations(paths: &[PathBuf]) -> anyhow::Result<Vec<RecordedConversation>> {
    let mut files = Vec::new();
    for path in paths {
        collect_files(path, &mut files)?;
    }
    files.sort();
    files.dedup();
    ensure!(!files.is_empty(), "no session files found");
    let conversations: anyhow::Result<Vec<_>> =
        files.par_iter().map(|file| load_file(file)).collect();
    Ok(conversations?.into_iter().flatten().collect())
}

fn collect_files(path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let unreadable = || format!("`{}` cannot be read", path.display());
    for entry in std::fs::read_dir(path).with_context(unreadable)? {
        collect_files(&entry.with_context(unreadable)?.path(), files)?;
    }
    Ok(())
}

fn load_file(path: &Path) -> anyhow::Result<Vec<RecordedConversation>> {
    let name = path.display().to_string();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let source = folder.to_string_lossy().into_owned();
    let file = File::open(path).with_context(|| name.clone())?;
    let mut sessions = Vec::new();
    foveal_session_readers::detect_and_read_sessions(&name, BufReader::new(file), &mut |session| {
        sessions.push(session);
    })
    .with_context(|| name.clone())?;
    let conversations = sessions.into_iter().flat_map(|session| {
        let (id, source) = (session.id, source.clone());
        session.conversations.into_iter().map(move |conversation| RecordedConversation {
            source: source.clone(),
            session: id.clone(),
            conversation,
        })
    });
    Ok(conversations.collect())
}
