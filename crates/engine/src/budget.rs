//! Token budgets and accounting: the limits of a prompt, and the tokens of its parts.

use std::collections::HashMap;

use crate::lines::parse_result_lines;
use crate::placement::read_files::ReadFilesResult;
use crate::tokens::{Tokenizer, Tokens};
use foveal_tool_effects::call_effect;
use foveal_transcript::{Conversation, EntryIndex, MessageRole, OpenCalls};

/// Token limits of a prompt: at the high mark contents are removed, down to the low mark. Two marks
/// make removals rare, since each one breaks the provider's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetMarks {
    high: Tokens,
    low: Tokens,
}

/// The marks of a budget contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the low mark ({}) must be below the high mark ({})", low.0, high.0)]
pub struct BudgetError {
    high: Tokens,
    low: Tokens,
}

impl BudgetMarks {
    /// Creates a budget that acts at `high` tokens and stops at `low`.
    ///
    /// # Errors
    /// [`BudgetError`] unless `low` is below `high`.
    pub fn new(high: Tokens, low: Tokens) -> Result<Self, BudgetError> {
        if low < high { Ok(Self { high, low }) } else { Err(BudgetError { high, low }) }
    }

    /// Returns the size at which contents are removed.
    pub fn high(&self) -> Tokens {
        self.high
    }

    /// Returns the size at which the removal stops.
    pub fn low(&self) -> Tokens {
        self.low
    }

    /// Returns whether a prompt of `total` tokens has to shrink.
    pub fn needs_reduction(&self, total: Tokens) -> bool {
        total >= self.high
    }
}

/// The longest prompt of a model, in tokens as counted here. The model's server counts with another
/// vocabulary and adds the tokens of its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowLimit {
    high: Tokens,
    tokens_max: Tokens,
}

/// Thousandths of a window at which a rewrite is due. The rest is for the answer and for new
/// entries of the next request.
const HIGH_THOUSANDTHS: f64 = 900.0;

/// Thousandths of a window that a prompt may have, since the count is an estimate.
const MOST_THOUSANDTHS: f64 = 970.0;

/// A lower bound of the ratio between two vocabularies; no real one comes close.
const SCALE_MIN: f64 = 0.5;

impl WindowLimit {
    /// Returns the limit for a window of `window` tokens of the model's vocabulary; `scale` is the
    /// number of its tokens per token counted here.
    pub fn new(window: Tokens, scale: f64) -> Self {
        let counted = window.0 as f64 / (scale.max(SCALE_MIN) * 1_000.0);
        let part = |thousandths: f64| Tokens((counted * thousandths) as u64);
        Self { high: part(HIGH_THOUSANDTHS), tokens_max: part(MOST_THOUSANDTHS) }
    }

    /// Limits prompts to at most `tokens`.
    #[must_use]
    pub fn cap_tokens(self, tokens: Tokens) -> Self {
        let high = Tokens((tokens.0 as f64 * HIGH_THOUSANDTHS / MOST_THOUSANDTHS) as u64);
        Self { high: self.high.min(high), tokens_max: self.tokens_max.min(tokens) }
    }

    /// Returns the most tokens that a prompt may have.
    pub fn tokens_max(&self) -> Tokens {
        self.tokens_max
    }

    /// Returns a high mark that the window allows, and a low mark scaled by the same factor.
    pub fn clamp_marks(&self, high: Tokens, low: Tokens) -> (Tokens, Tokens) {
        if high <= self.high {
            return (high, low);
        }
        let low = low.0 as f64 * self.high.0 as f64 / high.0.max(1) as f64;
        (self.high, Tokens(low as u64))
    }
}

/// The tokens of a conversation by entry, and by the file whose content they show.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TokenAccounting {
    entries: Vec<Tokens>,
    files: Vec<(String, Tokens)>,
    file_positions: HashMap<String, usize>,
}

impl TokenAccounting {
    /// Counts every entry of `conversation` as recorded. A file's tokens are those of its lines in
    /// results, gutters included; calls and messages that only name a file do not count for it.
    pub fn from_conversation(conversation: &Conversation, tokenizer: Tokenizer) -> Self {
        let mut account = Self::default();
        let mut open = OpenCalls::default();
        let mut directory = conversation.directory.clone();
        for entry in conversation.entries() {
            account.entries.push(tokenizer.count(&entry.prompt_text()));
            if entry.role == MessageRole::Assistant {
                open.begin_response();
            }
            for call in entry.tool_calls() {
                let effect = call_effect(call, directory.as_deref());
                directory = effect.directory_after.clone().or(directory);
                open.insert(call, effect);
            }
            let Some(result) = entry.tool_result() else { continue };
            let effect = open.take(result);
            if let Some(read) = ReadFilesResult::parse(&result.content) {
                for file in read.files() {
                    account.add_file(file.path, tokenizer.count(file.content.unwrap_or_default()));
                }
            } else if let Some(effect) = effect {
                let printed = parse_result_lines(&result.content, &effect);
                let mut shown = vec![String::new(); printed.paths.len()];
                for line in &printed.lines {
                    if let Some(text) = line.path.and_then(|path| shown.get_mut(path as usize)) {
                        text.push_str(
                            &result.content[line.whole.start as usize..line.whole.end as usize],
                        );
                        text.push('\n');
                    }
                }
                for (path, text) in printed.paths.iter().zip(&shown) {
                    account.add_file(path, tokenizer.count(text));
                }
            }
        }
        account
    }

    fn add_file(&mut self, path: &str, tokens: Tokens) {
        if let Some(position) = self.file_positions.get(path) {
            self.files[*position].1 += tokens;
        } else {
            self.file_positions.insert(path.to_owned(), self.files.len());
            self.files.push((path.to_owned(), tokens));
        }
    }

    /// Returns the tokens of an entry; 0 for an unknown index.
    pub fn entry_tokens(&self, index: EntryIndex) -> Tokens {
        self.entries.get(index.as_usize()).copied().unwrap_or_default()
    }

    /// Returns the tokens of the content shown of `path`, over all entries; 0 if none was shown.
    pub fn file_tokens(&self, path: &str) -> Tokens {
        self.file_positions.get(path).map(|position| self.files[*position].1).unwrap_or_default()
    }

    /// Returns the files with their tokens, in the order in which they were first shown.
    pub fn files(&self) -> &[(String, Tokens)] {
        &self.files
    }

    /// Returns the tokens of all entries.
    pub fn total(&self) -> Tokens {
        self.entries.iter().copied().sum()
    }
}

#[cfg(test)]
mod tests;
