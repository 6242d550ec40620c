//! The work of a model that helps with a call, as progress of that call.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use foveal_engine::views::{CurationProgress, CurationRecord};
use foveal_screen::numbers::format_count;

use crate::call_control::CallProgress;

/// The shortest time between two messages that differ only in the elapsed time.
const MESSAGE_PAUSE: Duration = Duration::from_millis(500);

/// A call for which a model chooses the shown lines of a file.
#[derive(Debug)]
pub struct ModelProgress {
    /// The path of the file in messages.
    path: String,
    started: Instant,
    state: Mutex<ModelProgressState>,
}

#[derive(Debug, Default)]
struct ModelProgressState {
    done: u64,
    /// The last message's kind, and its time.
    last_message: Option<(&'static str, Instant)>,
}

impl ModelProgress {
    /// Creates the progress of a model that is to curate the file at `path`.
    pub fn new(path: &str) -> Self {
        Self { path: path.to_owned(), started: Instant::now(), state: Mutex::default() }
    }

    /// Returns the progress of the call after this work. The message is empty while the previous
    /// one still holds.
    pub fn to_call_progress(&self, work: CurationProgress) -> CallProgress {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (does, piece) = match &work {
            CurationProgress::Waits => ("is waited for", 0),
            CurationProgress::Thinks(piece) => ("thinks", piece.len()),
            CurationProgress::Answers(piece) => ("answers", piece.len()),
            CurationProgress::Chose(_) | CurationProgress::LeftOut(_) => ("", 0),
        };
        state.done += (piece as u64).max(1);
        let message = match &work {
            CurationProgress::Chose(by) => choice_message(&self.path, by),
            CurationProgress::LeftOut(why) => {
                format!("curating {}: {why}; the built-in curator chooses", self.path)
            }
            CurationProgress::Waits
            | CurationProgress::Thinks(_)
            | CurationProgress::Answers(_) => {
                let now = Instant::now();
                let holds = state.last_message.is_some_and(|(said, at)| {
                    said == does && now.duration_since(at) < MESSAGE_PAUSE
                });
                match holds {
                    true => String::new(),
                    false => {
                        state.last_message = Some((does, now));
                        let seconds = self.started.elapsed().as_secs_f64();
                        format!("curating {}: the model {does}, {seconds:.1} s", self.path)
                    }
                }
            }
        };
        CallProgress { done: state.done, total: None, message, model: Some(work) }
    }
}

/// Returns the message after a model's choice.
fn choice_message(path: &str, by: &CurationRecord) -> String {
    let CurationRecord { model, time_ms, tokens, lines, lines_kept, thinking } = by;
    let (kept, all) = (format_count(u64::from(*lines_kept)), format_count(u64::from(*lines)));
    let seconds = *time_ms as f64 / 1e3;
    let mut text = format!("{path} curated by {model}: {kept} of {all} lines, {seconds:.1} s");
    if *tokens > 0 {
        text.push_str(&format!(", {} tokens", format_count(*tokens)));
    }
    if let Some(thinking) = thinking {
        text.push_str(&format!("; its thinking: foveal expand {thinking}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use foveal_transcript::Handle;

    #[test]
    fn what_a_model_does_is_told_and_rises() {
        let helping = ModelProgress::new("app.rs");
        let thinks = |piece: &str| CurationProgress::Thinks(piece.to_owned());
        let first = helping.to_call_progress(thinks("I look"));
        assert_eq!(first.message, "curating app.rs: the model thinks, 0.0 s");
        // The message of the previous piece still holds.
        let second = helping.to_call_progress(thinks(" for it."));
        assert_eq!((second.message.as_str(), second.model), ("", Some(thinks(" for it."))));
        assert!(second.done > first.done);
        let answers = helping.to_call_progress(CurationProgress::Answers("{".to_owned()));
        assert!(answers.message.contains("the model answers"), "{}", answers.message);
        let thinking = Handle::from_content(b"I look");
        let by = CurationRecord {
            model: "ollama:qwen3".into(),
            time_ms: 3_210,
            tokens: 2_310,
            lines: 1_200,
            lines_kept: 140,
            thinking: Some(thinking),
        };
        assert_eq!(
            helping.to_call_progress(CurationProgress::Chose(Box::new(by))).message,
            format!(
                "app.rs curated by ollama:qwen3: 140 of 1 200 lines, 3.2 s, 2 310 tokens; its \
                 thinking: foveal expand {thinking}"
            )
        );
        let left =
            helping.to_call_progress(CurationProgress::LeftOut("it took too long".to_owned()));
        assert_eq!(left.message, "curating app.rs: it took too long; the built-in curator chooses");
    }
}
