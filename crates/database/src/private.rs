//! Files and folders that the user alone may read.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::aside::with;

/// The name of the folder among the user's data that is ours alone, with all below it.
const OWN_FOLDER: &str = "foveal";

/// What SQLite keeps beside a file.
const ENDINGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Makes the folder of `path` and an empty file there, where they are missing; the user alone
/// may read them. Where they are there, others lose what rights they have: to the file, to what
/// SQLite keeps beside it, and to the folders from the innermost one called `foveal` on. SQLite
/// gives new logs the rights of the file.
///
/// # Errors
/// What the system says.
pub fn make_private(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
        let is_own = |folder: &&Path| folder.file_name().is_some_and(|name| name == OWN_FOLDER);
        if let Some(own) = folder.ancestors().find(is_own) {
            folder.ancestors().take_while(|folder| folder.starts_with(own)).for_each(close_folder);
        }
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::metadata(path)?;
            close_file(path);
        }
        Err(error) => return Err(error),
    }
    ENDINGS.into_iter().for_each(|ending| close_file(&with(path, ending)));
    Ok(())
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn close_folder(folder: &Path) {
    close(folder, 0o700, fs::Metadata::is_dir);
}

fn close_file(path: &Path) {
    close(path, 0o600, fs::Metadata::is_file);
}

/// Takes from others what rights they have, if it `is` what it should be and no link. By name,
/// never by an open file: closing that one would drop the locks that this process has on it.
#[cfg(unix)]
fn close(path: &Path, mode: u32, is: fn(&fs::Metadata) -> bool) {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    if is(&metadata) && metadata.permissions().mode() & 0o077 != 0 {
        // What is another user's may be shared on purpose; SQLite says whether it can be used.
        drop(fs::set_permissions(path, fs::Permissions::from_mode(mode)));
    }
}

#[cfg(not(unix))]
fn close(_: &Path, _: u32, _: fn(&fs::Metadata) -> bool) {}
