//! One source file that the user names, read and parsed.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use foveal_cancel::Cancel;
use foveal_code::Parsed;
use foveal_index::text_of;

/// Bytes of a file that are read.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Why there is nothing to show; one line each.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceFileError {
    #[error("`{path}` does not exist: check the path")]
    Missing { path: PathBuf },
    #[error("`{path}` cannot be read: {why}")]
    Unreadable { path: PathBuf, why: io::Error },
    #[error("`{path}` is a folder: name a file, or see `foveal map {path}`")]
    Folder { path: PathBuf },
    #[error("`{path}` is a binary file: there is no structure to show")]
    Binary { path: PathBuf },
    /// Neither a file nor a folder.
    #[error("`{path}` is not a regular file: name a file")]
    Special { path: PathBuf },
    #[error("`{path}` is larger than {} MiB: it is not read", FILE_BYTES_MAX >> 20)]
    Large { path: PathBuf },
}

/// A file with what it is made of.
pub(crate) struct SourceText {
    pub(crate) text: String,
    /// What it is made of.
    pub(crate) parsed: Parsed,
}

/// Reads one file that the user named.
///
/// # Errors
/// If it is missing, a folder, not text, or too large. Whether it may be read is asked before.
pub(crate) fn read_file(path: &Path) -> Result<SourceText, SourceFileError> {
    let of = || path.to_owned();
    let data = regular(path)?;
    if data.len() > FILE_BYTES_MAX {
        return Err(SourceFileError::Large { path: of() });
    }
    let unreadable = |why| SourceFileError::Unreadable { path: of(), why };
    let bytes = bytes_of(path, FILE_BYTES_MAX).map_err(unreadable)?;
    let text = text_of(&bytes).ok_or_else(|| SourceFileError::Binary { path: of() })?;
    let parsed = foveal_index::parse(&path.to_string_lossy(), &text, &Cancel::NEVER);
    Ok(SourceText { text: text.into_owned(), parsed })
}

/// What the file system says of a file that the user named.
///
/// # Errors
/// If it is missing, a folder, or something else that is no file.
pub(crate) fn regular(path: &Path) -> Result<fs::Metadata, SourceFileError> {
    let data = metadata(path)?;
    if data.is_dir() {
        return Err(SourceFileError::Folder { path: path.to_owned() });
    }
    if !data.is_file() {
        return Err(SourceFileError::Special { path: path.to_owned() });
    }
    Ok(data)
}

fn metadata(path: &Path) -> Result<fs::Metadata, SourceFileError> {
    fs::metadata(path).map_err(|why| match why.kind() {
        io::ErrorKind::NotFound => SourceFileError::Missing { path: path.to_owned() },
        _ => SourceFileError::Unreadable { path: path.to_owned(), why },
    })
}

/// At most `max` bytes; a file may have grown since it was looked at.
fn bytes_of(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(max).read_to_end(&mut bytes)?;
    Ok(bytes)
}
