//! Finds the folder that is indexed, and the file of its index.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::environment::Environment;

/// Names of entries by which the top folder of a working copy is recognised.
const WORKING_COPY_MARKERS: [&str; 3] = [".git", ".jj", ".hg"];

/// The number of hex digits of the root's hash in the file name.
const HASH_DIGITS: usize = 16;

/// Returns the folder to index, and the file of its index.
///
/// # Errors
/// Returns an error if the folder does not exist, or there is no place for the index.
pub(crate) fn locate_index(
    folder: Option<&Path>,
    environment: &Environment,
) -> anyhow::Result<(PathBuf, PathBuf)> {
    let root = resolve_root(folder)?;
    let store = index_file(&root, environment)?;
    Ok((root, store))
}

/// Returns the named folder, or the working copy that contains the current folder.
pub(super) fn resolve_root(folder: Option<&Path>) -> anyhow::Result<PathBuf> {
    Ok(match folder {
        Some(folder) if !folder.exists() => {
            bail!("`{}` does not exist: check the path", folder.display())
        }
        Some(folder) if !folder.is_dir() => {
            bail!("`{}` is a file: name a folder", folder.display())
        }
        Some(folder) => folder.canonicalize()?,
        None => working_copy_root(&std::env::current_dir().context("there is no current folder")?),
    })
}

/// Returns the closest ancestor of `folder`, itself included, that is the top of a working copy;
/// `folder` if there is none.
pub(crate) fn working_copy_root(folder: &Path) -> PathBuf {
    let is_top =
        |folder: &&Path| WORKING_COPY_MARKERS.iter().any(|mark| folder.join(mark).exists());
    folder.ancestors().find(is_top).unwrap_or(folder).to_owned()
}

/// Returns the file for the index of `root`: `foveal/index/NAME-HASH.db` in the user's data folder.
pub(super) fn index_file(root: &Path, environment: &Environment) -> anyhow::Result<PathBuf> {
    let Some(data) = environment.user.data_folder() else {
        bail!("no folder for the index: set HOME or XDG_DATA_HOME");
    };
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let file = format!("{name}-{}.db", &hash[..HASH_DIGITS]);
    Ok(data.join("foveal").join("index").join(file))
}
