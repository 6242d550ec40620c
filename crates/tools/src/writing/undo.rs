//! The way back from a write: what a file held before, or that there was none.

use std::sync::Arc;

use foveal_context::note::ChangeKind;
use foveal_files::edit::{LineSpan, Run, changed_since, differing_lines};
use foveal_files::{Bounds, Located, Opened, PathError, PathKey, ReadError, TextFile, Version};
use foveal_store::Write;
use foveal_transcript::{Handle, ParseHandleError};

use crate::error::ToolError;
use crate::findings::{Change, Changes, Content, Findings};
use crate::session::{Session, Work};

use super::keep::{AuthoredLines, NO_FILE, way_back, wrote, wrote_over};
use super::target::{Target, view_of};
use super::write::write_new;

/// Bytes of the largest file that can be put back.
pub(super) const BYTES_MAX: u64 = 256 << 20;

/// Lines of a run beyond which it may hold lines that are the same in both texts.
const RUN_LINES_MAX: u32 = 4_000;

/// A file as it is before something is put back.
struct Present {
    version: Version,
    bytes: Vec<u8>,
}

impl Present {
    fn handle(&self) -> Handle {
        Handle::of(&self.bytes)
    }
}

/// How what is on disk came of what a file held before. No handle: there was no file.
enum Origin {
    /// By writes of this session alone.
    Ours,
    /// Others wrote after a write of this session: what that left, and what they did.
    Others { left: Option<Handle>, found: Option<Handle> },
    /// The file never held it before a write of this session.
    Unknown,
}

/// Puts back what a file held before a change, if nobody else has changed it since.
pub(crate) fn restore(work: &Work<'_>, path: &str, handle: &str) -> Result<Findings, ToolError> {
    let handle: Result<Handle, ParseHandleError> = handle.trim().parse();
    let handle = handle.map_err(ToolError::failed)?;
    let located = work.file(path)?;
    let (shown, key) = (located.shown(), located.key());
    let _turn = work.session.turn_to_write();
    let present = present(work, &located)?;
    let wanted = Some(handle).filter(|handle| *handle != *NO_FILE);
    match origin(work, &key, wanted, present.as_ref().map(Present::handle))? {
        Origin::Ours => {}
        Origin::Unknown => {
            return Err(ToolError::failed(format!(
                "`{handle}` is nothing that `{shown}` held before a change in this session"
            )));
        }
        Origin::Others { left, found } => {
            return Err(others_wrote(work.session, shown, (left, found), present.as_ref()));
        }
    }
    match (present, wanted) {
        (Some(present), Some(handle)) => {
            let content = kept(work.session, handle)?;
            put_back(work, located, present, &content)
        }
        (Some(present), None) => remove(work, &located, &present),
        (None, Some(handle)) => {
            let content = kept(work.session, handle)?;
            let is_seen = work.session.undo.is_seen(handle);
            let found = write_new(work, &located, &key, &content)?;
            if !is_seen {
                work.session.files.remove(&key);
            }
            // Whether it may be put back is asked anew each time.
            Ok(found.resting_on(Vec::new()))
        }
        (None, None) => Err(ToolError::failed(format!("there is no file `{shown}` already"))),
    }
}

fn present(work: &Work<'_>, located: &Located) -> Result<Option<Present>, ToolError> {
    let bounds = Bounds { bytes_max: BYTES_MAX };
    let read = Opened::open(located);
    match read.and_then(|opened| opened.read(Vec::new(), &bounds, work.control.cancel)) {
        Ok((bytes, version)) => Ok(Some(Present { version, bytes })),
        Err(ReadError::Path(PathError::NotFound { .. })) => Ok(None),
        Err(error) => Err(ToolError::failed(error)),
    }
}

/// Follows the writes of this session back from what is on disk `now` to what is `wanted`.
fn origin(
    work: &Work<'_>,
    key: &PathKey,
    wanted: Option<Handle>,
    now: Option<Handle>,
) -> Result<Origin, ToolError> {
    let writes = work.session.journal.writes(key.as_str()).map_err(ToolError::failed)?;
    if !writes.iter().any(|write| write.before == wanted) {
        return Ok(Origin::Unknown);
    }
    let mut found = now;
    for Write { before, after, .. } in writes {
        if after != found {
            return Ok(Origin::Others { left: after, found });
        }
        if before == wanted {
            return Ok(Origin::Ours);
        }
        found = before;
    }
    Ok(Origin::Unknown)
}

/// Says what others changed, which would be lost.
fn others_wrote(
    session: &Session,
    path: &str,
    (left, found): (Option<Handle>, Option<Handle>),
    now: Option<&Present>,
) -> ToolError {
    let left = kept_text(session, left);
    let found = match found == now.map(Present::handle) {
        true => now.and_then(|now| TextFile::decode(&now.bytes).ok()),
        false => kept_text(session, found),
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
    work: &Work<'_>,
    located: Located,
    present: Present,
    content: &[u8],
) -> Result<Findings, ToolError> {
    let Present { version, bytes } = present;
    let writer = &work.toolbox.writer;
    let written = writer.replace_if(&located, &version.hash, content, work.control.cancel);
    let written = written.map_err(ToolError::failed)?;
    let key = located.key();
    let view = |bytes: &[u8]| Some(view_of(&located, TextFile::decode(bytes).ok()?));
    let (Some(before), Some(after)) = (view(&bytes), view(content)) else {
        work.session.files.remove(&key);
        return Ok(changed(wrote(work, &located, &key, content, &written)));
    };
    let runs = differing_lines(before.text(), after.text());
    let (text, view) = (before.clone(), Arc::new(before));
    let target = Target { located, key, text, version, view, is_notebook: false };
    // What comes back is what this session wrote over and thus saw, save in a run too long
    // to be looked into.
    let is_exact = |run: &Run| run.before.lines.max(run.after.lines) <= RUN_LINES_MAX;
    let is_seen = work.session.undo.is_seen(Handle::of(content));
    let authored = match is_seen && runs.iter().all(is_exact) {
        true => AuthoredLines::Runs(runs),
        false => AuthoredLines::Nothing,
    };
    Ok(changed(wrote_over(work, &target, content, &written, &authored)))
}

/// Takes back that a file was made. The folders that were made for it stay.
fn remove(work: &Work<'_>, located: &Located, present: &Present) -> Result<Findings, ToolError> {
    let writer = &work.toolbox.writer;
    let removed = writer.remove_if(located, &present.version.hash, work.control.cancel);
    let removed = removed.map_err(ToolError::failed)?;
    let key = located.key();
    work.session.files.remove(&key);
    work.session.reads.forget(&key);
    work.toolbox.index.touch(&located.absolute());
    Ok(changed(Change {
        path: located.shown().to_owned(),
        kind: ChangeKind::Removed,
        undo: way_back(work, &key, Some(&removed), None),
        notes: Vec::new(),
        places: Vec::new(),
    }))
}

fn changed(change: Change) -> Findings {
    Content::Changes(Changes::from(change)).into()
}

/// Bytes that were kept, as they were; the error says why there are none.
pub(super) fn kept(session: &Session, handle: Handle) -> Result<Arc<[u8]>, ToolError> {
    if let Some(held) = session.undo.get(handle) {
        return Ok(held);
    }
    let content = session.toolbox().store.get(handle).map_err(ToolError::failed)?;
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

impl Session {
    /// Returns the text that writing a `before` handle puts back, which is empty where there was no
    /// file; `None` where it is not known, or no text.
    pub fn text_before(&self, handle: &str) -> Option<String> {
        let handle: Handle = handle.trim().parse().ok()?;
        if handle == *NO_FILE {
            return Some(String::new());
        }
        String::from_utf8(kept(self, handle).ok()?.to_vec()).ok()
    }
}

/// The same as text, if it is there and is one; nothing where there was no file.
fn kept_text(session: &Session, handle: Option<Handle>) -> Option<TextFile> {
    match handle {
        Some(handle) => TextFile::decode(&kept(session, handle).ok()?).ok(),
        None => Some(TextFile::new("")),
    }
}
