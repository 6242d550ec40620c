//! Preservation of content that could not be restored to its file.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use super::process_record::Journal;

/// Characters of the file name that the name of the copy includes.
const NAME_CHARS_MAX: usize = 80;

impl Journal {
    /// Preserves `bytes`, the content of the file `name` before or after a write as `which` says,
    /// and returns the path of the copy, which only the user can read.
    pub(in crate::atomic_write) fn preserve_content(
        &self,
        name: &str,
        which: &str,
        bytes: &[u8],
    ) -> io::Result<PathBuf> {
        let folder = self.folder.join("kept");
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let name: String = name.chars().take(NAME_CHARS_MAX).collect();
        // The number is unique.
        let number = self.temporary_names().next_name();
        let number = number.trim_start_matches(".foveal-").trim_end_matches(".tmp");
        let path = folder.join(format!("{name}.{which}-{number}"));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(path)
    }
}
