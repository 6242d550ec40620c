//! A source file named by the user, read and parsed.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use foveal_index::decode_text;
use foveal_settings::setting_keys::nearest_name;
use foveal_syntax::ParsedFile;
use foveal_transcript::CancelToken;

/// Limit of a file's size.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Limit of a folder's entries that are compared with the name of a missing file.
const FOLDER_ENTRIES_MAX: usize = 2_000;

/// The reason why a file cannot be shown, in one line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceFileError {
    #[error("`{path}` does not exist: {}", missing_advice(similar.as_deref()))]
    Missing {
        path: PathBuf,
        /// The path of a file with a similar name.
        similar: Option<PathBuf>,
    },
    #[error("`{path}` cannot be read: {why}")]
    Unreadable { path: PathBuf, why: io::Error },
    #[error("`{path}` is a folder: name a file, or run `foveal map {path}`")]
    Folder { path: PathBuf },
    #[error("`{path}` is a binary file: there is no structure to show")]
    Binary { path: PathBuf },
    /// Neither a file nor a folder.
    #[error("`{path}` is not a regular file: name a file")]
    Special { path: PathBuf },
    #[error("`{path}` is larger than {} MiB: it is not read", FILE_BYTES_MAX >> 20)]
    Large { path: PathBuf },
}

fn missing_advice(similar: Option<&Path>) -> String {
    match similar {
        Some(path) => format!("did you mean `{}`?", path.display()),
        None => "check the path".to_owned(),
    }
}

impl SourceFileError {
    /// Returns the error for a path without a file, with a similar name in its folder.
    pub(crate) fn missing(path: &Path) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten();
        let names: Vec<String> = entries
            .take(FOLDER_ENTRIES_MAX)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        let name = path.file_name().and_then(|name| name.to_str());
        let similar = name.and_then(|name| nearest_name(name, names.iter().map(String::as_str)));
        let similar = similar.map(|name| path.with_file_name(name));
        Self::Missing { path: path.to_owned(), similar }
    }
}

/// A source file with its parse result.
pub(crate) struct SourceText {
    pub(crate) text: String,
    /// The parse result.
    pub(crate) parsed: ParsedFile,
}

/// Reads and parses one file that the user named.
///
/// # Errors
/// If it is missing, a folder, not text, or too large. The caller checks permissions first.
pub(crate) fn read_source_file(path: &Path) -> Result<SourceText, SourceFileError> {
    let of = || path.to_owned();
    let data = regular_file_metadata(path)?;
    if data.len() > FILE_BYTES_MAX {
        return Err(SourceFileError::Large { path: of() });
    }
    let unreadable = |why| SourceFileError::Unreadable { path: of(), why };
    let bytes = read_at_most(path, FILE_BYTES_MAX).map_err(unreadable)?;
    let text = decode_text(&bytes).ok_or_else(|| SourceFileError::Binary { path: of() })?;
    let parsed = foveal_index::parse_file(&path.to_string_lossy(), &text, &CancelToken::NEVER);
    Ok(SourceText { text: text.into_owned(), parsed })
}

/// Returns the metadata of a regular file that the user named.
///
/// # Errors
/// If the file is missing or not a regular file.
pub(crate) fn regular_file_metadata(path: &Path) -> Result<fs::Metadata, SourceFileError> {
    let data = file_metadata(path)?;
    if data.is_dir() {
        return Err(SourceFileError::Folder { path: path.to_owned() });
    }
    if !data.is_file() {
        return Err(SourceFileError::Special { path: path.to_owned() });
    }
    Ok(data)
}

fn file_metadata(path: &Path) -> Result<fs::Metadata, SourceFileError> {
    fs::metadata(path).map_err(|why| match why.kind() {
        io::ErrorKind::NotFound => SourceFileError::missing(path),
        _ => SourceFileError::Unreadable { path: path.to_owned(), why },
    })
}

/// Reads at most `max` bytes; the file may have grown since its size was checked.
fn read_at_most(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(max).read_to_end(&mut bytes)?;
    Ok(bytes)
}
