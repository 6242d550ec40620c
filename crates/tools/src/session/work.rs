//! What a tool has at hand while it carries out one call.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use foveal_context::room::Room;
use foveal_effects::PlainPart;
use foveal_files::{ApprovalReason, Located, PathError, Roots, sensitivity};
use foveal_web::normal_address;

use crate::answer::{Answer, Dependency};
use crate::control::{Approval, Control, Question};
use crate::error::ToolError;
use crate::permission::{Access, Asks, CommandKind, Verdict, refusal};
use crate::progress::ProgressReporter;
use crate::request::Request;
use crate::toolbox::Toolbox;

use super::command_approval::harmless_parts;
use super::deliveries::CallView;
use super::known_files::FilesOfCall;
use super::state::Session;

/// Bytes kept free in each answer for the file's name and other notes before its text.
const HEADING_BYTES: usize = 360;

/// Carries out a call that is part of another.
pub(crate) type CarryOut<'a> = &'a (dyn Fn(&Request) -> Answer + Sync + 'a);

/// What a tool has at hand while it carries out one call.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    /// The tool's name.
    pub(crate) tool: &'static str,
    /// Whether something may be lost by it.
    pub(crate) is_destructive: bool,
    /// What all sessions share.
    pub(crate) toolbox: &'a Toolbox,
    /// The session.
    pub(crate) session: &'a Session,
    /// What the call may rest on.
    pub(crate) view: &'a CallView,
    /// The caller's side.
    pub(crate) control: &'a Control<'a>,
    /// Whether nothing that was answered before may be used: the call is asked again right
    /// after such an answer, or wants none.
    pub(crate) anew: bool,
    /// What the person said in this call.
    pub(crate) approvals: &'a Approvals,
    /// How large the answer may be.
    pub(crate) room: Room,
    /// Carries out calls that this one consists of.
    pub(crate) carry_out: CarryOut<'a>,
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
    pub(crate) fn file(&self, path: &str) -> Result<Located, ToolError> {
        let roots = self.roots();
        let located = roots.resolve(path).map_err(unreachable)?;
        let meant = self.toolbox.meant_folder.as_ref();
        let is_outside = meant.is_some_and(|folder| !located.absolute().starts_with(folder));
        // Of another folder all its names count, such as that of the user's keys.
        let secret = match is_outside {
            true => sensitivity(&located.absolute()),
            false => located.sensitivity(),
        };
        let concern = match secret.map(|secret| format!("it may hold {}", secret.holds())) {
            None if self.is_destructive => {
                self.approval_reason(&located).map(|reason| reason.why().to_owned())
            }
            concern => concern,
        };
        // Rules are about one name of a file, wherever the session is.
        let (concern, subject) = (concern.as_deref(), located.rule_path());
        self.permit_access(&Access { concern, is_outside, ..Access::of(self.tool, &subject) })?;
        Ok(located)
    }

    /// Returns why a change of a file needs approval whatever rule allows everything.
    fn approval_reason(&self, located: &Located) -> Option<ApprovalReason> {
        let is_ours = || {
            let rules = self.toolbox.rules_file.as_ref()?.canonicalize().ok()?;
            (rules == located.absolute()).then_some(ApprovalReason::Foveal)
        };
        located.approval_reason().or_else(is_ours)
    }

    /// Whether the rules allow what a search comes across; nobody is asked about that.
    pub(crate) fn is_allowed(&self, subject: &str) -> bool {
        self.session.permissions.allow(self.tool, subject)
    }

    /// Goes on if the call may be made.
    ///
    /// # Errors
    /// If a rule or the person says no. What is wrong with a path otherwise is left to the tool.
    pub(crate) fn permit_all(&self, asks: &Asks<'_>) -> Result<(), ToolError> {
        let name = self.tool;
        match asks {
            Asks::Itself => self.permit("", None),
            Asks::Command(kind, text) => self.permit_command(*kind, text),
            Asks::Text(text) => self.permit(text, None),
            Asks::Address(written) => {
                let normal = normal_address(written);
                let subject = normal.as_deref().unwrap_or(written);
                self.permit_access(&Access { written: Some(written), ..Access::of(name, subject) })
            }
            Asks::Paths(paths) if paths.is_empty() => self.permit("", None),
            Asks::Paths(paths) => paths.iter().try_for_each(|path| match self.file(path) {
                Err(error @ ToolError::Denied { .. }) => Err(error),
                Ok(_) | Err(_) => Ok(()),
            }),
            Asks::Calls(other, paths) => paths.iter().try_for_each(|path| {
                let located = self.roots().resolve(path);
                let subject =
                    located.map_or_else(|_| (*path).into(), |located| located.rule_path());
                let subject = &*subject;
                // Where the other tool asks anyway, once is enough.
                let asks_itself =
                    self.session.permissions.verdict(&Access::of(other, subject)) == Verdict::Ask;
                match self.session.permissions.verdict(&Access::of(name, subject)) {
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
    pub(crate) fn permit(&self, subject: &str, concern: Option<&str>) -> Result<(), ToolError> {
        self.permit_access(&Access { concern, ..Access::of(self.tool, subject) })
    }

    /// Goes on if a command may be given to a shell.
    fn permit_command(&self, kind: CommandKind, text: &str) -> Result<(), ToolError> {
        let harmless = match kind {
            CommandKind::Line if self.toolbox.policy.limits_commands() => {
                // Commands that no rule names pass anyway.
                harmless_parts(self.session, text, PlainPart::is_redirection)
            }
            CommandKind::Line | CommandKind::Typed => Vec::new(),
        };
        let command = Some(kind);
        let access = Access { command, harmless: &harmless, ..Access::of(self.tool, text) };
        self.permit_access(&access)
    }

    fn permit_access(&self, access: &Access<'_>) -> Result<(), ToolError> {
        let Access { tool, subject, .. } = *access;
        let outside = access.is_outside.then_some("it is outside of the folder that you work in");
        let concern = access.concern.or(outside);
        let why = concern.map(|concern| format!(" ({concern})")).unwrap_or_default();
        let what = if subject.is_empty() { String::new() } else { format!(" `{subject}`") };
        let denied = |by: &str| ToolError::Denied { what: format!("{tool}{what}{why}: {by}") };
        let file = self.toolbox.rules_file.as_deref();
        let decided = self.session.permissions.decide(access);
        match decided.verdict {
            Verdict::Allow => return Ok(()),
            Verdict::Deny => {
                let rules = &self.toolbox.policy.rules;
                let rule = decided.rule.and_then(|at| Some((at, rules.get(at)?)));
                return Err(denied(&refusal::forbidden(access, rule, file)));
            }
            Verdict::Ask if self.approvals.is_granted(subject) => return Ok(()),
            Verdict::Ask => {}
        }
        let Some(person) = self.control.person else {
            return Err(denied(&refusal::unanswered(access, file)));
        };
        let reason = match (concern, access.command) {
            (Some(concern), _) => concern.to_owned(),
            (None, Some(_)) => self.session.permissions.ask_reason(access),
            (None, None) => "a permission rule wants it".to_owned(),
        };
        let question = Question { tool, subject: subject.to_owned(), reason };
        match person(&question) {
            Approval::Once => {}
            Approval::Session => self.session.permissions.grant(access),
            Approval::Always => self.session.permissions.grant_always(access),
            Approval::No => return Err(denied("the user said no")),
            Approval::Unclear => return Err(denied(UNCLEAR)),
        }
        self.approvals.grant(subject);
        Ok(())
    }

    /// What there is room for beside the notes that stand before an answer about `path`.
    pub(crate) fn room_beside_heading(&self, path: &str) -> Room {
        self.room.beside_notes(HEADING_BYTES.max(path.len() + HEADING_BYTES / 2))
    }

    /// Tells the caller, while the call takes long, that `what` goes on.
    pub(crate) fn progress<'b>(&'b self, what: &'b str) -> ProgressReporter<'b> {
        ProgressReporter::new(self.control, self.toolbox.settings.progress_ms, what)
    }

    /// The files of the session as the call knows them.
    pub(crate) fn files(&self) -> FilesOfCall<'_> {
        FilesOfCall { files: &self.session.files, view: self.view }
    }

    /// The roots, relative paths taken from where the session's commands are.
    pub(crate) fn roots(&self) -> Roots {
        self.session.roots()
    }

    /// That an answer tells paths as they are seen from where the session is.
    pub(crate) fn seen_from(&self) -> Dependency {
        Dependency::Directory(self.roots().working_directory().to_owned())
    }

    /// Fails if the caller does not let the call begin, though all its approvals are given.
    ///
    /// # Errors
    /// [`ToolError::Cancelled`].
    pub(crate) fn begin(&self) -> Result<(), ToolError> {
        if (self.control.begins)() { Ok(()) } else { Err(ToolError::Cancelled) }
    }

    /// Fails once the caller wants the call to end.
    ///
    /// # Errors
    /// [`ToolError::Cancelled`].
    pub(crate) fn check_cancelled(&self) -> Result<(), ToolError> {
        if self.control.cancel.is_cancelled() { Err(ToolError::Cancelled) } else { Ok(()) }
    }
}

/// What is said where the answer to a question is none.
const UNCLEAR: &str = "the user was asked, and what the client sent back has not the form that was \
asked for; it counts as no";

/// Why a path leads nowhere; where that is because it leads out of the roots, also how to open
/// more of them.
fn unreachable(error: PathError) -> ToolError {
    match error {
        PathError::Outside { .. } | PathError::LinkOutside { .. } => ToolError::failed(format!(
            "{error}; to open another folder, the user can add `--root FOLDER` to `foveal mcp` in \
             the agent's settings"
        )),
        error => ToolError::failed(error),
    }
}

impl fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").field("tool", &self.tool).finish_non_exhaustive()
    }
}
