//! The return of the files that a session wrote to an earlier time.

use std::collections::BTreeMap;

use foveal_store::FileWrite;
use foveal_transcript::{CancelToken, Handle, Timestamp};
use foveal_workspace::{
    FileReadError, FileReplacement, FileVersion, OpenFile, PathError, ReadSizeLimit, ResolvedPath,
};

use crate::error::ToolError;
use crate::permission::{Access, Verdict, WRITE_TOOLS, refusal};
use crate::session::ToolSession;

use super::file_undo::{BYTES_MAX, kept_content};

/// The content of a file at the earlier time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierContent {
    /// There was no file.
    NoFile,
    /// The content with this handle.
    Content(Handle),
}

/// The relation of the content on disk to the earlier content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewindState {
    /// Only writes of the session lie between.
    OnlyOurs,
    /// The file has the earlier content still, or again.
    Unchanged,
    /// Others changed the file too; a rewind would undo their changes.
    ChangedByOthers,
    /// The earlier content cannot be restored, for this reason.
    NotRestorable(String),
}

/// A file that a session wrote since a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindableFile {
    /// The path of the file as answers show it.
    pub path: String,
    /// The content at that time.
    pub earlier: EarlierContent,
    /// The relation of the content on disk to it.
    pub state: RewindState,
    /// The handle of the content on disk; `None` if there is no file.
    current: Option<Handle>,
    /// The key under which the journal has the writes of the file.
    key: String,
}

/// The content of a file on disk.
struct DiskContent {
    bytes: Vec<u8>,
    version: FileVersion,
}

/// A file to be rewound, with its checked content on disk.
struct CheckedFile {
    earlier: EarlierContent,
    located: ResolvedPath,
    present: Option<DiskContent>,
}

impl ToolSession {
    /// Returns the files that this session wrote since `since`, by path, with their content at that
    /// time. Changes by commands are not known.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read, or the call was cancelled.
    pub fn files_written_since(
        &self,
        since: Timestamp,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<RewindableFile>, ToolError> {
        let writes = self.recorder.writes_with_sub_agents().map_err(ToolError::from_error)?;
        let mut by_path: BTreeMap<String, Vec<FileWrite>> = BTreeMap::new();
        for write in writes.into_iter().filter(|write| write.time >= since) {
            by_path.entry(write.path.clone()).or_default().push(write);
        }
        let mut files = Vec::new();
        for (key, writes) in by_path {
            if cancel.is_cancelled() {
                return Err(ToolError::Cancelled);
            }
            files.extend(self.rewindable_file(key, &writes, cancel));
        }
        Ok(files)
    }

    /// Returns the state of one file after its writes, the latest first.
    fn rewindable_file(
        &self,
        key: String,
        writes: &[FileWrite],
        cancel: &CancelToken<'_>,
    ) -> Option<RewindableFile> {
        let (last, first) = (writes.first()?, writes.last()?);
        let was = first.before.map_or(EarlierContent::NoFile, EarlierContent::Content);
        let located = match self.roots().resolve(&key) {
            Ok(located) => located,
            Err(error) => {
                let stands = RewindState::NotRestorable(error.to_string());
                return Some(RewindableFile {
                    path: key.clone(),
                    earlier: was,
                    state: stands,
                    current: None,
                    key,
                });
            }
        };
        let path = located.display_path().to_owned();
        if let Some(why) = self.write_refusal(&located) {
            let stands = RewindState::NotRestorable(why);
            return Some(RewindableFile { path, earlier: was, state: stands, current: None, key });
        }
        let mut seen = None;
        let stands = match read_disk_content(&located, cancel) {
            Err(error) => RewindState::NotRestorable(error.to_string()),
            Ok(present) => {
                let now = present.map(|present| Handle::from_content(&present.bytes));
                seen = now;
                let is_ours = now == last.after
                    && writes.windows(2).all(|pair| pair[0].before == pair[1].after);
                let content = match was {
                    EarlierContent::Content(handle) => kept_content(self, handle).err(),
                    EarlierContent::NoFile => None,
                };
                match content {
                    _ if now == first.before => RewindState::Unchanged,
                    Some(error) => RewindState::NotRestorable(error.to_string()),
                    None if is_ours => RewindState::OnlyOurs,
                    None => RewindState::ChangedByOthers,
                }
            }
        };
        Some(RewindableFile { path, earlier: was, state: stands, current: seen, key })
    }

    /// Returns the reason why a rule forbids one of the tools that write files to write this file,
    /// if one does. A rewind is an action of the user, so rules that ask do not apply.
    fn write_refusal(&self, located: &ResolvedPath) -> Option<String> {
        let subject = located.rule_path();
        let decided = WRITE_TOOLS.map(|tool| self.permissions.decide(&Access::new(tool, &subject)));
        let denied = decided.into_iter().find(|decided| decided.verdict == Verdict::Deny)?;
        let rules = &self.toolbox().policy.rules;
        Some(refusal::forbidding_rule_message(
            denied.rule.and_then(|at| Some((at, rules.get(at)?))),
        ))
    }

    /// Restores files that still have the content they had when they were listed, whoever wrote it.
    /// Existing files are replaced all or none, files that did not exist are removed, and missing
    /// files are created again. The journal records this as writes of the session.
    ///
    /// # Errors
    /// Returns an error if one of the files changed since it was listed, or a rule forbids writing
    /// it: then no file is changed. Returns an error if a file cannot be written: then the files
    /// before it may be restored.
    pub fn rewind_files(
        &self,
        files: &[&RewindableFile],
        cancel: &CancelToken<'_>,
    ) -> Result<(), ToolError> {
        let _turn = self.lock_writes();
        let mut replaced = Vec::new();
        for CheckedFile { earlier: was, located, present } in self.check_unchanged(files, cancel)? {
            match (present, was) {
                (Some(present), EarlierContent::Content(handle)) => {
                    replaced.push((located, present, kept_content(self, handle)?));
                }
                (None, EarlierContent::Content(handle)) => {
                    let content = kept_content(self, handle)?;
                    let writer = &self.toolbox().writer;
                    writer
                        .create_file(&located, &content, cancel)
                        .map_err(ToolError::from_error)?;
                    self.record_rewind(&located, None, Some(&content))?;
                }
                (Some(present), EarlierContent::NoFile) => {
                    let writer = &self.toolbox().writer;
                    let removed =
                        writer.compare_and_remove(&located, &present.version.hash, cancel);
                    let removed = removed.map_err(ToolError::from_error)?;
                    self.record_rewind(&located, Some(&removed), None)?;
                }
                (None, EarlierContent::NoFile) => {}
            }
        }
        let replacements = replaced.iter().map(|(located, present, content)| FileReplacement {
            located,
            expected: present.version.hash,
            bytes: content,
        });
        let replacements: Vec<FileReplacement<'_>> = replacements.collect();
        let written = self.toolbox().writer.replace_all(&replacements, cancel);
        written.map_err(ToolError::from_error)?;
        for (located, present, content) in &replaced {
            self.record_rewind(located, Some(&present.bytes), Some(content))?;
        }
        Ok(())
    }

    /// Returns the content on disk of each file, if all of them are as they were when they were
    /// listed.
    fn check_unchanged(
        &self,
        files: &[&RewindableFile],
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<CheckedFile>, ToolError> {
        let look = |file: &&RewindableFile| {
            let located = self.roots().resolve(&file.key).map_err(ToolError::from_error)?;
            if let Some(why) = self.write_refusal(&located) {
                return Err(ToolError::Denied { what: format!("`{}`: {why}", file.path) });
            }
            let present = read_disk_content(&located, cancel)?;
            if present.as_ref().map(|present| Handle::from_content(&present.bytes)) != file.current
            {
                let path = &file.path;
                let why =
                    format!("`{path}` was changed meanwhile: nothing was put back; look again");
                return Err(ToolError::from_error(why));
            }
            Ok(CheckedFile { earlier: file.earlier, located, present })
        };
        files.iter().map(look).collect()
    }

    /// Journals the rewind of a file, and forgets its known state.
    fn record_rewind(
        &self,
        located: &ResolvedPath,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<(), ToolError> {
        let key = located.path_key();
        self.files.remove(&key);
        self.reads.remove_file(&key);
        self.toolbox().index.queue_file(&located.absolute_path());
        let kept = self.recorder.record_write(key.as_str(), before, after);
        kept.map(drop).map_err(ToolError::from_error)
    }
}

/// Reads the content on disk; `None` if there is no file.
fn read_disk_content(
    located: &ResolvedPath,
    cancel: &CancelToken<'_>,
) -> Result<Option<DiskContent>, ToolError> {
    let bounds = ReadSizeLimit { bytes_max: BYTES_MAX };
    let read = OpenFile::open(located);
    match read.and_then(|opened| opened.read_all(Vec::new(), &bounds, cancel)) {
        Ok((bytes, version)) => Ok(Some(DiskContent { bytes, version })),
        Err(FileReadError::Path(PathError::NotFound { .. })) => Ok(None),
        Err(error) => Err(ToolError::from_error(error)),
    }
}
