//! Approval questions on the chat's screen.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use foveal_agent_runtime::{ApprovalPrompt, UserPrompter};
use foveal_tools::call_control::Approval;
use foveal_tui::{ChatInput, PermissionAnswer, PermissionQuestion};

use super::chat_event::ChatEvent;

/// The interval at which an open question checks whether it is over.
const QUESTION_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Returns a prompter that shows its questions in the chat, by events to `arrived`.
pub(super) fn screen_prompter(arrived: SyncSender<ChatEvent>) -> Box<UserPrompter> {
    let last = AtomicU64::new(0);
    Box::new(move |asked: &ApprovalPrompt<'_>, is_over: &dyn Fn() -> bool| {
        let number = last.fetch_add(1, Ordering::SeqCst) + 1;
        let question = PermissionQuestion {
            number,
            tool: asked.tool.to_owned(),
            subject: asked.subject.clone(),
            reason: asked.reason.map(str::to_owned),
            sub_agent: asked.sub_agent.map(str::to_owned),
            diff: asked.diff.clone(),
            permanent_grant: asked.permanent_grant.clone(),
        };
        let (sender, answers) = sync_channel(1);
        if arrived.send(ChatEvent::ApprovalQuestion(question, sender)).is_err() {
            return Approval::No;
        }
        loop {
            match answers.recv_timeout(QUESTION_POLL_INTERVAL) {
                Ok(approval) => return approval,
                Err(RecvTimeoutError::Disconnected) => return Approval::No,
                Err(RecvTimeoutError::Timeout) if is_over() => {
                    drop(arrived.send(ChatEvent::Input(ChatInput::QuestionWithdrawn(number))));
                    return Approval::No;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })
}

/// Converts the answer on the screen.
pub(super) fn approval_from_permission(permission: PermissionAnswer) -> Approval {
    match permission {
        PermissionAnswer::Once => Approval::Once,
        PermissionAnswer::Session => Approval::Session,
        PermissionAnswer::Always => Approval::Always,
        PermissionAnswer::Deny => Approval::No,
    }
}
