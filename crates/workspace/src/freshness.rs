//! Freshness of a file version: whether the file still has the content that was read.

use foveal_transcript::CancelToken;

use crate::file_version::{FileStamp, FileVersion};
use crate::open_file::{FileReadError, OpenFile, ReadSizeLimit};
use crate::roots::ResolvedPath;

/// The state of a file compared with an earlier version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFreshness {
    /// The content is unchanged. Contains the version to compare with from now on.
    Same(FileVersion),
    /// The content differs.
    Changed,
}

impl FileVersion {
    /// Compares the file at `located` with this version. The stamp decides where it can; the
    /// content is hashed only if the stamp differs or is so recent that a later change could leave
    /// it equal.
    ///
    /// # Errors
    ///
    /// Fails if the file is missing, is no longer a regular file or cannot be read, or with
    /// [`FileReadError::Cancelled`].
    pub fn check_freshness(
        &self,
        located: &ResolvedPath,
        cancel: &CancelToken<'_>,
    ) -> Result<FileFreshness, FileReadError> {
        let stamp = FileStamp::from_metadata(&located.metadata()?);
        if self.settled && stamp == self.stamp {
            return Ok(FileFreshness::Same(*self));
        }
        if stamp.len != self.stamp.len {
            return Ok(FileFreshness::Changed);
        }
        let now = OpenFile::open(located)?.compute_version(&ReadSizeLimit::unlimited(), cancel)?;
        Ok(if now.hash == self.hash { FileFreshness::Same(now) } else { FileFreshness::Changed })
    }
}

#[cfg(test)]
mod tests;
