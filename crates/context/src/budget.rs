//! Budgets and accounting: how many tokens a prompt may have, and where they are.

use std::collections::HashMap;

use crate::lines::printed_lines;
use crate::placement::read_files::ReadFiles;
use crate::tokens::{Tokenizer, Tokens};
use foveal_effects::effect_of;
use foveal_transcript::{Conversation, EntryIndex};

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
        let mut effects = HashMap::new();
        let mut directory = conversation.directory.clone();
        for entry in conversation.entries() {
            account.entries.push(tokenizer.count(&entry.prompt_text()));
            for call in entry.calls() {
                let effect = effect_of(call, directory.as_deref());
                directory = effect.directory_after.clone().or(directory);
                effects.insert(call.id.as_str(), effect);
            }
            let Some(result) = entry.result() else { continue };
            if let Some(read) = ReadFiles::parse(&result.content) {
                for file in read.files() {
                    account.add_file(file.path, tokenizer.count(file.content.unwrap_or_default()));
                }
            } else if let Some(effect) = effects.get(result.call.as_str()) {
                let printed = printed_lines(&result.content, effect);
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
mod tests {
    use super::*;
    use crate::placement::tests::conversation;
    use foveal_transcript::Block;

    #[test]
    fn the_low_mark_is_below_the_high_mark() {
        let budget = Budget::new(Tokens(100), Tokens(60)).expect("60 is below 100");
        assert!(!budget.is_reached(Tokens(99)));
        assert!(budget.is_reached(Tokens(100)));
        let error = Budget::new(Tokens(60), Tokens(60)).expect_err("equal marks");
        assert_eq!(error.to_string(), "the low mark (60) must be below the high mark (60)");
    }

    #[test]
    fn tokens_are_counted_by_entry_and_by_file() {
        let conversation = conversation(&[
            r#"{"type":"read_files","files":[{"path":"b.rs","content":"one two"},{"path":"a.rs","content":"three"}]}"#,
            r#"{"type":"read_files","files":[{"path":"b.rs","content":"four"},{"path":"c.rs","truncated":true}]}"#,
        ]);
        let count = |text| Tokenizer::O200k.count(text);
        let account = Accounting::of(&conversation, Tokenizer::O200k);
        assert_eq!(
            account.files(),
            [
                ("b.rs".to_owned(), count("one two") + count("four")),
                ("a.rs".to_owned(), count("three")),
                ("c.rs".to_owned(), Tokens(0)),
            ]
        );
        assert_eq!(account.file("a.rs"), count("three"));
        assert_eq!(account.file("d.rs"), Tokens(0));
        let by_entry: Tokens =
            (0..conversation.entries().len() as u32).map(|i| account.entry(EntryIndex(i))).sum();
        assert_eq!(by_entry, account.total());
        assert_eq!(account.entry(EntryIndex(99)), Tokens(0));
        assert_eq!(account.entry(EntryIndex(1)), count(&conversation.entries()[1].prompt_text()));
    }

    #[test]
    fn lines_that_other_tools_print_count_for_their_file() {
        let conversation = conversation(&["     1\tone\n     2\ttwo"]).edited(|entry| {
            for block in &mut entry.blocks {
                if let Block::Call(call) = block {
                    call.name = "Read".to_owned();
                    call.arguments = serde_json::json!({"file_path": "/w/a.rs"});
                }
            }
        });
        let account = Accounting::of(&conversation, Tokenizer::O200k);
        let shown = Tokenizer::O200k.count("     1\tone\n     2\ttwo\n");
        assert_eq!(account.files(), [("/w/a.rs".to_owned(), shown)]);
    }
}
