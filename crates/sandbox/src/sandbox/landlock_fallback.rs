//! Grants for folders with forbidden parts, if only Landlock can protect these.
//!
//! Landlock grants a folder with everything that is ever created in it. So a folder that contains a
//! forbidden part is not granted itself, only its other entries: in the folder, nothing can be
//! created, renamed or removed.

use std::collections::HashSet;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{Dir, Mode, OFlags};

use super::path_handle::{FileIdentity, PathHandle};
use super::write_rules::WriteRules;
use crate::CommandError;

/// Grants entries in place of folders with forbidden parts.
pub(super) struct LandlockFallback<'a> {
    pub(super) write_rules: &'a WriteRules,
    /// The forbidden files and folders, under whatever name.
    pub(super) forbidden_identities: HashSet<FileIdentity>,
    /// Called for each path to grant. No path is kept open, since there may be more than a process
    /// can have open.
    pub(super) grant_path: &'a mut dyn FnMut(&PathHandle) -> Result<(), CommandError>,
}

impl LandlockFallback<'_> {
    /// Grants the parts of `place` that are not forbidden and contain nothing forbidden.
    ///
    /// # Errors
    /// If a folder cannot be listed, or a path cannot be granted.
    pub(super) fn grant(&mut self, place: &PathHandle) -> Result<(), CommandError> {
        if self.forbidden_identities.contains(&place.identity()?) {
            return Ok(());
        }
        let has_forbidden =
            |path: &Path| self.write_rules.rules_below(path).any(|(_, it)| it.is_forbidden());
        if !place.is_folder || !has_forbidden(&place.original_path) {
            return (self.grant_path)(place);
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
            // A link is written through its folder only; an entry that has vanished is not granted.
            let Some(inner) = PathHandle::if_exists(place.open_relative(name))? else { continue };
            if self.write_rules.forbids(&inner.original_path) {
                self.grant_allowed_parts(&inner)?;
            } else {
                self.grant(&inner)?;
            }
        }
        Ok(())
    }

    /// Grants the allowed parts of `place`, which is forbidden itself.
    ///
    /// # Errors
    /// As [`Self::grant`].
    fn grant_allowed_parts(&mut self, place: &PathHandle) -> Result<(), CommandError> {
        let parts = self.write_rules;
        for (path, writing) in parts.rules_below(&place.original_path) {
            if !writing.is_forbidden()
                && let Some(inner) = PathHandle::if_exists(place.open_below(path))?
            {
                self.grant(&inner)?;
            }
        }
        Ok(())
    }
}
