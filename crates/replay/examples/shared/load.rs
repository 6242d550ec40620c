//! Loads every ATIF session of a folder of folders.

use std::path::PathBuf;

use anyhow::Context;
use foveal_transcript::Conversation;
use rayon::prelude::*;

/// The conversations with the names of their files, in the order of the names.
pub(crate) fn conversations(folder: &str) -> anyhow::Result<Vec<(String, Conversation)>> {
    let mut files = Vec::new();
    for group in std::fs::read_dir(folder).context("the folder of sessions")? {
        for file in std::fs::read_dir(group?.path())? {
            files.push(file?.path());
        }
    }
    files.sort();
    let read = |path: &PathBuf| -> anyhow::Result<Vec<(String, Conversation)>> {
        let file = std::io::BufReader::new(std::fs::File::open(path)?);
        let name = path.display().to_string();
        let (sessions, _) = foveal_wire::read_all(foveal_wire::Format::Atif, &name, file)?;
        Ok(sessions.into_iter().flat_map(|s| s.conversations).map(|c| (name.clone(), c)).collect())
    };
    let all: anyhow::Result<Vec<_>> = files.par_iter().map(read).collect();
    Ok(all?.into_iter().flatten().collect())
}
