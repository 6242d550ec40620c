//! The longest prompts of models and conversations.
//!
//! A window follows from the model's name, unless its server reports it or refuses a prompt. The
//! ratio between the server's tokens and those counted here follows from its bills.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foveal_engine::window_limit::WindowLimit;
use foveal_pricing::tokens::Tokens;
use foveal_protocols::response::ContextOverflow;

use crate::models::ModelTraits;
use crate::request::RequestReport;

/// The largest number of models, and of conversations, for which facts are stored.
const ENTRIES_MAX: usize = 4_096;

/// Shorter prompts do not show the ratio between the token counts.
const MEASURED_TOKENS_MIN: u64 = 2_000;

/// The bounds of the ratio between the server's tokens and those counted here. Some servers report
/// only a part of a prompt, and a prompt may be mostly images.
const SCALE_MIN: f64 = 0.9;
const SCALE_MAX: f64 = 4.0;

/// The factor for the next prompt after a refusal that named no number.
const OVERFLOW_SHRINK: f64 = 0.8;

/// The factor between a billed prompt that exceeds the assumed window, and the new window.
const WINDOW_GROWTH: f64 = 1.25;

/// The learned windows of all models and conversations.
#[derive(Debug, Default)]
pub(crate) struct ModelWindows(Mutex<LearnedWindows>);

#[derive(Debug, Default)]
struct LearnedWindows {
    /// By the names of upstream and model.
    models: HashMap<(String, String), ModelWindow>,
    conversations: HashMap<String, ConversationWindow>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ModelWindow {
    tokens: Option<Tokens>,
    scale: Option<f64>,
    /// Whether its server refused a prompt because of the length of the expected answer.
    includes_answer: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct ConversationWindow {
    scale: Option<f64>,
    /// The longest prompt as counted here, after a shorter one was refused without a number.
    tokens_max: Option<Tokens>,
    /// Whether the last prompt was refused, so that it is planned anew.
    has_overflowed: bool,
}

impl ModelWindows {
    /// Returns the window of a model, in its own tokens.
    pub(crate) fn window_tokens(&self, upstream: &str, name: &str, model: &ModelTraits) -> Tokens {
        let key = (upstream.to_owned(), name.to_owned());
        let known = self.lock().models.get(&key).and_then(|known| known.tokens);
        known.unwrap_or(model.window)
    }

    /// Returns the limit on the next prompt of a conversation, if the expected answer has at most
    /// `answer` tokens.
    pub(crate) fn window_limit(
        &self,
        upstream: &str,
        about: &RequestReport,
        model: &ModelTraits,
        answer: Tokens,
    ) -> WindowLimit {
        let known = self.lock();
        let of_model = known.models.get(&model_key(upstream, about)).copied().unwrap_or_default();
        let conversation = about.conversation.as_ref();
        let count = conversation.and_then(|name| known.conversations.get(name)).copied();
        let count = count.unwrap_or_default();
        let window = of_model.tokens.unwrap_or(model.window);
        let counts_answer = model.window_includes_answer || of_model.includes_answer;
        let answer = if counts_answer { answer.min(Tokens(window.0 / 2)) } else { Tokens(0) };
        let scale = count.scale.or(of_model.scale).unwrap_or(model.token_scale);
        let limit = WindowLimit::new(window - answer, scale);
        count.tokens_max.map_or(limit, |tokens| limit.cap_tokens(tokens))
    }

    /// Stores the window that a server reports for a model.
    pub(crate) fn learn_window(&self, upstream: &str, model: &str, tokens: Tokens) {
        let key = (upstream.to_owned(), model.to_owned());
        entry_or_reset(&mut self.lock().models, key).tokens = Some(tokens);
    }

    /// Stores the number of tokens that a prompt was billed as.
    pub(crate) fn learn_usage(
        &self,
        upstream: &str,
        about: &RequestReport,
        model: &ModelTraits,
        prompt: u64,
    ) {
        let Some(name) = about.conversation.clone() else { return };
        let mut known = self.lock();
        let of_model = entry_or_reset(&mut known.models, model_key(upstream, about));
        if prompt > of_model.tokens.unwrap_or(model.window).0 {
            of_model.tokens = Some(Tokens((prompt as f64 * WINDOW_GROWTH) as u64));
        }
        let scale = token_scale(about, prompt);
        of_model.scale = scale.or(of_model.scale);
        let count = entry_or_reset(&mut known.conversations, name);
        count.scale = scale.or(count.scale);
        count.has_overflowed = false;
        let fits = |most: &Tokens| about.tokens_sent <= most.0;
        count.tokens_max = count.tokens_max.filter(fits);
    }

    /// Stores that a prompt was refused as too long.
    pub(crate) fn learn_overflow(
        &self,
        upstream: &str,
        about: &RequestReport,
        overflow: ContextOverflow,
    ) {
        let Some(name) = about.conversation.clone() else { return };
        let mut known = self.lock();
        if let Some(window) = overflow.window {
            let of_model = entry_or_reset(&mut known.models, model_key(upstream, about));
            of_model.tokens = Some(Tokens(window));
            of_model.includes_answer |= overflow.answer.is_some();
        }
        let count = entry_or_reset(&mut known.conversations, name);
        count.has_overflowed = true;
        match overflow {
            ContextOverflow { window: Some(_), prompt: Some(prompt), .. } => {
                count.scale = token_scale(about, prompt).or(count.scale);
            }
            _ => {
                count.tokens_max =
                    Some(Tokens((about.tokens_sent as f64 * OVERFLOW_SHRINK) as u64));
            }
        }
    }

    /// Returns whether the last prompt of a conversation was refused as too long.
    pub(crate) fn has_overflowed(&self, about: &RequestReport) -> bool {
        let name = about.conversation.as_ref();
        let known = self.lock();
        name.and_then(|name| known.conversations.get(name))
            .is_some_and(|count| count.has_overflowed)
    }

    fn lock(&self) -> MutexGuard<'_, LearnedWindows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn model_key(upstream: &str, about: &RequestReport) -> (String, String) {
    (upstream.to_owned(), about.model.clone().unwrap_or_default())
}

/// Returns the server's tokens per token counted here; `None` if the prompt is too short to measure
/// it.
fn token_scale(about: &RequestReport, prompt: u64) -> Option<f64> {
    let is_measured = about.tokens_sent >= MEASURED_TOKENS_MIN;
    is_measured.then(|| (prompt as f64 / about.tokens_sent as f64).clamp(SCALE_MIN, SCALE_MAX))
}

/// Returns the value of a key. If the map is full, it is cleared first.
fn entry_or_reset<K: Eq + Hash, V: Default>(known: &mut HashMap<K, V>, key: K) -> &mut V {
    if known.len() >= ENTRIES_MAX && !known.contains_key(&key) {
        known.clear();
    }
    known.entry(key).or_default()
}

#[cfg(test)]
mod tests {
    use foveal_protocols::Protocol;

    use super::*;

    fn about(tokens_sent: u64) -> RequestReport {
        let (conversation, model) = (Some("a".to_owned()), Some("m".to_owned()));
        RequestReport { conversation, model, tokens_sent, ..RequestReport::default() }
    }

    fn tokens_max(windows: &ModelWindows, answer: u64) -> u64 {
        let model = ModelTraits::from_name("gpt-4o", Protocol::Chat);
        windows.window_limit("", &about(0), &model, Tokens(answer)).tokens_max().0
    }

    #[test]
    fn a_limit_follows_what_is_told() {
        let windows = ModelWindows::default();
        assert_eq!(tokens_max(&windows, 0), 124_160);
        assert_eq!(tokens_max(&windows, 28_000), 124_160);
        windows.learn_window("", "m", Tokens(100_000));
        assert_eq!(tokens_max(&windows, 0), 97_000);
        let model = ModelTraits::from_name("gpt-4o", Protocol::Chat);
        windows.learn_usage("", &about(10_000), &model, 20_000);
        assert_eq!(tokens_max(&windows, 0), 48_500);
        // An accepted prompt fits.
        windows.learn_usage("", &about(80_000), &model, 160_000);
        assert_eq!(tokens_max(&windows, 0), 97_000);
    }

    #[test]
    fn an_answer_that_counts_is_taken_off_the_window_once() {
        let windows = ModelWindows::default();
        let told =
            ContextOverflow { window: Some(8_192), prompt: Some(5_000), answer: Some(4_096) };
        windows.learn_overflow("", &about(5_000), told);
        assert_eq!(tokens_max(&windows, 4_096), 3_973);
        assert_eq!(tokens_max(&windows, 1_000), 6_976);
    }

    #[test]
    fn a_refusal_lowers_the_limit() {
        let windows = ModelWindows::default();
        assert!(!windows.has_overflowed(&about(0)));
        let told = ContextOverflow { window: Some(32_000), prompt: Some(40_000), answer: None };
        windows.learn_overflow("", &about(20_000), told);
        assert!(windows.has_overflowed(&about(0)));
        assert_eq!(tokens_max(&windows, 0), 15_520);
        for expected in [8_000, 6_400] {
            let sent = tokens_max(&windows, 0).min(10_000);
            windows.learn_overflow("", &about(sent), ContextOverflow::default());
            assert_eq!(tokens_max(&windows, 0), expected);
        }
        let model = ModelTraits::from_name("gpt-4o", Protocol::Chat);
        windows.learn_usage("", &about(6_000), &model, 12_000);
        assert!(!windows.has_overflowed(&about(0)));
        assert_eq!(tokens_max(&windows, 0), 6_400);
    }
}
