//! Events from the terminal, the agent and the approval dialog.

use std::sync::mpsc::SyncSender;

use foveal_agent::RunOutcome;
use foveal_tools::call_control::Approval;
use foveal_tui::{ChatInput, PermissionQuestion};

/// Events that the queue holds at most. Senders wait while it is full.
pub(super) const CHAT_EVENTS_MAX: usize = 4_096;

/// An event for the chat's event loop.
pub(super) enum ChatEvent {
    /// An input of the chat's state machine.
    Input(ChatInput),
    /// The size of the terminal has changed.
    Resized,
    /// A question to the user, and the sender for the answer.
    ApprovalQuestion(PermissionQuestion, SyncSender<Approval>),
    /// The agent with this number has ended.
    AgentEnded(u32, anyhow::Result<RunOutcome>),
    /// The terminal is gone.
    TerminalGone,
}
