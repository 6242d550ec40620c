//! Writes that a kill interrupted, and the notes about them for the model.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::notes::AnswerNote;
use foveal_workspace::{RecoveredWrite, RecoveryOutcome};

/// Most notes that wait for the next answer; notes beyond are dropped.
const NOTES_MAX: usize = 20;

/// The notes on interrupted writes that the model has not received yet.
#[derive(Debug, Default)]
pub(crate) struct InterruptedWrites(Mutex<Vec<AnswerNote>>);

impl InterruptedWrites {
    /// Queues a note on a recovered write for the model, and returns the message for the user.
    pub(crate) fn record_recovery(&self, found: RecoveredWrite) -> String {
        let files = quoted_list(found.files);
        let note = match found.how {
            RecoveryOutcome::RolledBack => AnswerNote::CutOffTakenBack { files },
            RecoveryOutcome::LeftAsFound { kept } => {
                let kept = quoted_list(kept.iter().map(|path| path.display().to_string()));
                AnswerNote::CutOffLeft { files, kept }
            }
        };
        let text = note.to_string();
        let mut waiting = self.lock_notes();
        if waiting.len() < NOTES_MAX {
            waiting.push(note);
        }
        text.trim_matches(['[', ']']).to_owned()
    }

    /// Takes the notes that the model has not received yet.
    pub(crate) fn take_notes(&self) -> Vec<AnswerNote> {
        std::mem::take(&mut *self.lock_notes())
    }

    fn lock_notes(&self) -> MutexGuard<'_, Vec<AnswerNote>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn quoted_list(paths: impl IntoIterator<Item = String>) -> Box<str> {
    let quoted: Vec<String> = paths.into_iter().map(|path| format!("`{path}`")).collect();
    quoted.join(", ").into()
}
