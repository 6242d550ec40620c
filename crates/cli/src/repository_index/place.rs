//! Which folder is meant, and where its index is stored.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::environment::Environment;

/// What the top folder of a working copy holds.
const MARKS: [&str; 3] = [".git", ".jj", ".hg"];

/// Hex digits of the root's hash in the file's name.
const HASH_DIGITS: usize = 16;

/// The folder whose index is meant, and the index's file.
///
/// # Errors
/// If there is no such folder, or no place for the index.
pub(crate) fn place(
    folder: Option<&Path>,
    environment: &Environment,
) -> anyhow::Result<(PathBuf, PathBuf)> {
    let root = root_of(folder)?;
    let store = store_of(&root, environment)?;
    Ok((root, store))
}

/// The folder that is named, or the working copy that holds the current folder.
pub(super) fn root_of(folder: Option<&Path>) -> anyhow::Result<PathBuf> {
    Ok(match folder {
        Some(folder) if !folder.exists() => {
            bail!("`{}` does not exist: check the path", folder.display())
        }
        Some(folder) if !folder.is_dir() => {
            bail!("`{}` is a file: name a folder", folder.display())
        }
        Some(folder) => folder.canonicalize()?,
        None => working_copy(&std::env::current_dir().context("there is no current folder")?),
    })
}

/// The nearest folder from `folder` on upwards that is the top of a working copy, or else
/// `folder`.
pub(crate) fn working_copy(folder: &Path) -> PathBuf {
    let is_top = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    folder.ancestors().find(is_top).unwrap_or(folder).to_owned()
}

/// The file for the index of `root`: `foveal/index/NAME-HASH.db` among the user's data.
pub(super) fn store_of(root: &Path, environment: &Environment) -> anyhow::Result<PathBuf> {
    let Some(data) = environment.data_folder() else {
        bail!("there is no place for the index: set HOME or XDG_DATA_HOME");
    };
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let file = format!("{name}-{}.db", &hash[..HASH_DIGITS]);
    Ok(data.join("foveal").join("index").join(file))
}
