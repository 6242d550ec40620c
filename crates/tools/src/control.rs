//! What the caller of a tool may do while it runs.

use std::fmt;

use foveal_cancel::Cancel;
use foveal_context::views::ModelWork;

/// How far a call is. `total` is there where it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units in all.
    pub total: Option<u64>,
    /// What is being done, or output as it comes.
    pub message: String,
    /// What a model does that helps with the call. Then the message, where there is one, takes the
    /// place of the one before.
    pub model: Option<ModelWork>,
}

/// What the person is asked before a call that needs their approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The tool.
    pub tool: &'static str,
    /// The path, command or address it is about.
    pub subject: String,
    /// Why it is asked.
    pub reason: String,
}

/// What the person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// This call and no other.
    Once,
    /// Calls like it in this session.
    Session,
    /// Calls like it from now on.
    Always,
    /// No.
    No,
    /// An answer in no form that was asked for. It counts as no.
    Unclear,
}

/// The caller's side of a running call.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Asked often; ends the call soon once it is cancelled.
    pub cancel: &'a Cancel<'a>,
    /// Told how far the call is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Who answers for the person; `None`: nobody can be asked, and what needs an approval is refused.
    pub person: Option<&'a (dyn Fn(&Question) -> Approval + Sync)>,
    /// Asked once all are asked whose approval the call needs, and before anything is done: whether it
    /// may begin. A call that may not ends as one that is stopped. Of a call that consists of others
    /// each asks.
    pub begins: &'a (dyn Fn() -> bool + Sync),
}

impl Control<'_> {
    /// Never stops, tells nobody, asks nobody.
    pub const NONE: Control<'static> =
        Control { cancel: &Cancel::NEVER, progress: &|_| {}, person: None, begins: &|| true };
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("asks", &self.person.is_some()).finish_non_exhaustive()
    }
}
