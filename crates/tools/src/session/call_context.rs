//! The context of one tool call: permissions, progress, and the session's state.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use foveal_engine::output_budget::OutputBudget;
use foveal_tool_effects::CommandLinePart;
use foveal_web::normalize_address;
use foveal_workspace::{ApprovalReason, PathError, ResolvedPath, WorkspaceRoots, sensitivity};

use crate::answer::{AnswerDependency, ToolCallAnswer};
use crate::call_control::{Approval, ApprovalQuestion, CallControl};
use crate::error::ToolError;
use crate::permission::{Access, CommandKind, PermissionRequest, Verdict, refusal};
use crate::progress_reporter::ProgressReporter;
use crate::tool_request::ToolRequest;
use crate::toolbox::Toolbox;

use super::command_approval::harmless_parts;
use super::deliveries::CallVisibility;
use super::known_files::CallFiles;
use super::tool_session::ToolSession;

/// Bytes reserved in each answer for the file's name and other notes before its text.
const ANSWER_HEADING_BYTES: usize = 360;

/// Runs a call that is part of another.
pub(crate) type NestedCallRunner<'a> = &'a (dyn Fn(&ToolRequest) -> ToolCallAnswer + Sync + 'a);

/// The context of one tool call.
#[derive(Clone, Copy)]
pub(crate) struct CallContext<'a> {
    /// The tool's name.
    pub(crate) tool: &'static str,
    /// Whether the call may destroy data.
    pub(crate) is_destructive: bool,
    /// The state that all sessions share.
    pub(crate) toolbox: &'a Toolbox,
    /// The session.
    pub(crate) session: &'a ToolSession,
    /// The earlier answers that the call may refer to.
    pub(crate) visibility: &'a CallVisibility,
    /// The caller's hooks: approval, progress, cancellation.
    pub(crate) control: &'a CallControl<'a>,
    /// Whether earlier answers must not be reused: the call repeats one that was answered with a
    /// reused answer, or the caller wants none.
    pub(crate) bypass_cache: bool,
    /// The approvals that the user gave in this call.
    pub(crate) approvals: &'a CallApprovals,
    /// The size limit of the answer.
    pub(crate) output_budget: OutputBudget,
    /// Runs the calls that this one consists of.
    pub(crate) run_nested: NestedCallRunner<'a>,
}

/// The subjects that the user approved in one call, so that no question is repeated.
#[derive(Debug, Default)]
pub(crate) struct CallApprovals(Mutex<BTreeSet<String>>);

impl CallApprovals {
    fn is_granted(&self, subject: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(subject)
    }

    fn grant(&self, subject: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(subject.to_owned());
    }
}

impl CallContext<'_> {
    /// Resolves `path` and checks that the tool may access it.
    ///
    /// # Errors
    /// If the path leads out of the roots, or a rule or the user denies access.
    pub(crate) fn resolve_permitted(&self, path: &str) -> Result<ResolvedPath, ToolError> {
        let roots = self.roots();
        let located = roots.resolve(path).map_err(describe_path_error)?;
        let meant = self.toolbox.default_folder.as_ref();
        let is_outside = meant.is_some_and(|folder| !located.absolute_path().starts_with(folder));
        // Outside of the intended folder, the whole path counts, such as `.ssh` in the user's home.
        let secret = match is_outside {
            true => sensitivity(&located.absolute_path()),
            false => located.sensitivity(),
        };
        let concern = match secret.map(|secret| format!("it may hold {}", secret.description())) {
            None if self.is_destructive => {
                self.approval_reason(&located).map(|reason| reason.explanation().to_owned())
            }
            concern => concern,
        };
        // Rules name each file by one path, independent of the working directory.
        let (concern, subject) = (concern.as_deref(), located.rule_path());
        self.require_access(&Access { concern, is_outside, ..Access::new(self.tool, &subject) })?;
        Ok(located)
    }

    /// Returns why a change of a file needs approval even if a rule allows everything.
    fn approval_reason(&self, located: &ResolvedPath) -> Option<ApprovalReason> {
        let is_ours = || {
            let rules = self.toolbox.rules_file.as_ref()?.canonicalize().ok()?;
            (rules == located.absolute_path()).then_some(ApprovalReason::Foveal)
        };
        located.approval_reason().or_else(is_ours)
    }

    /// Returns whether the rules allow access to a search result, without a question to the user.
    pub(crate) fn rules_allow(&self, subject: &str) -> bool {
        self.session.permissions.permits(self.tool, subject)
    }

    /// Checks that the call is permitted; asks the user where a rule says so.
    ///
    /// # Errors
    /// If a rule or the user denies the call. Other errors in paths are left to the tool.
    pub(crate) fn require_permissions(
        &self,
        asks: &PermissionRequest<'_>,
    ) -> Result<(), ToolError> {
        let name = self.tool;
        match asks {
            PermissionRequest::Itself => self.require_permission("", None),
            PermissionRequest::Command(kind, text) => self.require_command_permission(*kind, text),
            PermissionRequest::Text(text) => self.require_permission(text, None),
            PermissionRequest::Address(written) => {
                let normal = normalize_address(written);
                let subject = normal.as_deref().unwrap_or(written);
                self.require_access(&Access {
                    written: Some(written),
                    ..Access::new(name, subject)
                })
            }
            PermissionRequest::Paths(paths) if paths.is_empty() => {
                self.require_permission("", None)
            }
            PermissionRequest::Paths(paths) => {
                paths.iter().try_for_each(|path| match self.resolve_permitted(path) {
                    Err(error @ ToolError::Denied { .. }) => Err(error),
                    Ok(_) | Err(_) => Ok(()),
                })
            }
            PermissionRequest::Calls(other, paths) => paths.iter().try_for_each(|path| {
                let located = self.roots().resolve(path);
                let subject =
                    located.map_or_else(|_| (*path).into(), |located| located.rule_path());
                let subject = &*subject;
                // If the other tool asks anyway, one question is enough.
                let asks_itself =
                    self.session.permissions.verdict(&Access::new(other, subject)) == Verdict::Ask;
                match self.session.permissions.verdict(&Access::new(name, subject)) {
                    Verdict::Ask if asks_itself => Ok(()),
                    _ => self.require_permission(subject, None),
                }
            }),
        }
    }

    /// Checks that the tool may access `subject`; a `concern` makes it ask the user.
    ///
    /// # Errors
    /// If a rule or the user denies access, or no user can be asked.
    pub(crate) fn require_permission(
        &self,
        subject: &str,
        concern: Option<&str>,
    ) -> Result<(), ToolError> {
        self.require_access(&Access { concern, ..Access::new(self.tool, subject) })
    }

    /// Checks that a command may be given to a shell.
    fn require_command_permission(&self, kind: CommandKind, text: &str) -> Result<(), ToolError> {
        let harmless = match kind {
            CommandKind::Line if self.toolbox.policy.limits_commands() => {
                // Other commands that no rule names pass anyway.
                harmless_parts(self.session, text, CommandLinePart::is_redirection)
            }
            CommandKind::Line | CommandKind::Typed => Vec::new(),
        };
        let command = Some(kind);
        let access = Access { command, harmless_parts: &harmless, ..Access::new(self.tool, text) };
        self.require_access(&access)
    }

    fn require_access(&self, access: &Access<'_>) -> Result<(), ToolError> {
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
                return Err(denied(&refusal::forbidden_message(access, rule, file)));
            }
            Verdict::Ask if self.approvals.is_granted(subject) => return Ok(()),
            Verdict::Ask => {}
        }
        let Some(person) = self.control.approver else {
            return Err(denied(&refusal::unanswered_message(access, file)));
        };
        let reason = match (concern, access.command) {
            (Some(concern), _) => concern.to_owned(),
            (None, Some(_)) => self.session.permissions.ask_reason(access),
            (None, None) => "a permission rule wants it".to_owned(),
        };
        let question = ApprovalQuestion { tool, subject: subject.to_owned(), reason };
        match person(&question) {
            Approval::Once => {}
            Approval::Session => self.session.permissions.grant_for_session(access),
            Approval::Always => self.session.permissions.grant_always(access),
            Approval::No => return Err(denied("the user said no")),
            Approval::Unclear => return Err(denied(UNCLEAR_REPLY)),
        }
        self.approvals.grant(subject);
        Ok(())
    }

    /// Returns the output budget that remains beside the notes at the beginning of an answer about
    /// `path`.
    pub(crate) fn budget_below_heading(&self, path: &str) -> OutputBudget {
        self.output_budget
            .reserve_notes(ANSWER_HEADING_BYTES.max(path.len() + ANSWER_HEADING_BYTES / 2))
    }

    /// Returns a reporter that tells the caller, while the call takes long, that `what` goes on.
    pub(crate) fn progress_reporter<'b>(&'b self, what: &'b str) -> ProgressReporter<'b> {
        ProgressReporter::new(self.control, self.toolbox.settings.progress_ms, what)
    }

    /// Returns the files of the session as they are visible to the call.
    pub(crate) fn files(&self) -> CallFiles<'_> {
        CallFiles { files: &self.session.files, visibility: self.visibility }
    }

    /// Returns the roots. Relative paths start at the session's working directory.
    pub(crate) fn roots(&self) -> WorkspaceRoots {
        self.session.roots()
    }

    /// Returns the dependency of an answer with relative paths on the working directory.
    pub(crate) fn directory_dependency(&self) -> AnswerDependency {
        AnswerDependency::Directory(self.roots().working_directory().to_owned())
    }

    /// Checks that the caller lets the call start after all approvals are given.
    ///
    /// # Errors
    /// [`ToolError::Cancelled`].
    pub(crate) fn check_start(&self) -> Result<(), ToolError> {
        if (self.control.may_begin)() { Ok(()) } else { Err(ToolError::Cancelled) }
    }

    /// Checks that the caller has not cancelled the call.
    ///
    /// # Errors
    /// [`ToolError::Cancelled`].
    pub(crate) fn check_cancelled(&self) -> Result<(), ToolError> {
        if self.control.cancel.is_cancelled() { Err(ToolError::Cancelled) } else { Ok(()) }
    }
}

/// The reason of a denial if the client's reply to a question is malformed.
const UNCLEAR_REPLY: &str = "the user was asked, and what the client sent back has not the form that was \
asked for; it counts as no";

/// Describes a path that cannot be resolved. For a path out of the roots, names the option that
/// adds a root.
fn describe_path_error(error: PathError) -> ToolError {
    match error {
        PathError::Outside { .. } | PathError::LinkOutside { .. } => {
            ToolError::from_error(format!(
                "{error}; to open another folder, the user can add `--root FOLDER` to `foveal mcp` in \
             the agent's settings"
            ))
        }
        error => ToolError::from_error(error),
    }
}

impl fmt::Debug for CallContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext").field("tool", &self.tool).finish_non_exhaustive()
    }
}
