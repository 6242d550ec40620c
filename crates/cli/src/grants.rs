//! What the person allowed for good in a folder.

use std::path::{Path, PathBuf};

use foveal_store::{Grant, ReadOnly, RootsKey, SqliteStore, Store, StoreError};

use crate::environment::Environment;
use crate::toolbox::{store_path, store_to_read};

/// Returns the grants for these roots in the order in which they are listed; none where there is no
/// store yet.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn list_grants(
    roots: &[PathBuf],
    environment: &Environment,
) -> anyhow::Result<Vec<Grant>> {
    let Some(store) = store_to_read(environment)? else { return Ok(Vec::new()) };
    Ok(sorted_grants(&store, roots)?)
}

/// Returns the grants for the current folder; none where they cannot be read. The store stays as
/// it is, also where it is damaged or of an earlier version.
pub(crate) fn list_grants_here(environment: &Environment) -> Vec<Grant> {
    let read = || {
        let folder = std::env::current_dir().and_then(|folder| folder.canonicalize()).ok()?;
        let path = store_path(environment).filter(|path| path.exists())?;
        match SqliteStore::open_read_only(&path).ok()? {
            ReadOnly::Store(store) => sorted_grants(&store, &[folder]).ok(),
            ReadOnly::Older | ReadOnly::Newer | ReadOnly::Foreign => None,
        }
    };
    read().unwrap_or_default()
}

fn sorted_grants(store: &SqliteStore, roots: &[PathBuf]) -> Result<Vec<Grant>, StoreError> {
    let mut grants = store.grants(roots_key(roots))?;
    grants.sort();
    Ok(grants)
}

/// Returns the key under which grants for these roots are kept.
pub(crate) fn roots_key(roots: &[PathBuf]) -> RootsKey {
    RootsKey::of(roots.iter().map(PathBuf::as_path).collect::<Vec<&Path>>())
}
