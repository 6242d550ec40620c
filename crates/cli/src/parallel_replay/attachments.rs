//! Counts images, documents and other parts of prompts without text. Their tokens are not counted,
//! so that the summary names them.

use std::collections::BTreeMap;
use std::fmt;

use foveal_transcript::{
    ContentBlock, PARTIAL_READ_KIND, RecordedSession, SUB_AGENT_REFERENCE_KIND,
};

use crate::numbers::format_plural;

/// The most kinds that are named.
const KINDS_MAX: usize = 5;

/// Parts without text, by the kind that the recording gives them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Attachments {
    kinds: BTreeMap<String, u64>,
    /// The total size of the recorded parts, in bytes.
    bytes: u64,
}

impl Attachments {
    /// Adds the attachments of a session. Reasoning is not counted: it is no part of later prompts.
    pub(crate) fn add(&mut self, session: &RecordedSession) {
        let entries = session.conversations.iter().flat_map(|one| one.entries());
        for block in entries.flat_map(|entry| &entry.blocks) {
            let ContentBlock::Opaque { kind, raw } = block else { continue };
            let is_said_of_it =
                [PARTIAL_READ_KIND, SUB_AGENT_REFERENCE_KIND, "reasoning"].contains(&&**kind);
            let is_sent = !is_said_of_it && !kind.contains("thinking");
            if is_sent {
                *self.kinds.entry(kind.clone()).or_default() += 1;
                self.bytes += raw.len() as u64;
            }
        }
    }

    /// Adds the attachments of another file.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (kind, count) in &other.kinds {
            *self.kinds.entry(kind.clone()).or_default() += count;
        }
        self.bytes += other.bytes;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }
}

impl fmt::Display for Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count: u64 = self.kinds.values().sum();
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let named = kinds.iter().take(KINDS_MAX).map(|(kind, count)| format!("{kind} {count}"));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = if kinds.len() > KINDS_MAX { ", …" } else { "" };
        let parts = format_plural(count, "attachment");
        let are = if count == 1 { "is" } else { "are" };
        write!(
            f,
            "{parts} without text ({named}{more}; {} kB) {are} not counted",
            self.bytes.div_ceil(1000)
        )
    }
}
