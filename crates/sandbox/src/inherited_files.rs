//! Files that a guard inherits, under numbers that its arguments and its order name.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Command;

use command_fds::{CommandFdExt as _, FdMapping};

/// The number of the first file.
const FIRST_NUMBER: i32 = 3;

/// Open files for a process that is started later.
#[derive(Debug, Default)]
pub(crate) struct InheritedFiles(Vec<FdMapping>);

impl InheritedFiles {
    /// Adds a file. Returns its path in the process.
    pub(crate) fn add(&mut self, parent_fd: OwnedFd) -> String {
        format!("/proc/self/fd/{}", self.add_numbered(parent_fd))
    }

    /// Adds a file. Returns its number in the process.
    pub(crate) fn add_numbered(&mut self, parent_fd: OwnedFd) -> i32 {
        let next = self.0.last().map_or(FIRST_NUMBER, |last| last.child_fd + 1);
        self.0.push(FdMapping { parent_fd, child_fd: next });
        next
    }

    /// Passes the files to the process that `command` starts.
    pub(crate) fn add_to_command(self, command: &mut Command) -> io::Result<()> {
        command.fd_mappings(self.0).map(drop).map_err(io::Error::other)
    }
}
