//! The prompt that the client sends.

use foveal_pricing::tokens::Tokens;
use foveal_transcript::{ClientPrompt, EntryIndex};

use super::system_prompt::SystemPrompt;
use crate::window_tokens::WindowTokens;

/// The prompt that the client sends, with its tokens as planned.
#[derive(Debug, Clone, Default)]
pub(crate) struct PromptWindow {
    /// The part in front of the messages.
    pub(crate) system: SystemPrompt,
    /// The entries that are its messages.
    pub(crate) messages: ClientPrompt,
    /// The token counts of these entries.
    pub(crate) tokens: WindowTokens,
    /// The number of entries in the last request. The client may have removed some of them since.
    pub(crate) sent_len: usize,
}

impl PromptWindow {
    /// Returns the entries, in order.
    pub(crate) fn entries(&self) -> &[EntryIndex] {
        self.messages.entries()
    }

    /// Returns the tokens of the entries that were sent before.
    pub(crate) fn sent_tokens(&self) -> Tokens {
        self.tokens.prefix_tokens(self.sent_len)
    }

    /// Returns the position of an entry, if it is there.
    pub(crate) fn find(&self, index: EntryIndex) -> Option<usize> {
        self.entries().binary_search(&index).ok()
    }

    /// Returns the position of an entry, or the one where it would be inserted.
    pub(crate) fn position(&self, index: EntryIndex) -> usize {
        self.entries().partition_point(|at| *at < index)
    }

    /// Returns whether an entry is one of the last prompt in front of the client's cut. Changes
    /// behind the cut were caused by the client.
    pub(crate) fn is_before_cut(&self, entry: EntryIndex, cut: Option<usize>) -> bool {
        self.position(entry) < cut.map_or(self.sent_len, |cut| cut.min(self.sent_len))
    }

    /// Returns the first position that is new, cut or holds one of `changed`.
    pub(crate) fn first_changed_position(
        &self,
        cut: Option<usize>,
        changed: impl IntoIterator<Item = EntryIndex>,
    ) -> usize {
        let changed = changed.into_iter().min().map(|first| self.position(first));
        [cut, changed].into_iter().flatten().fold(self.sent_len, usize::min)
    }
}
