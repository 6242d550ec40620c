//! Writes that were cut off by a kill, and what the model is told of them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use foveal_context::note::{AnswerNote, Note};
use foveal_files::{Recovered, RecoveredHow};

/// Notes that wait for an answer to stand before; of more the first are enough.
const NOTES_MAX: usize = 20;

/// What was found of writes that were cut off, and the model was not told yet.
#[derive(Debug, Default)]
pub(crate) struct CutOff(Mutex<Vec<AnswerNote>>);

impl CutOff {
    /// Takes in what was found; what to tell the person.
    pub(crate) fn found(&self, found: Recovered) -> String {
        let files = listed(found.files);
        let note = match found.how {
            RecoveredHow::TakenBack => AnswerNote::CutOffTakenBack { files },
            RecoveredHow::Left { kept } => {
                let kept = listed(kept.iter().map(|path| path.display().to_string()));
                AnswerNote::CutOffLeft { files, kept }
            }
        };
        let text = Note::from(note.clone()).to_string();
        let mut waiting = self.waiting();
        if waiting.len() < NOTES_MAX {
            waiting.push(note);
        }
        text.trim_matches(['[', ']']).to_owned()
    }

    /// What the model was not told yet.
    pub(crate) fn take(&self) -> Vec<AnswerNote> {
        std::mem::take(&mut *self.waiting())
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<AnswerNote>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn listed(paths: impl IntoIterator<Item = String>) -> Box<str> {
    let quoted: Vec<String> = paths.into_iter().map(|path| format!("`{path}`")).collect();
    quoted.join(", ").into()
}
