//! Permission checks for commands that read files themselves: the rules and the user at the
//! terminal.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use foveal_screen::{escape_one_line, quote_escaped};
use foveal_tools::call_control::{Approval, ApprovalQuestion};
use foveal_tools::{CallControl, ToolSession};
use foveal_transcript::CancelToken;

use crate::environment::Environment;
use crate::notice;
use crate::repository_index;
use crate::source_file::SourceFileError;
use crate::toolbox::{CallFolders, ToolboxFactory};

/// The name of the session that only checks permissions; it stores no data.
const SESSION_NAME: &str = "rules";

/// Checks permissions of commands that read files themselves.
pub(crate) struct PermissionChecker {
    session: ToolSession,
    can_ask: bool,
    /// The path in question, relative to the folder.
    path: String,
}

impl PermissionChecker {
    /// Opens a checker for the file at `path`.
    ///
    /// # Errors
    /// If there is no such file, or the user's settings are invalid.
    pub(crate) fn for_file(path: &Path, environment: &Environment) -> anyhow::Result<Self> {
        let (place, path) = locate_path(path)?;
        Self::open(&place, path, environment)
    }

    /// Opens a checker for the content of the folder `root`, a canonical path that the user named.
    ///
    /// # Errors
    /// If the user's settings are invalid.
    pub(crate) fn for_folder(root: &Path, environment: &Environment) -> anyhow::Result<Self> {
        let place =
            CallFolders { default_folder: root.to_owned(), working_directory: root.to_owned() };
        Self::open(&place, ".".to_owned(), environment)
    }

    fn open(place: &CallFolders, path: String, environment: &Environment) -> anyhow::Result<Self> {
        let toolbox = ToolboxFactory::new(environment)?.open_for_permission_checks(place)?;
        Ok(Self {
            session: ToolSession::new(&toolbox, SESSION_NAME),
            can_ask: can_ask_user(environment),
            path,
        })
    }

    /// Checks that `tool` may read the file.
    ///
    /// # Errors
    /// If a rule or the user refuses.
    pub(crate) fn permit_file(&self, tool: &'static str) -> anyhow::Result<()> {
        let control = call_control(&CancelToken::NEVER, self.can_ask);
        Ok(self.session.require_file_permission(tool, &self.path, &control)?)
    }

    /// Checks that `tool` may be called for `subject`; an empty subject means the call itself.
    ///
    /// # Errors
    /// If a rule or the user refuses.
    pub(crate) fn permit(&self, tool: &'static str, subject: &str) -> anyhow::Result<()> {
        let control = call_control(&CancelToken::NEVER, self.can_ask);
        Ok(self.session.require_permission(tool, subject, &control)?)
    }

    /// Returns true if the rules let `tool` show the file at `path`, relative to the folder,
    /// without a question to the user.
    pub(crate) fn allows_without_question(&self, tool: &'static str, path: &str) -> bool {
        self.session.permissions.permits(tool, path)
    }
}

/// Locates the file or folder at `path` and returns its name there: relative to the current folder
/// if it lies inside, so that paths read as the user writes them; otherwise relative to its own
/// folder. The default folder is the working copy of the current folder.
///
/// # Errors
/// If there is no such file.
pub(crate) fn locate_path(path: &Path) -> anyhow::Result<(CallFolders, String)> {
    let current = std::env::current_dir().context("there is no current folder")?;
    let current = current.canonicalize().unwrap_or(current);
    let found = path.canonicalize().map_err(|why| match why.kind() {
        std::io::ErrorKind::NotFound => SourceFileError::missing(path),
        _ => SourceFileError::Unreadable { path: path.to_owned(), why },
    })?;
    // The tools' own messages address a model.
    if found.is_file()
        && let Err(why) = std::fs::File::open(&found)
    {
        return Err(SourceFileError::Unreadable { path: path.to_owned(), why }.into());
    }
    let meant = repository_index::working_copy_root(&current);
    let (working, inside) = match found.strip_prefix(&current) {
        Ok(inside) => (current.clone(), inside.to_owned()),
        Err(_) if found.is_dir() => (found, PathBuf::new()),
        Err(_) => {
            let name = found.file_name().map(PathBuf::from).unwrap_or_default();
            (found.parent().map_or(current, Path::to_owned), name)
        }
    };
    let Some(inside) = inside.to_str() else {
        bail!("`{}` is not valid Unicode: rename it", path.display());
    };
    let path = if inside.is_empty() { "." } else { inside }.to_owned();
    Ok((CallFolders { default_folder: meant, working_directory: working }, path))
}

/// Returns true if there is a user who can be asked.
pub(crate) fn can_ask_user(environment: &Environment) -> bool {
    environment.terminal.input && environment.terminal.error
}

/// Returns the control of a call about which the user may be asked.
pub(crate) fn call_control<'a>(cancel: &'a CancelToken<'a>, asks: bool) -> CallControl<'a> {
    CallControl { cancel, approver: asks.then_some(&ask_user), ..CallControl::NONE }
}

/// Asks the user at the terminal.
pub(crate) fn ask_user(question: &ApprovalQuestion) -> Approval {
    approval_for_once(notice::confirm(&format_question(question)))
}

fn format_question(question: &ApprovalQuestion) -> String {
    let ApprovalQuestion { tool, subject, reason } = question;
    let about =
        if subject.is_empty() { String::new() } else { format!(" {}", quote_escaped(subject)) };
    format!("{tool}{about}: {}. Continue?", escape_one_line(reason))
}

fn approval_for_once(yes: bool) -> Approval {
    if yes { Approval::Once } else { Approval::No }
}
