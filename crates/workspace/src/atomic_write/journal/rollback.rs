//! Rollback of one interrupted write.

use std::ffi::{OsStr, OsString};
use std::io;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::Instant;

use cap_std::fs::{Dir, MetadataExt as _};
use foveal_transcript::CancelToken;

use super::interrupted_write::{RecoveredWrite, RecoveryOutcome, UnfinishedWrite};
use super::journal_line::PlannedWrite;
use super::process_record::Journal;
use crate::atomic_write::content_digest::ContentDigest;
use crate::atomic_write::error::WriteError;
use crate::atomic_write::folder_lock::FolderLocks;
use crate::atomic_write::parent_folders::sync_folder;
use crate::atomic_write::temporary_file::{displaced_name, open_for_reading, restore_displaced};
use crate::roots::{ResolvedPath, WorkspaceRoots};

/// A file of an interrupted write, in its current state.
struct InterruptedFile<'a> {
    planned: &'a PlannedWrite,
    dir: &'a Dir,
    name: OsString,
    /// The inode of the new file.
    new_inode: Option<u64>,
    stage: ExchangeStage,
}

/// The reason for not rolling back a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RollbackBlocked {
    /// The files are not in these roots.
    Elsewhere,
    /// Another process is writing there.
    Busy,
}

/// The progress of a file's replacement.
enum ExchangeStage {
    /// The old file is in place. The new one is beside it or was not created.
    Waiting,
    /// The new file is in place. Contains the current name of the old one, if it exists.
    Placed(Option<String>),
}

/// Rolls back an interrupted write or completes one that was all but done, and removes its
/// temporary files. Returns a report if the user should know.
///
/// # Errors
/// Fails if the files are not in these roots, or if another process writes there until `until`.
pub(super) fn roll_back_write(
    journal: &Journal,
    unfinished: &UnfinishedWrite,
    roots: &WorkspaceRoots,
    until: Instant,
    step: &dyn Fn(),
) -> Result<Option<RecoveredWrite>, RollbackBlocked> {
    let located = unfinished.files.iter().map(|planned| locate_planned_write(roots, planned));
    let located: Vec<ResolvedPath> =
        located.collect::<Option<_>>().ok_or(RollbackBlocked::Elsewhere)?;
    let files: Vec<&ResolvedPath> = located.iter().collect();
    let locks = FolderLocks::acquire_until(until, &files, &CancelToken::NEVER).map_err(
        |error| match error {
            WriteError::Busy { .. } => RollbackBlocked::Busy,
            _ => RollbackBlocked::Elsewhere,
        },
    )?;
    let find = |(at, planned)| {
        let made = unfinished.new_inodes.get(&at).copied();
        InterruptedFile::new(planned, locks.dir(at), made)
    };
    let found: Vec<InterruptedFile<'_>> = unfinished.files.iter().enumerate().map(find).collect();
    step();
    let is_placed = |found: &&InterruptedFile<'_>| matches!(found.stage, ExchangeStage::Placed(_));
    let placed = found.iter().filter(is_placed).count();
    let told = |how| {
        let files = located.iter().map(|located| located.display_path().to_owned()).collect();
        Some(RecoveredWrite { files, how })
    };
    if placed == found.len() && found.iter().all(InterruptedFile::displaced_expected_content) {
        for found in &found {
            found.remove_old_file(step);
        }
        return Ok(None);
    }
    if !found.iter().filter(is_placed).all(InterruptedFile::can_roll_back) {
        let kept = found.iter().flat_map(|found| found.preserve_contents(journal)).collect();
        return Ok(told(RecoveryOutcome::LeftAsFound { kept }));
    }
    for found in found.iter().filter(is_placed) {
        found.restore_old_file();
        step();
    }
    for dir in locks.dirs() {
        // A change that is not synced is rolled back again after a power cut.
        let _ = sync_folder(dir);
    }
    for found in &found {
        found.remove_new_file();
        step();
    }
    Ok(if placed == 0 { None } else { told(RecoveryOutcome::RolledBack) })
}

/// Returns the path of the file, if it is below one of the roots and in the recorded folder.
fn locate_planned_write(roots: &WorkspaceRoots, planned: &PlannedWrite) -> Option<ResolvedPath> {
    let path = planned.path();
    let root = roots.all().find(|root| path.starts_with(root.path()))?;
    let located = roots.path_below(root, path.strip_prefix(root.path()).ok()?);
    let (dir, _) = located.open_parent().ok()?;
    let folder = dir.dir_metadata().ok()?;
    ((folder.dev(), folder.ino()) == (planned.device, planned.inode)).then_some(located)
}

impl<'a> InterruptedFile<'a> {
    fn new(planned: &'a PlannedWrite, dir: &'a Dir, new_inode: Option<u64>) -> Self {
        let inode = |name: &OsStr| dir.symlink_metadata(name).ok().map(|found| found.ino());
        let name = planned.name.to_os_string();
        let spare = displaced_name(&planned.temporary);
        let stage = match (inode(OsStr::new(&planned.temporary)), new_inode) {
            (Some(_), None) => ExchangeStage::Waiting,
            (Some(there), Some(made)) if there == made => ExchangeStage::Waiting,
            (Some(_), Some(_)) => ExchangeStage::Placed(Some(planned.temporary.clone())),
            (None, _) if inode(OsStr::new(&spare)).is_some() => ExchangeStage::Placed(Some(spare)),
            (None, None) => ExchangeStage::Waiting,
            (None, Some(made)) => {
                let is_old = |before: ContentDigest| {
                    open_for_reading(dir, &name).is_ok_and(|file| before.matches_file(&file))
                };
                let is_there = inode(&name) == Some(made);
                match !is_there && planned.before.is_some_and(is_old) {
                    true => ExchangeStage::Waiting,
                    false => ExchangeStage::Placed(None),
                }
            }
        };
        Self { planned, dir, name, new_inode, stage }
    }

    /// Returns whether the displaced file has the expected content or is gone.
    fn displaced_expected_content(&self) -> bool {
        match (&self.stage, self.planned.before) {
            (ExchangeStage::Placed(Some(displaced)), Some(before)) => {
                open_for_reading(self.dir, OsStr::new(displaced))
                    .is_ok_and(|file| before.matches_file(&file))
            }
            _ => true,
        }
    }

    /// Returns whether the new file is unchanged and the old one exists.
    fn can_roll_back(&self) -> bool {
        let ExchangeStage::Placed(Some(_)) = &self.stage else { return false };
        open_for_reading(self.dir, &self.name).is_ok_and(|file| {
            let inode = file.metadata().ok().map(|metadata| metadata.ino());
            inode == self.new_inode && self.planned.after.matches_file(&file)
        })
    }

    /// Puts the old file back in its place.
    fn restore_old_file(&self) {
        if let (ExchangeStage::Placed(Some(displaced)), Some(made)) = (&self.stage, self.new_inode)
        {
            let _ = restore_displaced(self.dir, displaced, &self.name, made);
        }
    }

    /// Removes the displaced old file.
    fn remove_old_file(&self, step: &dyn Fn()) {
        step();
        if let (ExchangeStage::Placed(Some(displaced)), Some(_)) =
            (&self.stage, self.planned.before)
        {
            let _ = self.dir.remove_file(displaced);
        }
    }

    /// Removes the new file if it is not in place. Its name and inode prove that it is ours;
    /// without a recorded inode it must be empty.
    fn remove_new_file(&self) {
        let temporary = &*self.planned.temporary;
        if let Ok(there) = self.dir.symlink_metadata(temporary)
            && match self.new_inode {
                Some(made) => there.ino() == made,
                None => there.len() == 0,
            }
        {
            let _ = self.dir.remove_file(temporary);
        }
        let spare = displaced_name(temporary);
        let (Ok(file), Some(before)) =
            (open_for_reading(self.dir, OsStr::new(&spare)), self.planned.before)
        else {
            return;
        };
        // A hard link or a copy of the file.
        let inode = self.dir.symlink_metadata(&self.name).ok().map(|there| there.ino());
        let is_same = file.metadata().is_ok_and(|spare| Some(spare.ino()) == inode);
        if is_same || before.matches_file(&file) {
            let _ = self.dir.remove_file(spare);
        }
    }

    /// Moves contents that are in no file to the journal's folder and returns their paths. Content
    /// that cannot be moved stays where it is.
    fn preserve_contents(&self, journal: &Journal) -> Vec<PathBuf> {
        let displaced = match &self.stage {
            ExchangeStage::Placed(displaced) => displaced.clone(),
            ExchangeStage::Waiting => None,
        };
        let temporary = &self.planned.temporary;
        let texts = [
            displaced.clone().map(|name| (name, "before")),
            displaced.is_none().then(|| (temporary.clone(), "after")),
        ];
        let mut kept = Vec::new();
        for (name, which) in texts.into_iter().flatten() {
            let Ok(bytes) = read_file_in(self.dir, OsStr::new(&name)) else { continue };
            match journal.preserve_content(&self.name.to_string_lossy(), which, &bytes) {
                Ok(path) => {
                    kept.push(path);
                    let _ = self.dir.remove_file(name);
                }
                Err(_) => kept.push(PathBuf::from(self.planned.folder.to_os_string()).join(name)),
            }
        }
        kept
    }
}

fn read_file_in(dir: &Dir, name: &OsStr) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_for_reading(dir, name)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
