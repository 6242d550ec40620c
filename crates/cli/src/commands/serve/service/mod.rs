//! `foveal serve` as a service of the user's session: a unit of systemd, or an agent of launchd on
//! macOS.

mod command;
mod init_system;
mod service_files;

pub(super) use self::command::{install, uninstall};
