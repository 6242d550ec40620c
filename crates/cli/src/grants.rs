//! Permanent grants of the user for a folder.

use std::path::{Path, PathBuf};

use foveal_store::{Grant, GrantStore, ReadOnlyStore, RootsKey, SqliteStore, StoreError};

use crate::environment::Environment;
use crate::toolbox::{open_store_for_reading, store_path};

/// Returns the grants for these roots in the order in which they are listed; none if there is no
/// store yet.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn list_grants(
    roots: &[PathBuf],
    environment: &Environment,
) -> anyhow::Result<Vec<Grant>> {
    let Some(store) = open_store_for_reading(environment)? else { return Ok(Vec::new()) };
    Ok(sorted_grants(&store, roots)?)
}

/// Returns the grants for the current folder; none if they cannot be read. The store is not
/// changed, even if it is damaged or of an earlier version.
pub(crate) fn list_grants_of_current_folder(environment: &Environment) -> Vec<Grant> {
    let read = || {
        let folder = std::env::current_dir().and_then(|folder| folder.canonicalize()).ok()?;
        let path = store_path(environment).filter(|path| path.exists())?;
        match SqliteStore::open_read_only(&path).ok()? {
            ReadOnlyStore::Store(store) => sorted_grants(&store, &[folder]).ok(),
            ReadOnlyStore::Older | ReadOnlyStore::Newer | ReadOnlyStore::Foreign => None,
        }
    };
    read().unwrap_or_default()
}

fn sorted_grants(store: &dyn GrantStore, roots: &[PathBuf]) -> Result<Vec<Grant>, StoreError> {
    let mut grants = store.grants(roots_key(roots))?;
    grants.sort();
    Ok(grants)
}

/// Returns the key of the grants for these roots in the store.
pub(crate) fn roots_key(roots: &[PathBuf]) -> RootsKey {
    RootsKey::from_roots(roots.iter().map(PathBuf::as_path).collect::<Vec<&Path>>())
}
