//! Removing a file.

use foveal_cancel::Cancel;
use foveal_transcript::ContentHash;

use super::error::WriteError;
use super::folders::sync;
use super::held::{Held, name};
use super::lock::Locks;
use super::writer::Writer;
use crate::roots::Located;

impl Writer {
    /// Removes the file at `located`, if it holds what `expected` says. Gives back what it held.
    ///
    /// # Errors
    ///
    /// As [`Self::replace_if`].
    pub fn remove_if(
        &self,
        located: &Located,
        expected: &ContentHash,
        cancel: &Cancel<'_>,
    ) -> Result<Vec<u8>, WriteError> {
        remove_if(located, expected, cancel)
    }
}

fn remove_if(
    located: &Located,
    expected: &ContentHash,
    cancel: &Cancel<'_>,
) -> Result<Vec<u8>, WriteError> {
    let failed = |error| WriteError::of(located.shown(), error);
    let name = name(located)?;
    let locks = Locks::take(&[located], cancel)?;
    let held = Held { located, name, dir: locks.dir(0) };
    let old = held.read(expected, cancel)?;
    if !held.still(&old)? {
        return Err(held.changed());
    }
    held.dir.remove_file(held.name).map_err(failed)?;
    sync(held.dir).map_err(failed)?;
    Ok(old.bytes)
}
