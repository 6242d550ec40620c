//! What a tool has at hand while it carries out one call.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use foveal_files::Located;
use foveal_processes::Command;

use crate::control::{Approval, Control, Question};
use crate::error::ToolError;
use crate::permission::{Access, Asks, Verdict};
use crate::table::Tool;
use crate::toolbox::Toolbox;

use super::Session;

/// What a tool has at hand while it carries out one call.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// The tool.
    pub tool: &'static Tool,
    /// What all sessions share.
    pub toolbox: &'a Toolbox,
    /// The session.
    pub session: &'a Session,
    /// The caller's side.
    pub control: &'a Control<'a>,
    /// Whether nothing that was answered before may be used: the call is asked again right
    /// after such an answer, or wants none.
    pub anew: bool,
    /// What the person said in this call.
    pub(crate) approvals: &'a Approvals,
}

/// What was asked for in one call and granted, so that nobody is asked twice.
#[derive(Debug, Default)]
pub(crate) struct Approvals(Mutex<BTreeSet<String>>);

impl Approvals {
    fn is_granted(&self, subject: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(subject)
    }

    fn grant(&self, subject: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(subject.to_owned());
    }
}

impl Work<'_> {
    /// Where `path` leads, if the tool may go there.
    ///
    /// # Errors
    /// If it leads out of the roots, or a rule or the person says no.
    pub fn file(&self, path: &str) -> Result<Located, ToolError> {
        let roots = self.session.roots();
        let located = roots.resolve(path).map_err(ToolError::failed)?;
        let secret = located.sensitivity();
        let concern = match secret.map(|secret| format!("it may hold {}", secret.holds())) {
            None if self.tool.hints.destructive && located.is_version_control() => {
                Some("version control obeys what it says, and runs its hooks".to_owned())
            }
            concern => concern,
        };
        // Rules are about one name of a file, wherever the session is.
        self.permit(&located.rule_path(), concern.as_deref())?;
        Ok(located)
    }

    /// Whether the rules allow what a search comes across; nobody is asked about that.
    pub(crate) fn is_allowed(&self, subject: &str) -> bool {
        self.session.may(self.tool.name, subject)
    }

    /// Goes on if the call may be made.
    ///
    /// # Errors
    /// If a rule or the person says no. What is wrong with a path otherwise is left to the tool.
    pub(crate) fn permit_all(&self, asks: &Asks<'_>) -> Result<(), ToolError> {
        let name = self.tool.name;
        match asks {
            Asks::Itself => self.permit("", None),
            Asks::Command(text) => {
                self.permit_access(&Access { is_command: true, ..Access::of(name, text) })
            }
            Asks::Text(text) => self.permit(text, None),
            Asks::Paths(paths) if paths.is_empty() => self.permit("", None),
            Asks::Paths(paths) => paths.iter().try_for_each(|path| match self.file(path) {
                Err(error @ ToolError::Denied { .. }) => Err(error),
                Ok(_) | Err(_) => Ok(()),
            }),
            Asks::Calls(other, paths) => paths.iter().try_for_each(|path| {
                let located = self.session.roots().resolve(path);
                let subject =
                    located.map_or_else(|_| (*path).into(), |located| located.rule_path());
                let subject = &*subject;
                // Where the other tool asks anyway, once is enough.
                let asks_itself = self.session.verdict(&Access::of(other, subject)) == Verdict::Ask;
                match self.session.verdict(&Access::of(name, subject)) {
                    Verdict::Ask if asks_itself => Ok(()),
                    _ => self.permit(subject, None),
                }
            }),
        }
    }

    /// Goes on if the tool may touch `subject`, about which there may be a concern.
    ///
    /// # Errors
    /// If a rule or the person says no, or nobody can be asked.
    pub fn permit(&self, subject: &str, concern: Option<&str>) -> Result<(), ToolError> {
        self.permit_access(&Access { concern, ..Access::of(self.tool.name, subject) })
    }

    fn permit_access(&self, access: &Access<'_>) -> Result<(), ToolError> {
        let Access { tool, subject, concern, .. } = *access;
        let why = concern.map(|concern| format!(" ({concern})")).unwrap_or_default();
        let what = if subject.is_empty() { String::new() } else { format!(" `{subject}`") };
        let denied = |by: &str| ToolError::Denied { what: format!("{tool}{what}{why}: {by}") };
        match self.session.verdict(access) {
            Verdict::Allow => return Ok(()),
            Verdict::Deny => return Err(denied("a permission rule forbids it")),
            Verdict::Ask if self.approvals.is_granted(subject) => return Ok(()),
            Verdict::Ask => {}
        }
        let Some(person) = self.control.person else {
            return Err(denied(
                "it needs the user's word, and there is nobody to ask here; the user can allow it \
                 with a permission rule",
            ));
        };
        let reason = concern.unwrap_or("a permission rule wants it").to_owned();
        let question = Question { tool, subject: subject.to_owned(), reason };
        match person(&question) {
            Approval::Once => {}
            Approval::Session => self.session.grant(access),
            Approval::Always => self.toolbox.grant(access),
            Approval::No => return Err(denied("the user said no")),
        }
        self.approvals.grant(subject);
        Ok(())
    }

    /// A command that starts in `directory`, confined as the settings say.
    pub(crate) fn command(&self, text: &str, directory: PathBuf) -> Command {
        let Toolbox { environment, shell, sandbox, .. } = self.toolbox;
        let mut command = Command::new(text, directory, environment.clone(), shell.clone());
        command.sandbox = sandbox.clone();
        command
    }

    /// Has relative paths start at `directory` from now on; what to say if it is outside.
    pub(crate) fn move_to(&self, directory: &Path) -> Option<String> {
        let roots = self.session.roots();
        if directory == roots.working_directory() {
            return None;
        }
        let error = self.session.work_in(directory).err()?;
        let stays = roots.working_directory().display();
        Some(format!("{error}; the working directory stays {stays}"))
    }

    /// Fails once the caller wants the call to end.
    ///
    /// # Errors
    /// [`ToolError::Cancelled`].
    pub fn check_cancelled(&self) -> Result<(), ToolError> {
        if self.control.cancel.is_cancelled() { Err(ToolError::Cancelled) } else { Ok(()) }
    }
}
