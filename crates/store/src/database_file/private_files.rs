//! Files and folders that only the user can read.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

use super::quarantine::with_suffix;

/// The name of the folder in the user's data folder that belongs to foveal, with all its content.
const OWN_FOLDER: &str = "foveal";

/// The suffixes of the files that SQLite keeps beside a database.
const SIDE_FILE_SUFFIXES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Creates the folder of `path` and an empty file at `path`, readable only by the user. For
/// existing ones, removes the permissions of others from the file, from SQLite's side files, and
/// from the folders below and including the innermost one named `foveal`. SQLite gives new logs the
/// permissions of the file.
///
/// # Errors
/// The I/O error of the system.
pub fn ensure_private_file(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_private_folder(folder)?;
        let is_own = |folder: &&Path| folder.file_name().is_some_and(|name| name == OWN_FOLDER);
        if let Some(own) = folder.ancestors().find(is_own) {
            folder
                .ancestors()
                .take_while(|folder| folder.starts_with(own))
                .for_each(restrict_folder);
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
            restrict_file(path);
        }
        Err(error) => return Err(error),
    }
    SIDE_FILE_SUFFIXES.into_iter().for_each(|ending| restrict_file(&with_suffix(path, ending)));
    Ok(())
}

fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn restrict_folder(folder: &Path) {
    restrict_permissions(folder, 0o700, fs::Metadata::is_dir);
}

fn restrict_file(path: &Path) {
    restrict_permissions(path, 0o600, fs::Metadata::is_file);
}

/// Removes the permissions of others from a path for which `is` holds and that is no link. Works by
/// name and not by an open file: closing that file would release the locks of this process on it.
#[cfg(unix)]
fn restrict_permissions(path: &Path, mode: u32, is: fn(&fs::Metadata) -> bool) {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    if is(&metadata) && metadata.permissions().mode() & 0o077 != 0 {
        // Another user's file may be shared on purpose. SQLite reports whether it can be used.
        drop(fs::set_permissions(path, fs::Permissions::from_mode(mode)));
    }
}

#[cfg(not(unix))]
fn restrict_permissions(_: &Path, _: u32, _: fn(&fs::Metadata) -> bool) {}
