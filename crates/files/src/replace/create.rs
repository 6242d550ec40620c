//! Making a file where there is none.

use std::io;
use std::time::SystemTime;

use cap_std::fs::Metadata;
use foveal_cancel::Cancel;

use super::error::WriteError;
use super::extent::Extent;
use super::folders::{Folders, sync};
use super::held::{Held, name, through_link};
use super::journal::{Entry, Planned};
use super::lock::Lock;
use super::temporary::Temporary;
use super::writer::Writer;
use super::written::Written;
use crate::roots::Located;
use crate::stamp::{Stamp, Version};

impl Writer {
    /// Makes a new file at `located` that holds `bytes`, and the folders it is in.
    ///
    /// # Errors
    ///
    /// [`WriteError::Exists`] when there is something already, and when it cannot be written; new
    /// folders are removed then.
    pub fn create(
        &self,
        located: &Located,
        bytes: &[u8],
        cancel: &Cancel<'_>,
    ) -> Result<Written, WriteError> {
        create(self, located, bytes, cancel)
    }
}

fn create(
    writer: &Writer,
    located: &Located,
    bytes: &[u8],
    cancel: &Cancel<'_>,
) -> Result<Written, WriteError> {
    let failed = |error| WriteError::of(located.shown(), error);
    let mut folders = Folders::make(located)?;
    let name = name(located)?;
    let lock = Lock::take(folders.innermost()?, located.shown(), cancel)?;
    let dir = lock.dir();
    match dir.symlink_metadata(name) {
        Ok(_) => return Err(WriteError::Exists { path: located.shown().to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let held = Held { located, name, dir };
    let after = Extent::of(bytes);
    let temporary = writer.names.next();
    let planned = Planned::of(&held, &temporary, None, after);
    let begin = |planned| Entry::begin(writer.journal.as_deref()?, &[planned]).ok();
    // A new file is there as a whole or not at all, whatever is known of its making.
    let entry = planned.ok().and_then(begin);
    writer.step();
    let mut temporary = Temporary::new(dir, temporary, false).map_err(failed)?;
    writer.step();
    let _ = entry.as_ref().map(|entry| entry.made(0, temporary.inode()));
    writer.step();
    if !temporary.fill(bytes, cancel).map_err(failed)? {
        return Err(WriteError::Cancelled { path: located.shown().to_owned() });
    }
    let file = temporary.handle().map_err(failed)?;
    writer.step();
    temporary.place(name).map_err(failed)?;
    writer.step();
    folders.keep().map_err(failed)?;
    sync(dir).map_err(failed)?;
    let stamp = Stamp::of(&Metadata::from_file(&file).map_err(failed)?);
    let version = Version::new(stamp, after.hash, SystemTime::now());
    Ok(Written { version, before: None, notes: through_link(located).into_iter().collect() })
}
