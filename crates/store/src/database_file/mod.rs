//! SQLite database files from opening to rebuilding. A file is opened while other processes use it
//! ([`open_with_quarantine`], [`connect`]), its owner and version are read ([`DatabaseOwner`]), and
//! an unusable file is moved to quarantine ([`DatabaseFile::quarantine`]). Only the user can read
//! it ([`ensure_private_file`]). [`is_environment_error`], [`is_inaccessible`] and [`is_busy`]
//! classify errors.

mod connection;
mod opening;
mod private_files;
mod quarantine;
mod sqlite_errors;

pub use self::connection::{DatabaseOwner, connect, connect_read_only};
pub use self::opening::{DatabaseFile, OpenAttempt, open_with_quarantine};
pub use self::private_files::ensure_private_file;
pub use self::quarantine::with_suffix;
pub use self::sqlite_errors::{is_busy, is_environment_error, is_inaccessible};
