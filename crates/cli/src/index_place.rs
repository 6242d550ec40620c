//! Which folder is meant, and where its index is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use foveal_index::embed::{Embedder, StaticModel};
use foveal_indexer::{Indexer, Progress, Summary};

use crate::environment::Environment;
use crate::interrupt::Interrupt;
use crate::progress;

/// What the top folder of a working copy holds.
const MARKS: [&str; 3] = [".git", ".jj", ".hg"];

/// Hex digits of the root's hash in the file's name.
const HASH_DIGITS: usize = 16;

/// An index with the file it is kept in.
pub(crate) struct Opened {
    pub(crate) indexer: Indexer,
    pub(crate) store: PathBuf,
}

/// Opens the index of `folder`, or of the working copy that the current folder is in.
///
/// # Errors
/// If there is no such folder, or no place for the index.
pub(crate) fn open(
    folder: Option<&Path>,
    embeddings: bool,
    environment: &Environment,
) -> anyhow::Result<Opened> {
    let root = match folder {
        Some(folder) if !folder.exists() => {
            bail!("`{}` does not exist: check the path", folder.display())
        }
        Some(folder) if !folder.is_dir() => {
            bail!("`{}` is a file: name a folder", folder.display())
        }
        Some(folder) => folder.canonicalize()?,
        None => working_copy(&std::env::current_dir().context("there is no current folder")?),
    };
    let store = store_of(&root, environment)?;
    let model = || -> Arc<dyn Embedder> { Arc::new(StaticModel::built_in()) };
    let indexer = Indexer::open(&root, &store, embeddings.then(model))?;
    Ok(Opened { indexer, store })
}

/// The nearest folder from `folder` on upwards that is the top of a working copy, or else
/// `folder`.
fn working_copy(folder: &Path) -> PathBuf {
    let is_top = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    folder.ancestors().find(is_top).unwrap_or(folder).to_owned()
}

/// The file for the index of `root`: `foveal/index/NAME-HASH.db` among the user's data.
fn store_of(root: &Path, environment: &Environment) -> anyhow::Result<PathBuf> {
    let Some(data) = environment.data_folder() else {
        bail!("there is no place for the index: set HOME or XDG_DATA_HOME");
    };
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let file = format!("{name}-{}.db", &hash[..HASH_DIGITS]);
    Ok(data.join("foveal").join("index").join(file))
}

/// Brings an index up to date, with a bar where somebody sees it.
///
/// # Errors
/// If the index cannot be written.
pub(crate) fn update(indexer: &mut Indexer, interrupt: &Interrupt) -> anyhow::Result<Summary> {
    let mut bar = None;
    let mut show = |progress: Progress| {
        if progress.total > 0 {
            bar.get_or_insert_with(|| progress::bar(progress.total)).set_position(progress.done);
        }
    };
    let summary = indexer.update(&mut show, &|| interrupt.requested());
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let summary = summary?;
    if summary.rebuilt {
        eprintln!("the index was damaged or of another version; it was set aside and built anew");
    }
    Ok(summary)
}
