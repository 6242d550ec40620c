//! What the person allowed for good in a folder.

use std::path::{Path, PathBuf};

use foveal_store::{Grant, RootsKey, Store};

use crate::environment::Environment;
use crate::toolbox::store_to_read;

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
    let mut grants = store.grants(roots_key(roots))?;
    grants.sort();
    Ok(grants)
}

/// Returns the grants for the current folder; none where they cannot be read.
pub(crate) fn list_grants_here(environment: &Environment) -> Vec<Grant> {
    let folder = std::env::current_dir().and_then(|folder| folder.canonicalize());
    folder.ok().and_then(|folder| list_grants(&[folder], environment).ok()).unwrap_or_default()
}

/// Returns the key under which grants for these roots are kept.
pub(crate) fn roots_key(roots: &[PathBuf]) -> RootsKey {
    RootsKey::of(roots.iter().map(PathBuf::as_path).collect::<Vec<&Path>>())
}
