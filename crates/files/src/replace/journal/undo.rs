//! One write that was left half done.

use std::ffi::{OsStr, OsString};
use std::io;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::Instant;

use cap_std::fs::{Dir, MetadataExt as _};
use foveal_cancel::Cancel;

use super::cut_off::{Recovered, RecoveredHow, Unfinished};
use super::line::Planned;
use super::record::Journal;
use crate::replace::error::WriteError;
use crate::replace::extent::Extent;
use crate::replace::folders::sync;
use crate::replace::lock::Locks;
use crate::replace::temporary::{give_back, open, spare_of};
use crate::roots::{Located, Roots};

/// A file of the write, as it is found.
struct Found<'a> {
    planned: &'a Planned,
    dir: &'a Dir,
    name: OsString,
    /// The number of its new file.
    made: Option<u64>,
    stage: Stage,
}

/// Why a write is not mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotMended {
    /// Its files are not in these roots.
    Elsewhere,
    /// Somebody writes there now.
    Busy,
}

/// How far a file came.
enum Stage {
    /// It is as it was. The new file stands beside it, or was not made.
    Waiting,
    /// The new file has its place; what the old one is called, if it is there yet.
    Placed(Option<String>),
}

/// Takes back what was half done, and removes what was left beside; what there is to tell.
///
/// # Errors
/// If the files are not in these roots, or somebody writes there until `until`.
pub(super) fn mend(
    journal: &Journal,
    unfinished: &Unfinished,
    (roots, until): (&Roots, Instant),
    step: &dyn Fn(),
) -> Result<Option<Recovered>, NotMended> {
    let located = unfinished.files.iter().map(|planned| located(roots, planned));
    let located: Vec<Located> = located.collect::<Option<_>>().ok_or(NotMended::Elsewhere)?;
    let files: Vec<&Located> = located.iter().collect();
    let locks = Locks::take_until(until, &files, &Cancel::NEVER).map_err(|error| match error {
        WriteError::Busy { .. } => NotMended::Busy,
        _ => NotMended::Elsewhere,
    })?;
    let find = |(at, planned)| {
        let made = unfinished.made.get(&at).copied();
        Found::new(planned, locks.dir(at), made)
    };
    let found: Vec<Found<'_>> = unfinished.files.iter().enumerate().map(find).collect();
    step();
    let is_placed = |found: &&Found<'_>| matches!(found.stage, Stage::Placed(_));
    let placed = found.iter().filter(is_placed).count();
    let told = |how| {
        let files = located.iter().map(|located| located.shown().to_owned()).collect();
        Some(Recovered { files, how })
    };
    if placed == found.len() && found.iter().all(Found::displaced_its_own) {
        for found in &found {
            found.tidy(step);
        }
        return Ok(None);
    }
    if !found.iter().filter(is_placed).all(Found::can_be_taken_back) {
        let kept = found.iter().flat_map(|found| found.keep(journal)).collect();
        return Ok(told(RecoveredHow::Left { kept }));
    }
    for found in found.iter().filter(is_placed) {
        found.take_back();
        step();
    }
    for dir in locks.dirs() {
        // What is not on the device now is taken back once more after a power cut.
        let _ = sync(dir);
    }
    for found in &found {
        found.tidy_new();
        step();
    }
    Ok(if placed == 0 { None } else { told(RecoveredHow::TakenBack) })
}

/// The file, if it is below one of the roots and its folder is the one that it was in.
fn located(roots: &Roots, planned: &Planned) -> Option<Located> {
    let path = planned.path();
    let root = roots.all().find(|root| path.starts_with(root.path()))?;
    let located = roots.below(root, path.strip_prefix(root.path()).ok()?);
    let (dir, _) = located.parent().ok()?;
    let folder = dir.dir_metadata().ok()?;
    ((folder.dev(), folder.ino()) == (planned.device, planned.inode)).then_some(located)
}

impl<'a> Found<'a> {
    fn new(planned: &'a Planned, dir: &'a Dir, made: Option<u64>) -> Self {
        let inode = |name: &OsStr| dir.symlink_metadata(name).ok().map(|found| found.ino());
        let name = planned.name.os();
        let spare = spare_of(&planned.temporary);
        let stage = match (inode(OsStr::new(&planned.temporary)), made) {
            (Some(_), None) => Stage::Waiting,
            (Some(there), Some(made)) if there == made => Stage::Waiting,
            (Some(_), Some(_)) => Stage::Placed(Some(planned.temporary.clone())),
            (None, _) if inode(OsStr::new(&spare)).is_some() => Stage::Placed(Some(spare)),
            (None, None) => Stage::Waiting,
            (None, Some(made)) => {
                let is_old =
                    |before: Extent| open(dir, &name).is_ok_and(|file| before.is_content_of(&file));
                let is_there = inode(&name) == Some(made);
                match !is_there && planned.before.is_some_and(is_old) {
                    true => Stage::Waiting,
                    false => Stage::Placed(None),
                }
            }
        };
        Self { planned, dir, name, made, stage }
    }

    /// Whether the file that lost its place holds what it should, or is gone already.
    fn displaced_its_own(&self) -> bool {
        match (&self.stage, self.planned.before) {
            (Stage::Placed(Some(displaced)), Some(before)) => {
                open(self.dir, OsStr::new(displaced)).is_ok_and(|file| before.is_content_of(&file))
            }
            _ => true,
        }
    }

    /// Whether nobody has touched the new file, and the old one is there.
    fn can_be_taken_back(&self) -> bool {
        let Stage::Placed(Some(_)) = &self.stage else { return false };
        open(self.dir, &self.name).is_ok_and(|file| {
            let inode = file.metadata().ok().map(|metadata| metadata.ino());
            inode == self.made && self.planned.after.is_content_of(&file)
        })
    }

    /// Puts the old file back in its place.
    fn take_back(&self) {
        if let (Stage::Placed(Some(displaced)), Some(made)) = (&self.stage, self.made) {
            let _ = give_back(self.dir, displaced, &self.name, made);
        }
    }

    /// Removes the old file whose place is taken.
    fn tidy(&self, step: &dyn Fn()) {
        step();
        if let (Stage::Placed(Some(displaced)), Some(_)) = (&self.stage, self.planned.before) {
            let _ = self.dir.remove_file(displaced);
        }
    }

    /// Removes the new file that did not get, or lost, its place. It is ours by its name and its
    /// number; without a number it is empty.
    fn tidy_new(&self) {
        let temporary = &*self.planned.temporary;
        if let Ok(there) = self.dir.symlink_metadata(temporary)
            && match self.made {
                Some(made) => there.ino() == made,
                None => there.len() == 0,
            }
        {
            let _ = self.dir.remove_file(temporary);
        }
        let spare = spare_of(temporary);
        let (Ok(file), Some(before)) = (open(self.dir, OsStr::new(&spare)), self.planned.before)
        else {
            return;
        };
        // A second name of the file, or a copy.
        let inode = self.dir.symlink_metadata(&self.name).ok().map(|there| there.ino());
        let is_same = file.metadata().is_ok_and(|spare| Some(spare.ino()) == inode);
        if is_same || before.is_content_of(&file) {
            let _ = self.dir.remove_file(spare);
        }
    }

    /// Moves the texts that no file holds to the journal's folder; where they are now. One that
    /// cannot be moved stays where it is.
    fn keep(&self, journal: &Journal) -> Vec<PathBuf> {
        let displaced = match &self.stage {
            Stage::Placed(displaced) => displaced.clone(),
            Stage::Waiting => None,
        };
        let temporary = &self.planned.temporary;
        let texts = [
            displaced.clone().map(|name| (name, "before")),
            displaced.is_none().then(|| (temporary.clone(), "after")),
        ];
        let mut kept = Vec::new();
        for (name, which) in texts.into_iter().flatten() {
            let Ok(bytes) = read(self.dir, OsStr::new(&name)) else { continue };
            match journal.keep(&self.name.to_string_lossy(), which, &bytes) {
                Ok(path) => {
                    kept.push(path);
                    let _ = self.dir.remove_file(name);
                }
                Err(_) => kept.push(PathBuf::from(self.planned.folder.os()).join(name)),
            }
        }
        kept
    }
}

fn read(dir: &Dir, name: &OsStr) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(dir, name)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
