//! What arrives from the terminal, the agent and those who ask.

use std::sync::mpsc::SyncSender;

use foveal_agent::Outcome;
use foveal_chat::{Input, Question};
use foveal_tools::control::Approval;

/// What waits to be taken, at most. Who has more to tell waits.
pub(super) const ARRIVED_MAX: usize = 4_096;

/// Something that arrived.
pub(super) enum Arrived {
    /// For the chat.
    Input(Input),
    /// The size of the terminal has changed.
    Resized,
    /// The person is asked, and this is who waits for the answer.
    Question(Question, SyncSender<Approval>),
    /// The agent with this number has ended.
    Ended(u32, anyhow::Result<Outcome>),
    /// The terminal is gone.
    Gone,
}
