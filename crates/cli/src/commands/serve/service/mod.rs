//! `foveal serve` as a service of the user's session: of systemd, or of launchd on macOS.

mod command;
mod init_system;
mod unit;

pub(super) use self::command::{install, uninstall};
