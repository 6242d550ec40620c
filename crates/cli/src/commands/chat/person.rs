//! Asks the person on the screen.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use foveal_chat::{Input, Permission, Question};
use foveal_tools::control::Approval;

use super::arrived::Arrived;
use crate::commands::own_agent::{Asked, Person};

/// How often it is looked whether a question is over.
const LOOK_UP_TIME: Duration = Duration::from_millis(50);

/// Asks by way of `arrived`.
pub(super) fn person(arrived: SyncSender<Arrived>) -> Box<Person> {
    let last = AtomicU64::new(0);
    Box::new(move |asked: &Asked<'_>, is_over: &dyn Fn() -> bool| {
        let number = last.fetch_add(1, Ordering::SeqCst) + 1;
        let question = Question {
            number,
            tool: asked.tool.to_owned(),
            subject: asked.subject.clone(),
            reason: asked.reason.map(str::to_owned),
            agent: asked.agent.map(str::to_owned),
            diff: asked.change.clone(),
            always: asked.always.clone(),
        };
        let (sender, answers) = sync_channel(1);
        if arrived.send(Arrived::Question(question, sender)).is_err() {
            return Approval::No;
        }
        loop {
            match answers.recv_timeout(LOOK_UP_TIME) {
                Ok(approval) => return approval,
                Err(RecvTimeoutError::Disconnected) => return Approval::No,
                Err(RecvTimeoutError::Timeout) if is_over() => {
                    drop(arrived.send(Arrived::Input(Input::QuestionOver(number))));
                    return Approval::No;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })
}

/// What is made of the answer on the screen.
pub(super) fn approval(permission: Permission) -> Approval {
    match permission {
        Permission::Once => Approval::Once,
        Permission::Session => Approval::Session,
        Permission::Always => Approval::Always,
        Permission::Deny => Approval::No,
    }
}
