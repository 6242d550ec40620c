//! The facts of all entries of one conversation, computed once as the entries arrive.

use std::sync::Arc;

use foveal_pricing::tokens::Tokenizer;
use foveal_tool_effects::{Effect, ReadSpan};
use foveal_transcript::{
    ContentHash, EntryIndex, MessageRole, OpenCalls, ToolResult, TranscriptEntry,
};

use super::call::CallFacts;
use super::edits::has_long_text;
use super::entry::{EntryFacts, extract_argument_lines, visible_texts};
use super::file_names::{file_key, for_each_file_name};
use super::line_hash::{LineHash, LineHashMap, LineId};
use crate::entry_size::EntrySize;
use crate::lines::{
    ExcerptSource, PriorShaping, count_reuse_note_lines, has_note_handle, parse_result_lines,
};

/// The facts of each entry, and the state that the next entry's facts depend on.
#[derive(Debug, Clone)]
pub(crate) struct FactTable {
    tokenizer: Tokenizer,
    facts: Vec<EntryFacts>,
    open_calls: OpenCalls<Arc<CallFacts>>,
    directory: Option<String>,
    ids: LineHashMap<LineId>,
}

impl FactTable {
    /// Creates an empty table. `directory` is the agent's initial folder, if known.
    pub(crate) fn new(tokenizer: Tokenizer, directory: Option<&str>) -> Self {
        Self {
            tokenizer,
            facts: Vec::new(),
            open_calls: OpenCalls::default(),
            directory: directory.map(str::to_owned),
            ids: LineHashMap::default(),
        }
    }

    /// Sets the folder that relative paths of the next calls start from.
    pub(crate) fn set_directory(&mut self, directory: &str) {
        self.directory = Some(directory.to_owned());
    }

    pub(crate) fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    pub(crate) fn facts(&self, index: EntryIndex) -> &EntryFacts {
        &self.facts[index.as_usize()]
    }

    /// Marks the last entry as one that must not be replaced.
    pub(crate) fn mark_last_fixed(&mut self) {
        if let Some(facts) = self.facts.last_mut() {
            facts.is_fixed = true;
        }
    }

    /// Sets the full content behind the excerpt in the result at `index`.
    pub(crate) fn set_excerpt_source(&mut self, index: EntryIndex, source: ExcerptSource) {
        self.facts[index.as_usize()].excerpt_source = Some(source);
    }

    /// Computes the facts of the next entry.
    pub(crate) fn push(&mut self, entry: &TranscriptEntry, weight: EntrySize) {
        let turn = self.facts.last().map_or(0, |facts| facts.turn)
            + u32::from(entry.role == MessageRole::Assistant);
        let facts = match entry.tool_result() {
            Some(result) => self.result_facts(result),
            None => self.message_facts(entry),
        };
        let files = file_keys(facts.call.iter().chain(&facts.calls));
        self.facts.push(EntryFacts { turn, tokens: weight.tokens, files, ..facts });
    }

    fn message_facts(&mut self, entry: &TranscriptEntry) -> EntryFacts {
        let calls = self.call_facts(entry);
        let (arguments, hashes) = extract_argument_lines(entry);
        let ids = self.assign_line_ids(hashes.into_iter());
        let mut names = Vec::new();
        for text in visible_texts(entry) {
            for_each_file_name(text, |key| names.push(key));
        }
        names.sort_unstable();
        names.dedup();
        names.shrink_to_fit();
        let has_long_edit =
            entry.tool_calls().zip(&calls).any(|(call, facts)| has_long_text(call, &facts.effect));
        EntryFacts {
            calls,
            has_long_edit,
            arguments,
            line_ids: ids,
            mentioned_files: names,
            ..EntryFacts::default()
        }
    }

    fn result_facts(&mut self, result: &ToolResult) -> EntryFacts {
        let call = self.open_calls.take(result);
        let unknown = Effect::default();
        let effect = call.as_ref().map_or(&unknown, |call| &call.effect);
        let content = result.content.as_str();
        let mut printed = parse_result_lines(content, effect);
        // Kept as long as the conversation; a vector may have twice the capacity it needs.
        printed.lines.shrink_to_fit();
        if has_note_handle(content) {
            printed.prior_shaping = PriorShaping::Notes;
        }
        let is_own = effect.is_own || printed.prior_shaping != PriorShaping::None;
        let has_answer = |notes: &usize| *notes < printed.lines.len();
        let reuse_note_lines = Some(count_reuse_note_lines(content)).filter(has_answer);
        let hashes = printed.lines.iter().map(|line| LineHash::from_text(line.file_text(content)));
        let line_ids = self.assign_line_ids(hashes);
        let facts = EntryFacts {
            line_ids,
            printed,
            reuse_note_lines: reuse_note_lines.unwrap_or_default(),
            ..EntryFacts::default()
        };
        EntryFacts {
            was_shaped_by_foveal: is_own,
            whole_hash: Some(LineHash::from_text(facts.answer(content))),
            content_hash: Some(ContentHash::from_content(content.as_bytes())),
            kind: effect.kind,
            reads_whole_file: effect.reads.iter().any(|read| read.span == ReadSpan::All),
            call,
            is_error: result.is_error,
            has_terminal_noise: has_terminal_noise(content),
            ..facts
        }
    }

    /// Returns the numbers of line texts, with new ones for new texts.
    fn assign_line_ids(&mut self, hashes: impl ExactSizeIterator<Item = LineHash>) -> Vec<LineId> {
        let mut ids = Vec::with_capacity(hashes.len());
        for hash in hashes {
            let next = LineId(self.ids.len() as u32);
            ids.push(*self.ids.entry(hash).or_insert(next));
        }
        ids
    }

    fn call_facts(&mut self, entry: &TranscriptEntry) -> Vec<Arc<CallFacts>> {
        let mut all = Vec::new();
        if entry.role == MessageRole::Assistant {
            self.open_calls.begin_response();
        }
        for call in entry.tool_calls() {
            let facts = Arc::new(CallFacts::from_call(call, self.directory.as_deref()));
            if let Some(directory) = &facts.effect.directory_after {
                self.directory = Some(directory.clone());
            }
            self.open_calls.insert(call, Arc::clone(&facts));
            all.push(facts);
        }
        all
    }
}

/// Returns the distinct keys of the files that the calls read or write.
fn file_keys<'a>(calls: impl Iterator<Item = &'a Arc<CallFacts>>) -> Box<[LineHash]> {
    let mut keys = Vec::new();
    for call in calls {
        keys.extend(call.effect.reads.iter().map(|read| file_key(&read.path)));
        keys.extend(call.effect.writes.iter().map(|write| file_key(&write.path)));
    }
    keys.sort_unstable();
    keys.dedup();
    keys.into()
}

/// Returns whether a text holds escape codes or carriage returns.
fn has_terminal_noise(content: &str) -> bool {
    let bytes = content.as_bytes();
    // Two passes are several times faster than one pass byte by byte.
    bytes.contains(&0x1b) || bytes.contains(&b'\r')
}
