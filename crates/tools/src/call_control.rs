//! The caller's control over a running tool call.

use std::fmt;

use foveal_engine::views::CurationProgress;
use foveal_transcript::CancelToken;

/// The progress of a call. `total` is set where it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct CallProgress {
    /// Units done.
    pub done: u64,
    /// Units in all.
    pub total: Option<u64>,
    /// The current activity, or output as it arrives.
    pub message: String,
    /// The work of a model that helps with the call. Then `message`, if it is not empty, replaces
    /// the previous one.
    pub model: Option<CurationProgress>,
}

/// The question to the user before a call that needs approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalQuestion {
    /// The tool.
    pub tool: &'static str,
    /// The path, command or address to be approved.
    pub subject: String,
    /// The reason for the question.
    pub reason: String,
}

/// The user's answer to an [`ApprovalQuestion`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Approves this call and no other.
    Once,
    /// Approves calls like it in this session.
    Session,
    /// Approves calls like it from now on.
    Always,
    /// Refuses the call.
    No,
    /// An answer in no valid form. It counts as a refusal.
    Unclear,
}

/// The caller's side of a running call.
#[derive(Clone, Copy)]
pub struct CallControl<'a> {
    /// The cancellation token. It is polled often, and the call ends soon after a cancellation.
    pub cancel: &'a CancelToken<'a>,
    /// Receives the progress of the call.
    pub progress: &'a (dyn Fn(CallProgress) + Sync),
    /// Asks the user for approval; `None` if no user can be asked: then calls that need approval
    /// are refused.
    pub approver: Option<&'a (dyn Fn(&ApprovalQuestion) -> Approval + Sync)>,
    /// Returns whether the call may begin. It is called once all approvals are given, and before
    /// anything is done; on `false` the call ends as if it were stopped. In a composite call each
    /// part calls it.
    pub may_begin: &'a (dyn Fn() -> bool + Sync),
}

impl CallControl<'_> {
    /// Never cancelled, with no receiver of progress and no user to ask.
    pub const NONE: CallControl<'static> = CallControl {
        cancel: &CancelToken::NEVER,
        progress: &|_| {},
        approver: None,
        may_begin: &|| true,
    };
}

impl fmt::Debug for CallControl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallControl")
            .field("asks", &self.approver.is_some())
            .finish_non_exhaustive()
    }
}
