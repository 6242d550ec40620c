//! The shell that runs a command and reports its last working directory.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::process;

use crate::error::CommandError;

/// A shell that accepts `-c`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellProgram(PathBuf);

impl ShellProgram {
    /// Finds `bash`, or else `sh`, in the folders of a `PATH` variable, then in the usual ones.
    #[must_use]
    pub fn find(path_variable: Option<&OsStr>) -> Option<Self> {
        let listed = path_variable.map(std::env::split_paths).into_iter().flatten();
        let usual = ["/usr/bin", "/bin", "/usr/local/bin"].map(PathBuf::from);
        let folders: Vec<PathBuf> =
            listed.filter(|folder| folder.is_absolute()).chain(usual).collect();
        ["bash", "sh"].iter().find_map(|name| {
            folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()).map(Self)
        })
    }

    /// A shell at a path of the caller's choice.
    #[must_use]
    pub fn from_path(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the path of the shell.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the process that runs `text` and writes its last working directory to
    /// `directory_file`.
    pub(crate) fn wrapped_command(&self, text: &str, directory_file: &Path) -> process::Command {
        let mut command = process::Command::new(&self.0);
        let name: &OsStr = self.0.file_name().unwrap_or(self.0.as_os_str());
        command.arg("-c").arg(WRAPPER_SCRIPT).arg(name).arg(text).arg(directory_file);
        command
    }
}

/// Runs its first argument and writes the last working directory to the file in the second.
///
/// It is one line, so that line numbers in messages are those of the text. The trap covers `exit`
/// and `set -e`; the part after `eval` covers a text with an EXIT trap of its own. A text that
/// replaces the shell by `exec` reports nothing, and the directory stays as it was. The space keeps
/// a text that begins with a dash from being an option of `eval`.
const WRAPPER_SCRIPT: &str = "__foveal_text=$1; __foveal_directory=$2; shift 2; \
    trap '{ command pwd -P >|\"$__foveal_directory\"; } 2>/dev/null' EXIT; \
    eval \" $__foveal_text\"; \
    __foveal_status=$?; { command pwd -P >|\"$__foveal_directory\"; } 2>/dev/null; \
    exit $__foveal_status";

/// Longest text of a command: with the wrapper it must fit in one argument, which Linux limits to
/// 128 KiB.
pub(crate) const TEXT_BYTES_MAX: usize = 127 * 1024;

/// Refuses texts that cannot be passed to a shell.
pub(crate) fn check_command_text(text: &str) -> Result<(), CommandError> {
    if text.contains('\0') {
        return Err(CommandError::NulByte);
    }
    if text.len() > TEXT_BYTES_MAX {
        return Err(CommandError::TooLong { bytes: text.len(), bytes_max: TEXT_BYTES_MAX });
    }
    Ok(())
}

/// Longest directory that is accepted, in bytes.
const DIRECTORY_BYTES_MAX: u64 = 16 * 1024;

/// Reads the directory that the wrapper wrote to `file`; `None` if it is missing or incomplete. It
/// is read by the handle, since a command may have replaced the file.
pub(crate) fn read_final_directory(file: &File) -> std::io::Result<Option<PathBuf>> {
    let mut written = Vec::new();
    file.take(DIRECTORY_BYTES_MAX).read_to_end(&mut written)?;
    if written.pop() != Some(b'\n') {
        return Ok(None);
    }
    let path = PathBuf::from(OsString::from_vec(written));
    Ok(path.is_absolute().then_some(path))
}
