//! What of a folder is given where a part of it is forbidden and only Landlock can hold that.
//!
//! Landlock gives a folder with all that comes to be in it. So a folder on the way to a forbidden
//! part is not given, but what stands in it beside that part: there, nothing can be made, renamed
//! or removed.

use std::collections::HashSet;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{Dir, Mode, OFlags};

use super::parts::Parts;
use super::places::{Identity, Place};

/// Things that are given at most. What is beyond is not given.
const GIVEN_MAX: usize = 4096;

/// What is given in place of folders.
pub(super) struct Beside<'a> {
    parts: &'a Parts,
    /// What is forbidden, whatever it is called.
    forbidden: HashSet<Identity>,
    pub(super) given: Vec<Arc<Place>>,
}

impl<'a> Beside<'a> {
    pub(super) fn new(parts: &'a Parts, forbidden: HashSet<Identity>) -> Self {
        Self { parts, forbidden, given: Vec::new() }
    }

    /// Gives of `place`, which is not forbidden itself, what is not forbidden and not on the way to
    /// what is.
    ///
    /// # Errors
    /// If a folder cannot be looked through.
    pub(super) fn give(&mut self, place: &Arc<Place>) -> io::Result<()> {
        if self.forbidden.contains(&place.identity()?) {
            return Ok(());
        }
        let has_forbidden = |path: &Path| self.parts.below(path).any(|(_, it)| it.is_forbidden());
        if !place.is_folder || !has_forbidden(&place.real) {
            if self.given.len() < GIVEN_MAX {
                self.given.push(Arc::clone(place));
            }
            return Ok(());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(place.as_ref(), ".", flags, Mode::empty())?;
        for entry in Dir::new(folder)? {
            let entry = entry?;
            let name = Path::new(std::ffi::OsStr::from_bytes(entry.file_name().to_bytes()));
            if name == Path::new(".") || name == Path::new("..") {
                continue;
            }
            // A link is written to by its folder alone; what went meanwhile is not given.
            let Ok(inner) = place.below(name).map(Arc::new) else { continue };
            if self.parts.forbid(&inner.real) {
                self.give_allowed(&inner)?;
            } else {
                self.give(&inner)?;
            }
        }
        Ok(())
    }

    /// Gives of `place`, which is forbidden, the parts that are allowed.
    ///
    /// # Errors
    /// As [`Self::give`].
    fn give_allowed(&mut self, place: &Place) -> io::Result<()> {
        let parts = self.parts;
        for (path, writing) in parts.below(&place.real) {
            if !writing.is_forbidden()
                && let Ok(inner) = place.at(path)
            {
                self.give(&Arc::new(inner))?;
            }
        }
        Ok(())
    }
}
