//! The undo of a write: it restores the previous content of a file, or removes a created file.

use std::sync::Arc;

use crate::notes::FileChangeKind;
use foveal_store::FileWrite;
use foveal_transcript::{Handle, ParseHandleError};
use foveal_workspace::edit::{DiffHunk, LineSpan, delta_since_seen, diff_hunks};
use foveal_workspace::{
    FileReadError, FileVersion, OpenFile, PathError, PathKey, ReadSizeLimit, ResolvedPath, TextFile,
};

use crate::error::ToolError;
use crate::findings::{FileChange, FileChanges, FindingContent, Findings};
use crate::session::{CallContext, ToolSession};

use super::edit_target::{EditTarget, readable_view};
use super::file_write::create_file;
use super::write_record::{
    AuthoredLines, AuthoredRuns, NO_FILE_HANDLE, destination_after_move, keep_undo_content,
    record_overwrite, record_write,
};

/// Bytes of the largest file that can be restored.
pub(super) const BYTES_MAX: u64 = 256 << 20;

/// The longest run in which the comparison is exact; longer ones may contain lines that are equal
/// in both texts.
const RUN_LINES_MAX: u32 = 4_000;

/// A file on disk before an undo.
struct FileBeforeUndo {
    version: FileVersion,
    bytes: Vec<u8>,
}

impl FileBeforeUndo {
    fn handle(&self) -> Handle {
        Handle::from_content(&self.bytes)
    }
}

/// The way from an earlier content of a file to the content on disk. A missing handle stands for a
/// missing file.
enum ContentOrigin {
    /// Only writes of this session lie between.
    OnlyOurs,
    /// Others changed the file after a write of this session, from `left` to `found`.
    ChangedByOthers { left: Option<Handle>, found: Option<Handle> },
    /// The file had no such content before a write of this session.
    Unknown,
}

/// Restores the content of a file before a change, unless others have changed it since.
pub(crate) fn restore_file(
    work: &CallContext<'_>,
    path: &str,
    handle: &str,
) -> Result<Findings, ToolError> {
    let handle: Result<Handle, ParseHandleError> = handle.trim().parse();
    let handle = handle.map_err(ToolError::from_error)?;
    let located = work.resolve_permitted(path)?;
    let (shown, key) = (located.display_path(), located.path_key());
    let _turn = work.session.lock_writes();
    let present = read_current(work, &located)?;
    let wanted = Some(handle).filter(|handle| *handle != *NO_FILE_HANDLE);
    match trace_origin(work, &key, wanted, present.as_ref().map(FileBeforeUndo::handle))? {
        ContentOrigin::OnlyOurs => {}
        ContentOrigin::Unknown => {
            return Err(ToolError::from_error(format!(
                "`{handle}` is nothing that `{shown}` held before a change in this session"
            )));
        }
        ContentOrigin::ChangedByOthers { left, found } => {
            return Err(changed_by_others_error(
                work.session,
                shown,
                left,
                found,
                present.as_ref(),
            ));
        }
    }
    match (present, wanted) {
        (Some(present), Some(handle)) => {
            let content = kept_content(work.session, handle)?;
            replace_content(work, located, present, &content)
        }
        (Some(present), None) => remove_created_file(work, &located, &present),
        (None, Some(handle)) => {
            let content = kept_content(work.session, handle)?;
            let is_seen = work.session.undo.has_full_view(handle);
            let found = create_file(work, &located, &key, &content)?;
            if !is_seen {
                work.session.files.remove(&key);
            }
            // Each undo is checked anew, so the answer must not be reused.
            Ok(found.with_dependencies(Vec::new()))
        }
        (None, None) => Err(ToolError::from_error(format!("there is no file `{shown}` already"))),
    }
}

fn read_current(
    work: &CallContext<'_>,
    located: &ResolvedPath,
) -> Result<Option<FileBeforeUndo>, ToolError> {
    let bounds = ReadSizeLimit { bytes_max: BYTES_MAX };
    let read = OpenFile::open(located);
    match read.and_then(|opened| opened.read_all(Vec::new(), &bounds, work.control.cancel)) {
        Ok((bytes, version)) => Ok(Some(FileBeforeUndo { version, bytes })),
        Err(FileReadError::Path(PathError::NotFound { .. })) => Ok(None),
        Err(error) => Err(ToolError::from_error(error)),
    }
}

/// Traces the writes of this session from the content on disk, `now`, back to `wanted`.
fn trace_origin(
    work: &CallContext<'_>,
    key: &PathKey,
    wanted: Option<Handle>,
    now: Option<Handle>,
) -> Result<ContentOrigin, ToolError> {
    let writes = work.session.recorder.file_writes(key.as_str()).map_err(ToolError::from_error)?;
    if !writes.iter().any(|write| write.before == wanted) {
        return Ok(ContentOrigin::Unknown);
    }
    let mut found = now;
    for FileWrite { before, after, .. } in writes {
        if after != found {
            return Ok(ContentOrigin::ChangedByOthers { left: after, found });
        }
        if before == wanted {
            return Ok(ContentOrigin::OnlyOurs);
        }
        found = before;
    }
    Ok(ContentOrigin::Unknown)
}

/// Returns the error that an undo would lose changes by others, with these changes.
fn changed_by_others_error(
    session: &ToolSession,
    path: &str,
    left: Option<Handle>,
    found: Option<Handle>,
    now: Option<&FileBeforeUndo>,
) -> ToolError {
    let left = kept_text(session, left);
    let found = match found == now.map(FileBeforeUndo::handle) {
        true => now.and_then(|now| TextFile::decode(&now.bytes).ok()),
        false => kept_text(session, found),
    };
    let delta = left.zip(found).and_then(|(left, found)| {
        let all = LineSpan::from_indices(0, found.text().lines().count());
        delta_since_seen(left.text(), found.text(), &[all])
    });
    let delta = delta.map(|delta| delta.text).unwrap_or_default();
    ToolError::from_error(format!(
        "`{path}` was changed by others since (- as you left it, + as they did), which putting \
         it back would undo too; read it, and change what you mean with edit_file:\n{delta}"
    ))
}

fn replace_content(
    work: &CallContext<'_>,
    located: ResolvedPath,
    present: FileBeforeUndo,
    content: &[u8],
) -> Result<Findings, ToolError> {
    let FileBeforeUndo { version, bytes } = present;
    let writer = &work.toolbox.writer;
    let written = writer.compare_and_replace(&located, &version.hash, content, work.control.cancel);
    let written = written.map_err(ToolError::from_error)?;
    let key = located.path_key();
    let view = |bytes: &[u8]| Some(readable_view(&located, TextFile::decode(bytes).ok()?));
    let (Some(before), Some(after)) = (view(&bytes), view(content)) else {
        work.session.files.remove(&key);
        return Ok(change_findings(record_write(work, &located, &key, content, &written)));
    };
    let runs = diff_hunks(before.text(), after.text());
    let (text, view) = (before.clone(), Arc::new(before));
    let target = EditTarget { located, key, text, version, view, is_notebook: false };
    // The session saw the content that it wrote over, except in runs that are too long for an exact
    // comparison.
    let is_exact = |run: &DiffHunk| run.before.lines.max(run.after.lines) <= RUN_LINES_MAX;
    let is_seen = work.session.undo.has_full_view(Handle::from_content(content));
    // Of a long line it may have seen only a part.
    let has_parts = target.known_file(work).is_some_and(|known| !known.seen_parts.is_empty());
    let authored = match is_seen && !has_parts && runs.iter().all(is_exact) {
        true => AuthoredLines::Runs(AuthoredRuns { runs, parts: Vec::new() }),
        false => AuthoredLines::Nothing,
    };
    Ok(change_findings(record_overwrite(work, &target, content, &written, &authored)))
}

/// Removes a file that a write created. Folders that were created with it remain.
fn remove_created_file(
    work: &CallContext<'_>,
    located: &ResolvedPath,
    present: &FileBeforeUndo,
) -> Result<Findings, ToolError> {
    let writer = &work.toolbox.writer;
    let removed = writer.compare_and_remove(located, &present.version.hash, work.control.cancel);
    let removed = removed.map_err(ToolError::from_error)?;
    let key = located.path_key();
    work.session.files.remove(&key);
    work.session.reads.remove_file(&key);
    work.toolbox.index.queue_file(&located.absolute_path());
    Ok(change_findings(FileChange {
        path: located.display_path().to_owned(),
        kind: FileChangeKind::Removed,
        undo: keep_undo_content(work, &key, Some(&removed), None),
        notes: Vec::new(),
        destination: destination_after_move(work, located),
        changed_spans: Vec::new(),
    }))
}

fn change_findings(change: FileChange) -> Findings {
    FindingContent::Changes(FileChanges::from(change)).into()
}

/// Returns kept bytes, or an error with the reason why they are gone.
pub(super) fn kept_content(session: &ToolSession, handle: Handle) -> Result<Arc<[u8]>, ToolError> {
    if let Some(held) = session.undo.get(handle) {
        return Ok(held);
    }
    let content = session.toolbox().store.content(handle).map_err(ToolError::from_error)?;
    let content = content.ok_or_else(|| {
        ToolError::from_error(format!("what was kept under `{handle}` is gone: it was too old"))
    })?;
    if content.secrets > 0 {
        return Err(ToolError::from_error(format!(
            "what was kept under `{handle}` had secrets, which were held in memory alone and \
             are gone; it cannot be put back from here"
        )));
    }
    Ok(content.bytes.into())
}

impl ToolSession {
    /// Returns the text that an undo with this handle restores, empty if there was no file; `None`
    /// if the content is not known or is no text.
    pub fn text_before(&self, handle: &str) -> Option<String> {
        let handle: Handle = handle.trim().parse().ok()?;
        if handle == *NO_FILE_HANDLE {
            return Some(String::new());
        }
        String::from_utf8(kept_content(self, handle).ok()?.to_vec()).ok()
    }
}

/// Returns kept content as text, if it is known and is a text; an empty text if there was no file.
fn kept_text(session: &ToolSession, handle: Option<Handle>) -> Option<TextFile> {
    match handle {
        Some(handle) => TextFile::decode(&kept_content(session, handle).ok()?).ok(),
        None => Some(TextFile::new("")),
    }
}
