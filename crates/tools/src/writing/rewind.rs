//! The files that a session wrote, as they were at an earlier time.

use std::collections::BTreeMap;

use foveal_cancel::Cancel;
use foveal_files::{Bounds, Located, Opened, PathError, ReadError, Replacement, Version};
use foveal_store::Write;
use foveal_transcript::{Handle, Timestamp};

use crate::error::ToolError;
use crate::permission::{Access, Verdict, WRITERS, refusal};
use crate::session::Session;

use super::undo::{BYTES_MAX, kept};

/// What a file held at that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Was {
    /// There was none.
    NoFile,
    /// This content.
    Held(Handle),
}

/// How what is on disk came of what a file held at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stands {
    /// By writes of the session alone.
    Ours,
    /// It holds that still, or again.
    AsItWas,
    /// Others changed it too: what they did would be undone with it.
    Changed,
    /// It cannot be put back, for this reason.
    Lost(String),
}

/// A file that a session wrote since a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBack {
    /// The file, as it is shown.
    pub path: String,
    /// What it held.
    pub was: Was,
    /// How it stands.
    pub stands: Stands,
    /// What it holds now, by its handle; `None`: there is none.
    now: Option<Handle>,
    /// What its writes are kept under.
    key: String,
}

/// What is on disk.
struct Present {
    bytes: Vec<u8>,
    version: Version,
}

/// A file that is put back, and what is there.
struct Looked {
    was: Was,
    located: Located,
    present: Option<Present>,
}

impl Session {
    /// The files that this session wrote since `since`, with what they held then, by their paths.
    /// What commands changed is not known.
    ///
    /// # Errors
    /// If the store cannot be asked, or it was stopped.
    pub fn files_since(
        &self,
        since: Timestamp,
        cancel: &Cancel<'_>,
    ) -> Result<Vec<FileBack>, ToolError> {
        let writes = self.journal.all_writes().map_err(ToolError::failed)?;
        let mut by_path: BTreeMap<String, Vec<Write>> = BTreeMap::new();
        for write in writes.into_iter().filter(|write| write.time >= since) {
            by_path.entry(write.path.clone()).or_default().push(write);
        }
        let mut files = Vec::new();
        for (key, writes) in by_path {
            if cancel.is_cancelled() {
                return Err(ToolError::Cancelled);
            }
            files.extend(self.file_back(key, &writes, cancel));
        }
        Ok(files)
    }

    /// How one file stands, by its writes, the last first.
    fn file_back(&self, key: String, writes: &[Write], cancel: &Cancel<'_>) -> Option<FileBack> {
        let (last, first) = (writes.first()?, writes.last()?);
        let was = first.before.map_or(Was::NoFile, Was::Held);
        let located = match self.roots().resolve(&key) {
            Ok(located) => located,
            Err(error) => {
                let stands = Stands::Lost(error.to_string());
                return Some(FileBack { path: key.clone(), was, stands, now: None, key });
            }
        };
        let path = located.shown().to_owned();
        if let Some(why) = self.forbids_writing(&located) {
            let stands = Stands::Lost(why);
            return Some(FileBack { path, was, stands, now: None, key });
        }
        let mut seen = None;
        let stands = match present(&located, cancel) {
            Err(error) => Stands::Lost(error.to_string()),
            Ok(present) => {
                let now = present.map(|present| Handle::of(&present.bytes));
                seen = now;
                let is_ours = now == last.after
                    && writes.windows(2).all(|pair| pair[0].before == pair[1].after);
                let content = match was {
                    Was::Held(handle) => kept(self, handle).err(),
                    Was::NoFile => None,
                };
                match content {
                    _ if now == first.before => Stands::AsItWas,
                    Some(error) => Stands::Lost(error.to_string()),
                    None if is_ours => Stands::Ours,
                    None => Stands::Changed,
                }
            }
        };
        Some(FileBack { path, was, stands, now: seen, key })
    }

    /// Why a rule forbids one of the tools that write to write the file, if one does. Whoever puts files back is the
    /// person: where rules ask, there is nobody else to be asked.
    fn forbids_writing(&self, located: &Located) -> Option<String> {
        let subject = located.rule_path();
        let decided = WRITERS.map(|tool| self.permissions.decide(&Access::of(tool, &subject)));
        let denied = decided.into_iter().find(|decided| decided.verdict == Verdict::Deny)?;
        let rules = &self.toolbox().policy.rules;
        Some(refusal::forbidden_by(denied.rule.and_then(|at| Some((at, rules.get(at)?)))))
    }

    /// Puts files back that hold what they held when they were looked at, whoever wrote that. Files
    /// that are there are replaced all or none; those that were not there are removed, and those that
    /// are gone are made again. That it was done is kept as writes of this session.
    ///
    /// # Errors
    /// If one of them was changed since it was looked at, or a rule forbids that it is written:
    /// then nothing is done. If one cannot be written; those named before it may have been.
    pub fn put_files_back(
        &self,
        files: &[&FileBack],
        cancel: &Cancel<'_>,
    ) -> Result<(), ToolError> {
        let _turn = self.turn_to_write();
        let mut replaced = Vec::new();
        for Looked { was, located, present } in self.as_looked_at(files, cancel)? {
            match (present, was) {
                (Some(present), Was::Held(handle)) => {
                    replaced.push((located, present, kept(self, handle)?));
                }
                (None, Was::Held(handle)) => {
                    let content = kept(self, handle)?;
                    let writer = &self.toolbox().writer;
                    writer.create(&located, &content, cancel).map_err(ToolError::failed)?;
                    self.note_back(&located, None, Some(&content))?;
                }
                (Some(present), Was::NoFile) => {
                    let writer = &self.toolbox().writer;
                    let removed = writer.remove_if(&located, &present.version.hash, cancel);
                    let removed = removed.map_err(ToolError::failed)?;
                    self.note_back(&located, Some(&removed), None)?;
                }
                (None, Was::NoFile) => {}
            }
        }
        let replacements = replaced.iter().map(|(located, present, content)| Replacement {
            located,
            expected: present.version.hash,
            bytes: content,
        });
        let replacements: Vec<Replacement<'_>> = replacements.collect();
        let written = self.toolbox().writer.replace_all(&replacements, cancel);
        written.map_err(ToolError::failed)?;
        for (located, present, content) in &replaced {
            self.note_back(located, Some(&present.bytes), Some(content))?;
        }
        Ok(())
    }

    /// What is on disk of each file, if all of them hold what they held when they were looked at.
    fn as_looked_at(
        &self,
        files: &[&FileBack],
        cancel: &Cancel<'_>,
    ) -> Result<Vec<Looked>, ToolError> {
        let look = |file: &&FileBack| {
            let located = self.roots().resolve(&file.key).map_err(ToolError::failed)?;
            if let Some(why) = self.forbids_writing(&located) {
                return Err(ToolError::Denied { what: format!("`{}`: {why}", file.path) });
            }
            let present = present(&located, cancel)?;
            if present.as_ref().map(|present| Handle::of(&present.bytes)) != file.now {
                let path = &file.path;
                let why =
                    format!("`{path}` was changed meanwhile: nothing was put back; look again");
                return Err(ToolError::failed(why));
            }
            Ok(Looked { was: file.was, located, present })
        };
        files.iter().map(look).collect()
    }

    /// Keeps that a file was put back, and forgets what was known of it.
    fn note_back(
        &self,
        located: &Located,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<(), ToolError> {
        let key = located.key();
        self.files.remove(&key);
        self.reads.forget(&key);
        self.toolbox().index.touch(&located.absolute());
        let kept = self.journal.put_write(key.as_str(), (before, after));
        kept.map(drop).map_err(ToolError::failed)
    }
}

/// What is on disk; `None`: there is no file.
fn present(located: &Located, cancel: &Cancel<'_>) -> Result<Option<Present>, ToolError> {
    let bounds = Bounds { bytes_max: BYTES_MAX };
    let read = Opened::open(located);
    match read.and_then(|opened| opened.read(Vec::new(), &bounds, cancel)) {
        Ok((bytes, version)) => Ok(Some(Present { bytes, version })),
        Err(ReadError::Path(PathError::NotFound { .. })) => Ok(None),
        Err(error) => Err(ToolError::failed(error)),
    }
}
