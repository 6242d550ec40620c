//! Replacing files, all or none.
//!
//! First all new files are written beside the old ones. Then the journal is brought to the
//! device. Then each new file changes places with its old one, which keeps the other name until
//! all are done, so that what was done can be taken back.

use cap_std::fs::MetadataExt as _;
use foveal_cancel::Cancel;
use foveal_transcript::ContentHash;

use super::error::WriteError;
use super::extent::Extent;
use super::folders::sync;
use super::held::{Held, Old, name, through_link};
use super::journal::{Entry, Planned};
use super::lock::Locks;
use super::temporary::{Temporary, open};
use super::writer::Writer;
use super::written::{Note, Written};
use crate::roots::Located;

/// A file that is to be replaced.
#[derive(Debug, Clone, Copy)]
pub struct Replacement<'a> {
    /// The file.
    pub located: &'a Located,
    /// What it has to hold.
    pub expected: ContentHash,
    /// What it is to hold.
    pub bytes: &'a [u8],
}

/// A file whose new content stands beside it.
struct Staged<'a> {
    held: &'a Held<'a>,
    old: Old,
    temporary: Temporary<'a>,
    before: Extent,
    after: Extent,
    notes: Vec<Note>,
}

impl Writer {
    /// Puts `bytes` in the place of the file at `located`, if that holds what `expected` says.
    ///
    /// # Errors
    ///
    /// [`WriteError::Changed`] when it holds something else, and when it may not or cannot be
    /// written.
    pub fn replace_if(
        &self,
        located: &Located,
        expected: &ContentHash,
        bytes: &[u8],
        cancel: &Cancel<'_>,
    ) -> Result<Written, WriteError> {
        let replacement = Replacement { located, expected: *expected, bytes };
        let mut written = self.replace_all(&[replacement], cancel)?;
        written.pop().ok_or_else(|| WriteError::Changed { path: located.shown().to_owned() })
    }

    /// Replaces all `files`, each if it holds what is expected, or none of them. After a kill in
    /// between, [`recover`](super::Journal::recover) takes back what was done.
    ///
    /// # Errors
    ///
    /// What is wrong with the first file that cannot be replaced; [`WriteError::Torn`] when
    /// another could not be put back then.
    pub fn replace_all(
        &self,
        files: &[Replacement<'_>],
        cancel: &Cancel<'_>,
    ) -> Result<Vec<Written>, WriteError> {
        replace_all(self, files, cancel)
    }
}

fn replace_all(
    writer: &Writer,
    files: &[Replacement<'_>],
    cancel: &Cancel<'_>,
) -> Result<Vec<Written>, WriteError> {
    let located: Vec<&Located> = files.iter().map(|file| file.located).collect();
    let names = located.iter().map(|located| name(located)).collect::<Result<Vec<_>, _>>()?;
    let locks = Locks::take(&located, cancel)?;
    let held: Vec<Held<'_>> = located
        .iter()
        .zip(names)
        .enumerate()
        .map(|(at, (located, name))| Held { located, name, dir: locks.dir(at) })
        .collect();
    let olds = held.iter().zip(files).map(|(held, file)| held.read(&file.expected, cancel));
    let olds: Vec<Old> = olds.collect::<Result<_, _>>()?;
    writer.step();
    let temporaries: Vec<String> = files.iter().map(|_| writer.names.next()).collect();
    let entry = begin(writer, &held, &temporaries, (files, &olds))?;
    let staged = stage(writer, &held, files, olds, (temporaries, entry.as_ref()), cancel)?;
    if let Some(entry) = entry.as_ref().filter(|_| files.len() > 1) {
        entry.sync()?;
    }
    writer.step();
    let placed = place_all(writer, staged)?;
    let changed = placed.iter().find(|one| !one.temporary.displaced_holds(&one.before));
    if let Some(error) = changed.map(|one| one.held.changed()) {
        return Err(take_back(writer, placed, error));
    }
    for dir in locks.dirs() {
        sync(dir).map_err(|error| WriteError::of(located[0].shown(), error))?;
    }
    writer.step();
    let written = placed.into_iter().map(|staged| finish(writer, staged));
    let written: Vec<Written> = written.collect::<Result<_, _>>()?;
    // The entry ends when it is dropped, as all is done.
    drop(entry);
    writer.step();
    Ok(written)
}

/// Notes in the journal what is about to be done. A single file is replaced all the same where
/// that is not possible: it is old or new whatever happens.
fn begin<'a>(
    writer: &'a Writer,
    held: &[Held<'_>],
    temporaries: &[String],
    (files, olds): (&[Replacement<'_>], &[Old]),
) -> Result<Option<Entry<'a>>, WriteError> {
    let Some(journal) = writer.journal.as_deref() else { return Ok(None) };
    let each = held.iter().zip(temporaries).zip(files.iter().zip(olds));
    let planned = each.map(|((held, temporary), (file, old))| {
        Planned::of(held, temporary, Some(Extent::of(&old.bytes)), Extent::of(file.bytes))
    });
    let entry = planned.collect::<Result<Vec<_>, _>>();
    match entry.and_then(|planned| Entry::begin(journal, &planned)) {
        Ok(entry) => {
            writer.step();
            Ok(Some(entry))
        }
        Err(_) if held.len() == 1 => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes the new files beside the old ones.
fn stage<'a>(
    writer: &Writer,
    held: &'a [Held<'a>],
    files: &[Replacement<'_>],
    olds: Vec<Old>,
    (temporaries, entry): (Vec<String>, Option<&Entry<'_>>),
    cancel: &Cancel<'_>,
) -> Result<Vec<Staged<'a>>, WriteError> {
    let mut all = Vec::with_capacity(held.len());
    for (index, ((held, file), (old, name))) in
        held.iter().zip(files).zip(olds.into_iter().zip(temporaries)).enumerate()
    {
        let failed = |error| WriteError::of(held.located.shown(), error);
        let mut notes: Vec<Note> = through_link(held.located).into_iter().collect();
        let mut temporary = Temporary::new(held.dir, name, true).map_err(failed)?;
        writer.step();
        match entry.map(|entry| entry.made(index, temporary.inode())) {
            Some(Err(error)) if files.len() > 1 => return Err(error),
            _ => {}
        }
        // Before the bytes, so that nothing reads what it may not, and all is on the device. Should
        // it be another file by now, it is not replaced.
        if let Ok(old) = open(held.dir, held.name) {
            temporary.take_attributes(&old);
        }
        if !temporary.take_after(&old.metadata).map_err(failed)? {
            notes.push(Note::OwnerNotKept);
        }
        writer.step();
        if !temporary.fill(file.bytes, cancel).map_err(failed)? {
            return Err(WriteError::Cancelled { path: held.located.shown().to_owned() });
        }
        let (before, after) = (Extent::of(&old.bytes), Extent::of(file.bytes));
        all.push(Staged { held, old, temporary, before, after, notes });
    }
    Ok(all)
}

/// Has each new file take the place of its old one; if one cannot, those before are taken back.
fn place_all<'a>(writer: &Writer, staged: Vec<Staged<'a>>) -> Result<Vec<Staged<'a>>, WriteError> {
    let mut placed: Vec<Staged<'a>> = Vec::with_capacity(staged.len());
    for mut one in staged {
        let done = match one.held.still(&one.old) {
            Ok(true) => one.held.take_place(&mut one.temporary, &one.before, writer.exchanges),
            Ok(false) => Err(one.held.changed()),
            Err(error) => Err(error),
        };
        match done {
            Ok(()) => placed.push(one),
            Err(error) => return Err(take_back(writer, placed, error)),
        }
        writer.step();
    }
    Ok(placed)
}

/// Puts back what was replaced so far; what to say.
fn take_back(writer: &Writer, placed: Vec<Staged<'_>>, why: WriteError) -> WriteError {
    let mut left: Vec<String> = Vec::new();
    for mut one in placed {
        let held = one.held;
        let is_ours = open(held.dir, held.name).is_ok_and(|file| {
            let inode = cap_std::fs::Metadata::from_file(&file).map(|metadata| metadata.ino());
            inode.is_ok_and(|inode| inode == one.temporary.inode())
                && one.after.is_content_of(&file)
        });
        let back = is_ours.then(|| one.temporary.give_back(held.name));
        if matches!(back, Some(Ok(()))) {
            continue;
        }
        let kept = writer.journal.as_deref().and_then(|journal| {
            let name = held.name.to_string_lossy();
            journal.keep(&name, "before", &one.old.bytes).ok()
        });
        let kept = kept.map(|path| format!("; what it held before is in `{}`", path.display()));
        let path = held.located.shown();
        left.push(format!(
            "`{path}` was changed by somebody else meanwhile and could not be put back{}",
            kept.unwrap_or_default()
        ));
    }
    if left.is_empty() {
        return why;
    }
    WriteError::Torn { why: Box::new(why), left: left.join("; ") }
}

/// Removes the old file.
fn finish(writer: &Writer, staged: Staged<'_>) -> Result<Written, WriteError> {
    let Staged { held, old, temporary, after, mut notes, .. } = staged;
    let version = held.version(&temporary, after)?;
    // It has the name of the old file by now, which goes with it.
    drop(temporary);
    writer.step();
    let count = old.metadata.nlink().saturating_sub(1);
    if count > 0 {
        notes.push(Note::OtherNames { count });
    }
    Ok(Written { version, before: Some(old.bytes), notes })
}
