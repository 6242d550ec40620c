//! The way back from a write: what a file held before, or that there was none.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use foveal_files::edit::{LineSpan, Run, changed_since, differing_lines};
use foveal_files::{
    Bounds, Located, Opened, PathError, PathKey, ReadError, TextFile, Version, remove_if,
    replace_if,
};
use foveal_store::secrets::without;
use foveal_store::{StoreError, Write};
use foveal_transcript::{Handle, ParseHandleError};

use crate::answer::Found;
use crate::error::ToolError;

use super::check::view_of;
use super::edit::{Ours, Target};
use super::{Session, Work};

/// What is kept in place of a file that did not exist. No text holds it.
const NO_FILE: &[u8] = b"\0foveal: no file\0";

/// Bytes of the largest file that can be put back.
const BYTES_MAX: u64 = 256 << 20;

/// Bytes that a session keeps in memory.
const UNDO_BYTES_MAX: usize = 32 << 20;

/// Handles of files that were seen before a change.
const SEEN_MAX: usize = 10_000;

/// Lines of a run beyond which it may hold lines that are the same in both texts.
const RUN_LINES_MAX: u32 = 4_000;

/// Why a change cannot be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoWayBack {
    /// The file held something that is not to lie in a store, and is too large for memory.
    #[error("what it held has secrets, which are not kept")]
    Secrets,
    /// Nothing can be kept.
    #[error("the store cannot be written")]
    Store,
}

/// How to go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WayBack {
    handle: Handle,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stored,
    InMemory,
    NoFile,
}

impl fmt::Display for WayBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { handle, kind } = self;
        match kind {
            Kind::Stored => write!(f, "{handle}"),
            Kind::InMemory => {
                write!(f, "{handle}, with secrets: in memory alone, till foveal ends")
            }
            Kind::NoFile => write!(f, "{handle}, no file"),
        }
    }
}

/// What files held before a change, where that may not lie in a store. The oldest goes first.
#[derive(Default)]
pub(super) struct UndoBuffer {
    contents: VecDeque<(Handle, Arc<[u8]>)>,
    bytes: usize,
    /// Files as they were when all that was written over was seen, and is still known.
    seen: BTreeSet<Handle>,
}

impl UndoBuffer {
    /// Whether there is room for the content.
    fn put(&mut self, handle: Handle, content: &[u8]) -> bool {
        if content.len() > UNDO_BYTES_MAX {
            return false;
        }
        if self.get(handle).is_none() {
            self.bytes += content.len();
            self.contents.push_back((handle, content.into()));
        }
        while self.bytes > UNDO_BYTES_MAX
            && let Some((_, oldest)) = self.contents.pop_front()
        {
            self.bytes -= oldest.len();
        }
        true
    }

    fn get(&self, handle: Handle) -> Option<Arc<[u8]>> {
        let held = self.contents.iter().find(|(held, _)| *held == handle);
        held.map(|(_, content)| Arc::clone(content))
    }

    fn see(&mut self, handle: Handle) {
        if self.seen.len() == SEEN_MAX {
            self.seen.clear();
        }
        self.seen.insert(handle);
    }

    /// What was seen is not known any more.
    pub(super) fn forget_seen(&mut self) {
        self.seen.clear();
    }
}

impl fmt::Debug for UndoBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UndoBuffer").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Session {
    /// Remembers that a file was written, and keeps what it held before; `None`: there was, or
    /// is, no file.
    pub(super) fn keep_write(
        &self,
        key: &PathKey,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<WayBack, NoWayBack> {
        let (store, now) = (&self.toolbox.store, self.toolbox.clock.now());
        let put =
            |content: Option<&[u8]>| store.put(Some(&self.stored), content.unwrap_or(NO_FILE), now);
        let keep = || -> Result<_, StoreError> {
            let (stored, after) = (put(before)?, put(after)?.handle);
            let write = Write {
                path: key.as_str().to_owned(),
                before: Some(stored.handle),
                after,
                time: now,
            };
            store.put_write(&self.stored, &write)?;
            Ok(stored)
        };
        let stored = self.opened(keep).map_err(|_| NoWayBack::Store)?;
        let handle = stored.handle;
        self.state().undo_buffer.see(handle);
        let kind = match before {
            None => Kind::NoFile,
            Some(_) if stored.secrets == 0 => Kind::Stored,
            Some(before) if self.state().undo_buffer.put(handle, before) => Kind::InMemory,
            Some(_) => return Err(NoWayBack::Secrets),
        };
        Ok(WayBack { handle, kind })
    }

    /// Bytes that were kept, as they were; the error says why there are none.
    fn kept(&self, handle: Handle) -> Result<Arc<[u8]>, ToolError> {
        if let Some(held) = self.state().undo_buffer.get(handle) {
            return Ok(held);
        }
        let content = self.toolbox.store.get(handle).map_err(ToolError::failed)?;
        let content = content.ok_or_else(|| {
            ToolError::failed(format!("what was kept under `{handle}` is gone: it was too old"))
        })?;
        if content.secrets > 0 {
            return Err(ToolError::failed(format!(
                "what was kept under `{handle}` had secrets, which were held in memory alone and \
                 are gone; it cannot be put back from here"
            )));
        }
        Ok(content.bytes.into())
    }

    /// The same as text, if it is there and is one; nothing where there was no file.
    fn kept_text(&self, handle: Handle) -> Option<TextFile> {
        let bytes = self.kept(handle).ok()?;
        if *bytes == *NO_FILE { Some(TextFile::new("")) } else { TextFile::decode(&bytes).ok() }
    }
}

/// A file as it is before something is put back.
struct Present {
    version: Version,
    bytes: Vec<u8>,
}

/// How what is on disk came of what a handle stands for.
enum Origin {
    /// By writes of this session alone.
    Ours,
    /// Others wrote after a write of this session: what that left, and what they did.
    Others { left: Handle, found: Handle },
    /// The handle is none of this file.
    Unknown,
}

impl Work<'_> {
    /// Puts back what a file held before a change, if nobody else has changed it since.
    pub(crate) fn restore(&self, path: &str, handle: &str) -> Result<Found, ToolError> {
        let handle: Result<Handle, ParseHandleError> = handle.trim().parse();
        let handle = handle.map_err(ToolError::failed)?;
        let located = self.file(path)?;
        let (shown, key) = (located.shown(), located.key());
        let _turn = self.session.turn_to_write();
        let present = self.present(&located)?;
        let now = present.as_ref().map_or(NO_FILE, |present| &present.bytes);
        match self.origin(&key, handle, Handle::of(now))? {
            Origin::Ours => {}
            Origin::Unknown => {
                return Err(ToolError::failed(format!(
                    "`{handle}` is nothing that `{shown}` held before a change in this session"
                )));
            }
            Origin::Others { left, found } => {
                return Err(self.others_wrote(shown, left, found, now));
            }
        }
        let content = self.session.kept(handle)?;
        match (present, *content == *NO_FILE) {
            (Some(present), false) => self.put_back(located, present, &content),
            (Some(present), true) => self.remove(&located, &present),
            (None, false) => {
                let is_seen = self.session.state().undo_buffer.seen.contains(&handle);
                let found = self.write_new(&located, &key, &content)?;
                if !is_seen {
                    self.session.forget_file(&key);
                }
                // Whether it may be put back is asked anew each time.
                Ok(Found { depends: Vec::new(), ..found })
            }
            (None, true) => Err(ToolError::failed(format!("there is no file `{shown}` already"))),
        }
    }

    fn present(&self, located: &Located) -> Result<Option<Present>, ToolError> {
        let bounds = Bounds { bytes_max: BYTES_MAX };
        let read = Opened::open(located);
        match read.and_then(|opened| opened.read(Vec::new(), &bounds, self.control.cancel)) {
            Ok((bytes, version)) => Ok(Some(Present { version, bytes })),
            Err(ReadError::Path(PathError::NotFound { .. })) => Ok(None),
            Err(error) => Err(ToolError::failed(error)),
        }
    }

    /// Follows the writes of this session back from what is on disk `now`.
    fn origin(&self, key: &PathKey, handle: Handle, now: Handle) -> Result<Origin, ToolError> {
        let writes = self.toolbox.store.writes(&self.session.stored, None);
        let mut writes = writes.map_err(ToolError::failed)?;
        // Names are kept without secrets too.
        let kept_as = without(key.as_str());
        writes.retain(|write| write.path == kept_as);
        if !writes.iter().any(|write| write.before == Some(handle)) {
            return Ok(Origin::Unknown);
        }
        let mut found = now;
        for Write { before, after, .. } in writes {
            if after != found {
                return Ok(Origin::Others { left: after, found });
            }
            match before {
                Some(before) if before == handle => return Ok(Origin::Ours),
                Some(before) => found = before,
                None => return Ok(Origin::Unknown),
            }
        }
        Ok(Origin::Unknown)
    }

    /// Says what others changed, which would be lost.
    fn others_wrote(&self, path: &str, left: Handle, found: Handle, now: &[u8]) -> ToolError {
        let left = self.session.kept_text(left);
        let found = match found == Handle::of(now) {
            true => TextFile::decode(now).ok(),
            false => self.session.kept_text(found),
        };
        let delta = left.zip(found).and_then(|(left, found)| {
            let all = LineSpan::of_indices(0, found.text().lines().count());
            changed_since(left.text(), found.text(), &[all])
        });
        let delta = delta.map(|delta| delta.text).unwrap_or_default();
        ToolError::failed(format!(
            "`{path}` was changed by others since (- as you left it, + as they did), which putting \
             it back would undo too; read it, and change what you mean with edit_file:\n{delta}"
        ))
    }

    fn put_back(
        &self,
        located: Located,
        present: Present,
        content: &[u8],
    ) -> Result<Found, ToolError> {
        let Present { version, bytes } = present;
        let written = replace_if(&located, &version.hash, content, self.control.cancel);
        let written = written.map_err(ToolError::failed)?;
        let key = located.key();
        let view = |bytes: &[u8]| Some(view_of(&located, TextFile::decode(bytes).ok()?));
        let (Some(before), Some(after)) = (view(&bytes), view(content)) else {
            self.session.forget_file(&key);
            return Ok(Found::text(self.say_written(&located, &key, content, &written)));
        };
        let runs = differing_lines(before.text(), after.text());
        let (text, view) = (before.clone(), Arc::new(before));
        let target = Target { located, key, text, version, view, is_notebook: false };
        // What comes back is what this session wrote over and thus saw, save in a run too long
        // to be looked into.
        let is_exact = |run: &Run| run.before.lines.max(run.after.lines) <= RUN_LINES_MAX;
        let is_seen = self.session.state().undo_buffer.seen.contains(&Handle::of(content));
        let ours = match is_seen && runs.iter().all(is_exact) {
            true => Ours::Runs(runs),
            false => Ours::Nothing,
        };
        Ok(Found::text(self.wrote_over(&target, content, &written, &ours)))
    }

    /// Takes back that a file was made. The folders that were made for it stay.
    fn remove(&self, located: &Located, present: &Present) -> Result<Found, ToolError> {
        let removed = remove_if(located, &present.version.hash, self.control.cancel);
        let removed = removed.map_err(ToolError::failed)?;
        let (shown, key) = (located.shown(), located.key());
        self.session.forget_file(&key);
        self.session.forget_reads(&key);
        self.toolbox.index.touch(&located.absolute());
        Ok(Found::text(match self.session.keep_write(&key, Some(&removed), None) {
            Ok(back) => format!("Removed {shown}, which was new [before: {back}]\n"),
            Err(why) => format!("Removed {shown}, which was new [no way back: {why}]\n"),
        }))
    }
}
