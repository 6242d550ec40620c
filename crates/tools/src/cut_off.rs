//! Writes that were cut off by a kill, and who is told of them.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foveal_context::note::{AnswerNote, Note};
use foveal_files::{Recovered, RecoveredHow};

/// Notes that wait for an answer to stand before; of more the first are enough.
const NOTES_MAX: usize = 20;

type Tell = Box<dyn Fn(&str) + Send + Sync>;

/// What was found of writes that were cut off: a person is told at once, the model with its next
/// answer.
#[derive(Default)]
pub struct CutOff {
    tell: Option<Tell>,
    waiting: Mutex<Vec<AnswerNote>>,
}

impl CutOff {
    /// Has `tell` told what was found, from whatever thread.
    pub fn telling(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { tell: Some(Box::new(tell)), waiting: Mutex::default() }
    }

    pub(crate) fn found(&self, found: Recovered) {
        let files = listed(found.files);
        let note = match found.how {
            RecoveredHow::TakenBack => AnswerNote::CutOffTakenBack { files },
            RecoveredHow::Left { kept } => {
                let kept = listed(kept.iter().map(|path| path.display().to_string()));
                AnswerNote::CutOffLeft { files, kept }
            }
        };
        if let Some(tell) = &self.tell {
            tell(Note::from(note.clone()).to_string().trim_matches(['[', ']']));
        }
        let mut waiting = self.waiting();
        if waiting.len() < NOTES_MAX {
            waiting.push(note);
        }
    }

    /// What the model was not told yet.
    pub(crate) fn take(&self) -> Vec<AnswerNote> {
        std::mem::take(&mut *self.waiting())
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<AnswerNote>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn listed(paths: impl IntoIterator<Item = String>) -> Box<str> {
    let quoted: Vec<String> = paths.into_iter().map(|path| format!("`{path}`")).collect();
    quoted.join(", ").into()
}

impl fmt::Debug for CutOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CutOff").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}
