//! How long prompts may become: windows of models, and how their servers count.
//!
//! A window is known by the model's name, unless its server tells it, or refuses a prompt. How many
//! tokens a server counts for one counted here shows in what it bills.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foveal_context::budget::WindowLimit;
use foveal_context::tokens::Tokens;
use foveal_wire::response::ContextOverflow;

use crate::models::Model;
use crate::request::About;

/// Models and conversations of which something is known, at most.
const KNOWN_MAX: usize = 4_096;

/// Of shorter prompts it does not show how their server counts.
const MEASURED_TOKENS_MIN: u64 = 2_000;

/// Servers count at least and at most so many tokens for one counted here. Some tell only a part
/// of a prompt, and a prompt may be mostly images.
const SCALE_MIN: f64 = 0.9;
const SCALE_MAX: f64 = 4.0;

/// What is left of a prompt that was refused without a number.
const SHRINK: f64 = 0.8;

/// A prompt longer than the window that a name tells: how much longer the window is taken to be.
const GROWTH: f64 = 1.25;

/// What is known of all of them.
#[derive(Debug, Default)]
pub(crate) struct Windows(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// By the names of upstream and model.
    models: HashMap<(String, String), ModelWindow>,
    conversations: HashMap<String, PromptCount>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ModelWindow {
    tokens: Option<Tokens>,
    scale: Option<f64>,
    /// Whether its server refused a prompt for the answer that was to come.
    counts_answer: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct PromptCount {
    scale: Option<f64>,
    /// The longest prompt, as counted here, where a shorter one was refused without a number.
    tokens_max: Option<Tokens>,
    /// Whether the last prompt was refused, so that it is decided about anew.
    is_refused: bool,
}

impl Windows {
    /// The window of a model, in its own tokens.
    pub(crate) fn window(&self, upstream: &str, name: &str, model: &Model) -> Tokens {
        let key = (upstream.to_owned(), name.to_owned());
        let known = self.lock().models.get(&key).and_then(|known| known.tokens);
        known.unwrap_or(model.window)
    }

    /// How long the next prompt of a conversation may be, where an answer of `answer` tokens is asked
    /// for.
    pub(crate) fn limit(
        &self,
        upstream: &str,
        about: &About,
        model: &Model,
        answer: Tokens,
    ) -> WindowLimit {
        let known = self.lock();
        let of_model = known.models.get(&key(upstream, about)).copied().unwrap_or_default();
        let conversation = about.conversation.as_ref();
        let count = conversation.and_then(|name| known.conversations.get(name)).copied();
        let count = count.unwrap_or_default();
        let window = of_model.tokens.unwrap_or(model.window);
        let counts_answer = model.counts_answer || of_model.counts_answer;
        let answer = if counts_answer { answer.min(Tokens(window.0 / 2)) } else { Tokens(0) };
        let scale = count.scale.or(of_model.scale).unwrap_or(model.token_scale);
        let limit = WindowLimit::new(window - answer, scale);
        count.tokens_max.map_or(limit, |tokens| limit.at_most(tokens))
    }

    /// Notes what a server says of a model's window.
    pub(crate) fn learn_window(&self, upstream: &str, model: &str, tokens: Tokens) {
        let key = (upstream.to_owned(), model.to_owned());
        entry(&mut self.lock().models, key).tokens = Some(tokens);
    }

    /// Notes how many tokens a prompt was billed as.
    pub(crate) fn learn_usage(&self, upstream: &str, about: &About, model: &Model, prompt: u64) {
        let Some(name) = about.conversation.clone() else { return };
        let mut known = self.lock();
        let of_model = entry(&mut known.models, key(upstream, about));
        if prompt > of_model.tokens.unwrap_or(model.window).0 {
            of_model.tokens = Some(Tokens((prompt as f64 * GROWTH) as u64));
        }
        let scale = scale(about, prompt);
        of_model.scale = scale.or(of_model.scale);
        let count = entry(&mut known.conversations, name);
        count.scale = scale.or(count.scale);
        count.is_refused = false;
        let fits = |most: &Tokens| about.tokens_sent <= most.0;
        count.tokens_max = count.tokens_max.filter(fits);
    }

    /// Notes that a prompt was refused as too long.
    pub(crate) fn learn_overflow(&self, upstream: &str, about: &About, overflow: ContextOverflow) {
        let Some(name) = about.conversation.clone() else { return };
        let mut known = self.lock();
        if let Some(window) = overflow.window {
            let of_model = entry(&mut known.models, key(upstream, about));
            of_model.tokens = Some(Tokens(window));
            of_model.counts_answer |= overflow.answer.is_some();
        }
        let count = entry(&mut known.conversations, name);
        count.is_refused = true;
        match overflow {
            ContextOverflow { window: Some(_), prompt: Some(prompt), .. } => {
                count.scale = scale(about, prompt).or(count.scale);
            }
            _ => count.tokens_max = Some(Tokens((about.tokens_sent as f64 * SHRINK) as u64)),
        }
    }

    /// Whether the last prompt of a conversation was refused as too long.
    pub(crate) fn is_refused(&self, about: &About) -> bool {
        let name = about.conversation.as_ref();
        let known = self.lock();
        name.and_then(|name| known.conversations.get(name)).is_some_and(|count| count.is_refused)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(upstream: &str, about: &About) -> (String, String) {
    (upstream.to_owned(), about.model.clone().unwrap_or_default())
}

/// Tokens that a server counts for one counted here.
fn scale(about: &About, prompt: u64) -> Option<f64> {
    let is_measured = about.tokens_sent >= MEASURED_TOKENS_MIN;
    is_measured.then(|| (prompt as f64 / about.tokens_sent as f64).clamp(SCALE_MIN, SCALE_MAX))
}

/// What is known under a key. Where there is too much, all is learnt anew.
fn entry<K: Eq + Hash, V: Default>(known: &mut HashMap<K, V>, key: K) -> &mut V {
    if known.len() >= KNOWN_MAX && !known.contains_key(&key) {
        known.clear();
    }
    known.entry(key).or_default()
}

#[cfg(test)]
mod tests {
    use foveal_wire::Protocol;

    use super::*;

    fn about(tokens_sent: u64) -> About {
        let (conversation, model) = (Some("a".to_owned()), Some("m".to_owned()));
        About { conversation, model, tokens_sent, ..About::default() }
    }

    fn tokens_max(windows: &Windows, answer: u64) -> u64 {
        let model = Model::named("gpt-4o", Protocol::Chat);
        windows.limit("", &about(0), &model, Tokens(answer)).tokens_max().0
    }

    #[test]
    fn a_limit_follows_what_is_told() {
        let windows = Windows::default();
        assert_eq!(tokens_max(&windows, 0), 124_160);
        assert_eq!(tokens_max(&windows, 28_000), 124_160);
        windows.learn_window("", "m", Tokens(100_000));
        assert_eq!(tokens_max(&windows, 0), 97_000);
        let model = Model::named("gpt-4o", Protocol::Chat);
        windows.learn_usage("", &about(10_000), &model, 20_000);
        assert_eq!(tokens_max(&windows, 0), 48_500);
        // What was taken fits.
        windows.learn_usage("", &about(80_000), &model, 160_000);
        assert_eq!(tokens_max(&windows, 0), 97_000);
    }

    #[test]
    fn an_answer_that_counts_is_taken_off_the_window_once() {
        let windows = Windows::default();
        let told =
            ContextOverflow { window: Some(8_192), prompt: Some(5_000), answer: Some(4_096) };
        windows.learn_overflow("", &about(5_000), told);
        assert_eq!(tokens_max(&windows, 4_096), 3_973);
        assert_eq!(tokens_max(&windows, 1_000), 6_976);
    }

    #[test]
    fn a_refusal_lowers_the_limit() {
        let windows = Windows::default();
        assert!(!windows.is_refused(&about(0)));
        let told = ContextOverflow { window: Some(32_000), prompt: Some(40_000), answer: None };
        windows.learn_overflow("", &about(20_000), told);
        assert!(windows.is_refused(&about(0)));
        assert_eq!(tokens_max(&windows, 0), 15_520);
        for expected in [8_000, 6_400] {
            let sent = tokens_max(&windows, 0).min(10_000);
            windows.learn_overflow("", &about(sent), ContextOverflow::default());
            assert_eq!(tokens_max(&windows, 0), expected);
        }
        let model = Model::named("gpt-4o", Protocol::Chat);
        windows.learn_usage("", &about(6_000), &model, 12_000);
        assert!(!windows.is_refused(&about(0)));
        assert_eq!(tokens_max(&windows, 0), 6_400);
    }
}
