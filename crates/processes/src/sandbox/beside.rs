//! What of a folder is given where a part of it is forbidden and only Landlock can hold that.
//!
//! Landlock gives a folder with all that comes to be in it. So a folder on the way to a forbidden
//! part is not given, but what stands in it beside that part: there, nothing can be made, renamed
//! or removed.

use std::collections::HashSet;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{Dir, Mode, OFlags};

use super::parts::Parts;
use super::places::{Identity, Place};
use crate::CommandError;

/// What is given in place of folders.
pub(super) struct Beside<'a> {
    pub(super) parts: &'a Parts,
    /// What is forbidden, whatever it is called.
    pub(super) forbidden: HashSet<Identity>,
    /// Is told each place that is given. None is held open for longer, as there may be more than a
    /// process can have open.
    pub(super) given: &'a mut dyn FnMut(&Place) -> Result<(), CommandError>,
}

impl Beside<'_> {
    /// Gives of `place`, which is not forbidden itself, what is not forbidden and not on the way to
    /// what is.
    ///
    /// # Errors
    /// If a folder cannot be looked through, or a place cannot be given.
    pub(super) fn give(&mut self, place: &Place) -> Result<(), CommandError> {
        if self.forbidden.contains(&place.identity()?) {
            return Ok(());
        }
        let has_forbidden = |path: &Path| self.parts.below(path).any(|(_, it)| it.is_forbidden());
        if !place.is_folder || !has_forbidden(&place.real) {
            return (self.given)(place);
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder =
            rustix::fs::openat(place, ".", flags, Mode::empty()).map_err(io::Error::from)?;
        for entry in Dir::new(folder).map_err(io::Error::from)? {
            let entry = entry.map_err(io::Error::from)?;
            let name = Path::new(std::ffi::OsStr::from_bytes(entry.file_name().to_bytes()));
            if name == Path::new(".") || name == Path::new("..") {
                continue;
            }
            // A link is written to by its folder alone; what went meanwhile is not given.
            let Some(inner) = Place::if_there(place.below(name))? else { continue };
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
    fn give_allowed(&mut self, place: &Place) -> Result<(), CommandError> {
        let parts = self.parts;
        for (path, writing) in parts.below(&place.real) {
            if !writing.is_forbidden()
                && let Some(inner) = Place::if_there(place.at(path))?
            {
                self.give(&inner)?;
            }
        }
        Ok(())
    }
}
