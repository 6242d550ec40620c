//! What a tool has at hand while it carries out one call.

use std::path::{Path, PathBuf};

use foveal_files::Located;
use foveal_files::tree::name_of;
use foveal_processes::Command;

use crate::control::{Control, Question, Word};
use crate::error::ToolError;
use crate::permission::{Deed, Verdict};
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
}

impl Work<'_> {
    /// Where `path` leads, if the tool may go there.
    ///
    /// # Errors
    /// If it leads out of the roots, or a rule or the person says no.
    pub fn file(&self, path: &str) -> Result<Located, ToolError> {
        let roots = self.session.roots();
        let located = roots.resolve(path).map_err(ToolError::failed)?;
        let concern =
            located.sensitivity().map(|sensitivity| format!("it may hold {}", sensitivity.holds()));
        // Rules are about one name of a file, wherever the session is.
        self.permit(&located.lasting(), concern.as_deref())?;
        Ok(located)
    }

    /// Whether the rules allow what a search comes across; nobody is asked about that.
    pub(crate) fn is_allowed(&self, subject: &str) -> bool {
        self.verdict(&Deed { tool: self.tool.name, subject, concern: None }) == Verdict::Allow
    }

    /// What the rules say, where a grant answers what they would have asked.
    fn verdict(&self, deed: &Deed<'_>) -> Verdict {
        match self.toolbox.policy.verdict(deed) {
            Verdict::Ask if self.session.is_granted(deed) || self.toolbox.is_granted(deed) => {
                Verdict::Allow
            }
            verdict => verdict,
        }
    }

    /// Goes on if the tool may touch `subject`, about which there may be a concern.
    ///
    /// # Errors
    /// If a rule or the person says no, or nobody can be asked.
    pub fn permit(&self, subject: &str, concern: Option<&str>) -> Result<(), ToolError> {
        let deed = Deed { tool: self.tool.name, subject, concern };
        let why = concern.map(|concern| format!(" ({concern})")).unwrap_or_default();
        let denied = |by: &str| ToolError::Denied {
            what: format!("{} `{subject}`{why}: {by}", self.tool.name),
        };
        match self.verdict(&deed) {
            Verdict::Allow => return Ok(()),
            Verdict::Deny => return Err(denied("a permission rule forbids it")),
            Verdict::Ask => {}
        }
        let Some(person) = self.control.person else {
            return Err(denied(
                "it needs the user's word, and there is nobody to ask here; the user can allow it \
                 with a permission rule",
            ));
        };
        let reason = concern.unwrap_or("a permission rule wants it").to_owned();
        let question = Question { tool: self.tool.name, subject: subject.to_owned(), reason };
        match person(&question) {
            Word::Once => {}
            Word::Session => self.session.grant(&deed),
            Word::Always => self.toolbox.grant(&deed),
            Word::No => return Err(denied("the user said no")),
        }
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
        match roots.with_working_directory(&name_of(directory)) {
            Ok(roots) => {
                self.session.set_roots(roots);
                None
            }
            Err(error) => {
                let stays = roots.working_directory().display();
                Some(format!("{error}; the working directory stays {stays}"))
            }
        }
    }

    /// Goes on unless the caller wants the call to stop.
    ///
    /// # Errors
    /// [`ToolError::Stopped`].
    pub fn go_on(&self) -> Result<(), ToolError> {
        if (self.control.go_on)() { Ok(()) } else { Err(ToolError::Stopped) }
    }
}
