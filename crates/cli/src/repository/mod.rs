//! The source files of a repository, read and parsed on demand.

mod walk;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use foveal_index::Parsed;
use foveal_index::relations::{FileSymbols, Relations};
use foveal_indexer::{FILE_BYTES_MAX, may_hold_secrets, text_of};
use rayon::prelude::*;

use crate::interrupt::Interrupt;
use crate::progress;

/// Bytes of a file that the user names.
const NAMED_FILE_BYTES_MAX: u64 = 64 << 20;

/// Why there is nothing to show; one line each.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RepositoryError {
    /// Nothing has this name.
    #[error("`{path}` does not exist: check the path")]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("`{path}` cannot be read: {why}")]
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// A folder, where a file is expected.
    #[error("`{path}` is a folder: name a file, or see `foveal map {path}`")]
    Folder {
        /// The path as given.
        path: PathBuf,
    },
    /// A file, where a folder is expected.
    #[error("`{path}` is a file: name the folder of a repository")]
    File {
        /// The path as given.
        path: PathBuf,
    },
    /// Not text.
    #[error("`{path}` is a binary file: there is no structure to show")]
    Binary {
        /// The path as given.
        path: PathBuf,
    },
    /// Neither a file nor a folder.
    #[error("`{path}` is not a regular file: name a file")]
    Special {
        /// The path as given.
        path: PathBuf,
    },
    /// More than is read.
    #[error("`{path}` is larger than {} MiB: it is not read", NAMED_FILE_BYTES_MAX >> 20)]
    Large {
        /// The path as given.
        path: PathBuf,
    },
    /// Its name says that it holds keys or passwords.
    #[error("`{path}` may hold secrets, by its name: it is not read")]
    Secret {
        /// The path as given.
        path: PathBuf,
    },
    /// No file of it can be read as text.
    #[error("`{path}` holds no source files that are not ignored: name the folder of a repository")]
    Empty {
        /// The folder as given.
        path: PathBuf,
    },
    /// Ctrl+C.
    #[error("interrupted")]
    Interrupted,
}

/// A file with what it is made of.
pub(crate) struct SourceText {
    /// Its text.
    pub(crate) text: String,
    /// What it is made of.
    pub(crate) parsed: Parsed,
}

/// Reads one file that the user named.
///
/// # Errors
/// If it is missing, a folder, not text, too large or may hold secrets.
pub(crate) fn read_file(path: &Path) -> Result<SourceText, RepositoryError> {
    let of = || path.to_owned();
    let data = metadata(path)?;
    if data.is_dir() {
        return Err(RepositoryError::Folder { path: of() });
    }
    if !data.is_file() {
        return Err(RepositoryError::Special { path: of() });
    }
    if may_hold_secrets(path) {
        return Err(RepositoryError::Secret { path: of() });
    }
    if data.len() > NAMED_FILE_BYTES_MAX {
        return Err(RepositoryError::Large { path: of() });
    }
    let unreadable = |why| RepositoryError::Unreadable { path: of(), why };
    let bytes = bytes_of(path, NAMED_FILE_BYTES_MAX).map_err(unreadable)?;
    let text = text_of(&bytes).ok_or_else(|| RepositoryError::Binary { path: of() })?;
    let parsed = foveal_indexer::parse(&path.to_string_lossy(), &text, &|| false);
    Ok(SourceText { text: text.into_owned(), parsed })
}

/// Reads the source files at and below `root`, what git ignores left out, and relates them.
///
/// # Errors
/// If the folder cannot be read, holds nothing to read, or the user interrupts.
pub(crate) fn relations(root: &Path) -> Result<Relations, RepositoryError> {
    let data = metadata(root)?;
    if !data.is_dir() {
        return Err(RepositoryError::File { path: root.to_owned() });
    }
    let interrupt = Interrupt::listen();
    let paths = walk::files(root, &interrupt);
    let bar = progress::bar(paths.len() as u64);
    let symbols = |path: &PathBuf| {
        if interrupt.requested() {
            return None;
        }
        let bytes = bytes_of(path, FILE_BYTES_MAX).ok();
        bar.inc(1);
        let bytes = bytes?;
        let text = text_of(&bytes)?;
        let name = walk::name_below(root, path);
        let parsed = foveal_indexer::parse(&name, &text, &|| false);
        Some(FileSymbols::of(&name, &parsed, &text))
    };
    let files: Vec<FileSymbols> = paths.par_iter().filter_map(symbols).collect();
    bar.finish_and_clear();
    if interrupt.requested() {
        return Err(RepositoryError::Interrupted);
    }
    if files.is_empty() {
        return Err(RepositoryError::Empty { path: root.to_owned() });
    }
    Ok(Relations::of(files))
}

fn metadata(path: &Path) -> Result<fs::Metadata, RepositoryError> {
    fs::metadata(path).map_err(|why| match why.kind() {
        io::ErrorKind::NotFound => RepositoryError::Missing { path: path.to_owned() },
        _ => RepositoryError::Unreadable { path: path.to_owned(), why },
    })
}

/// At most `max` bytes; a file may have grown since it was looked at.
fn bytes_of(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(max).read_to_end(&mut bytes)?;
    Ok(bytes)
}
