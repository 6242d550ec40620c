//! Texts that could not be put where they belong.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use super::record::Journal;

/// Characters of a file's name that the name of its copy has.
const NAME_CHARS_MAX: usize = 80;

impl Journal {
    /// Keeps `bytes`, which the file `name` held before or was to hold after, where the user can
    /// find them; the path. Nobody else may read them.
    pub(in crate::replace) fn keep(
        &self,
        name: &str,
        which: &str,
        bytes: &[u8],
    ) -> io::Result<PathBuf> {
        let folder = self.folder.join("kept");
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let name: String = name.chars().take(NAME_CHARS_MAX).collect();
        // The number is one that no other file has.
        let number = self.names().next();
        let number = number.trim_start_matches(".foveal-").trim_end_matches(".tmp");
        let path = folder.join(format!("{name}.{which}-{number}"));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(path)
    }
}
