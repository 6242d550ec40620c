//! What a model does that helps with a call, as progress of that call.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use foveal_context::views::{ChosenBy, ModelWork};

use crate::control::Progress;

/// The least time between two messages that say the same with another time.
const MESSAGE_PAUSE: Duration = Duration::from_millis(500);

/// One call that a model helps with: it chooses what is shown of a file.
#[derive(Debug)]
pub struct Helping {
    /// What the file is called.
    path: String,
    begun: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    done: u64,
    /// What was said last, and when.
    said: Option<(&'static str, Instant)>,
}

impl Helping {
    /// A model is about to be asked what is shown of the file at `path`.
    pub fn with(path: &str) -> Self {
        Self { path: path.to_owned(), begun: Instant::now(), state: Mutex::default() }
    }

    /// What is told of this. The message is empty where the one before still holds.
    pub fn progress(&self, work: ModelWork) -> Progress {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (does, piece) = match &work {
            ModelWork::Waits => ("is waited for", 0),
            ModelWork::Thinks(piece) => ("thinks", piece.len()),
            ModelWork::Answers(piece) => ("answers", piece.len()),
            ModelWork::Chose(_) | ModelWork::LeftOut(_) => ("", 0),
        };
        state.done += (piece as u64).max(1);
        let message = match &work {
            ModelWork::Chose(by) => chosen(&self.path, by),
            ModelWork::LeftOut(why) => {
                format!("curating {}: {why}; the built-in curator chooses", self.path)
            }
            ModelWork::Waits | ModelWork::Thinks(_) | ModelWork::Answers(_) => {
                let now = Instant::now();
                let holds = state.said.is_some_and(|(said, at)| {
                    said == does && now.duration_since(at) < MESSAGE_PAUSE
                });
                match holds {
                    true => String::new(),
                    false => {
                        state.said = Some((does, now));
                        let seconds = self.begun.elapsed().as_secs_f64();
                        format!("curating {}: the model {does}, {seconds:.1} s", self.path)
                    }
                }
            }
        };
        Progress { done: state.done, total: None, message, model: Some(work) }
    }
}

/// What is told once a model has chosen.
fn chosen(path: &str, by: &ChosenBy) -> String {
    let ChosenBy { model, time_ms, tokens, lines, lines_kept, thinking } = by;
    let (kept, all) = (apart(u64::from(*lines_kept)), apart(u64::from(*lines)));
    let seconds = *time_ms as f64 / 1e3;
    let mut text = format!("{path} curated by {model}: {kept} of {all} lines, {seconds:.1} s");
    if *tokens > 0 {
        text.push_str(&format!(", {} tokens", apart(*tokens)));
    }
    if let Some(thinking) = thinking {
        text.push_str(&format!("; its thinking: foveal expand {thinking}"));
    }
    text
}

/// A number with its thousands apart: `1,200`.
fn apart(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use foveal_transcript::Handle;

    #[test]
    fn what_a_model_does_is_told_and_rises() {
        let helping = Helping::with("app.rs");
        let thinks = |piece: &str| ModelWork::Thinks(piece.to_owned());
        let first = helping.progress(thinks("I look"));
        assert_eq!(first.message, "curating app.rs: the model thinks, 0.0 s");
        // The piece goes on; what is said of it still holds.
        let second = helping.progress(thinks(" for it."));
        assert_eq!((second.message.as_str(), second.model), ("", Some(thinks(" for it."))));
        assert!(second.done > first.done);
        let answers = helping.progress(ModelWork::Answers("{".to_owned()));
        assert!(answers.message.contains("the model answers"), "{}", answers.message);
        let thinking = Handle::of(b"I look");
        let by = ChosenBy {
            model: "ollama:qwen3".into(),
            time_ms: 3_210,
            tokens: 2_310,
            lines: 1_200,
            lines_kept: 140,
            thinking: Some(thinking),
        };
        assert_eq!(
            helping.progress(ModelWork::Chose(Box::new(by))).message,
            format!(
                "app.rs curated by ollama:qwen3: 140 of 1,200 lines, 3.2 s, 2,310 tokens; its \
                 thinking: foveal expand {thinking}"
            )
        );
        let left = helping.progress(ModelWork::LeftOut("it took too long".to_owned()));
        assert_eq!(left.message, "curating app.rs: it took too long; the built-in curator chooses");
    }
}
