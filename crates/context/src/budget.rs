//! Budgets and accounting: how many tokens a prompt may have, and where they are.

use std::collections::HashMap;

use crate::lines::printed_lines;
use crate::placement::read_files::ReadFiles;
use crate::tokens::{Tokenizer, Tokens};
use foveal_effects::effect_of;
use foveal_transcript::{Conversation, EntryIndex, OpenCalls, Role};

/// Token limits of a prompt: at the high mark something is removed, down to the low mark.
/// Two marks, so that removing is rare: each time breaks the provider's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
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

impl Budget {
    /// A budget that acts at `high` tokens and stops at `low`.
    ///
    /// # Errors
    /// [`BudgetError`] unless `low` is below `high`.
    pub fn new(high: Tokens, low: Tokens) -> Result<Self, BudgetError> {
        if low < high { Ok(Self { high, low }) } else { Err(BudgetError { high, low }) }
    }

    /// The size at which something is removed.
    pub fn high(&self) -> Tokens {
        self.high
    }

    /// The size at which removing stops.
    pub fn low(&self) -> Tokens {
        self.low
    }

    /// Whether a prompt of `total` tokens has to shrink.
    pub fn is_reached(&self, total: Tokens) -> bool {
        total >= self.high
    }
}

/// The longest prompt of a model, in tokens as they are counted here. The model's server counts with
/// another vocabulary, and adds what its format takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowLimit {
    high: Tokens,
    tokens_max: Tokens,
}

/// Thousandths of a window at which a rewrite is due: the rest is room for an answer and for what
/// the next request brings.
const HIGH_THOUSANDTHS: f64 = 900.0;

/// Thousandths of a window that a prompt may have: the count is an estimate.
const MOST_THOUSANDTHS: f64 = 970.0;

/// No vocabulary makes fewer tokens of a text, by far.
const SCALE_MIN: f64 = 0.5;

impl WindowLimit {
    /// The limit for a window of so many tokens of the model's own, of which its server counts
    /// `scale` where one is counted here.
    pub fn new(window: Tokens, scale: f64) -> Self {
        let counted = window.0 as f64 / (scale.max(SCALE_MIN) * 1_000.0);
        let part = |thousandths: f64| Tokens((counted * thousandths) as u64);
        Self { high: part(HIGH_THOUSANDTHS), tokens_max: part(MOST_THOUSANDTHS) }
    }

    /// The limit with prompts of at most so many tokens.
    #[must_use]
    pub fn at_most(self, tokens: Tokens) -> Self {
        let high = Tokens((tokens.0 as f64 * HIGH_THOUSANDTHS / MOST_THOUSANDTHS) as u64);
        Self { high: self.high.min(high), tokens_max: self.tokens_max.min(tokens) }
    }

    /// Tokens that a prompt may have.
    pub fn tokens_max(&self) -> Tokens {
        self.tokens_max
    }

    /// A high mark that the window allows, and a low one that stands below it by the same share.
    pub fn lower(&self, high: Tokens, low: Tokens) -> (Tokens, Tokens) {
        if high <= self.high {
            return (high, low);
        }
        let low = low.0 as f64 * self.high.0 as f64 / high.0.max(1) as f64;
        (self.high, Tokens(low as u64))
    }
}

/// Where a conversation's tokens are: by entry, and by the file whose content they show.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Accounting {
    entries: Vec<Tokens>,
    files: Vec<(String, Tokens)>,
    position: HashMap<String, usize>,
}

impl Accounting {
    /// The account of every entry of `conversation`, as recorded. A file's tokens are those
    /// of the lines that results show of it, gutters included; calls and messages that only
    /// name a file do not count for it.
    pub fn of(conversation: &Conversation, tokenizer: Tokenizer) -> Self {
        let mut account = Self::default();
        let mut open = OpenCalls::default();
        let mut directory = conversation.directory.clone();
        for entry in conversation.entries() {
            account.entries.push(tokenizer.count(&entry.prompt_text()));
            if entry.role == Role::Assistant {
                open.begin_response();
            }
            for call in entry.calls() {
                let effect = effect_of(call, directory.as_deref());
                directory = effect.directory_after.clone().or(directory);
                open.insert(call, effect);
            }
            let Some(result) = entry.result() else { continue };
            let effect = open.take(result);
            if let Some(read) = ReadFiles::parse(&result.content) {
                for file in read.files() {
                    account.add_file(file.path, tokenizer.count(file.content.unwrap_or_default()));
                }
            } else if let Some(effect) = effect {
                let printed = printed_lines(&result.content, &effect);
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
        if let Some(position) = self.position.get(path) {
            self.files[*position].1 += tokens;
        } else {
            self.position.insert(path.to_owned(), self.files.len());
            self.files.push((path.to_owned(), tokens));
        }
    }

    /// Tokens of the entry; 0 for an index that is not one of the conversation's.
    pub fn entry(&self, index: EntryIndex) -> Tokens {
        self.entries.get(index.at()).copied().unwrap_or_default()
    }

    /// Tokens of the content shown of `path`, over all entries; 0 if nothing was shown.
    pub fn file(&self, path: &str) -> Tokens {
        self.position.get(path).map(|position| self.files[*position].1).unwrap_or_default()
    }

    /// Files with their tokens, in the order in which they were first shown.
    pub fn files(&self) -> &[(String, Tokens)] {
        &self.files
    }

    /// Tokens of all entries.
    pub fn total(&self) -> Tokens {
        self.entries.iter().copied().sum()
    }
}

#[cfg(test)]
mod tests;
