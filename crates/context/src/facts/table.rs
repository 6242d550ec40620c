//! Facts about all entries of one conversation, worked out once as the entries come.

use std::sync::Arc;

use super::call::CallFacts;
use super::edits::EditFacts;
use super::entry::{Facts, argument_lines, visible_texts};
use super::hash::{HashMapOfLines, LineHash, LineId};
use super::names::{each_file_name, file_key};
use crate::lines::{ExcerptSource, PriorShaping, has_handle, printed_lines};
use crate::tokens::Tokenizer;
use crate::weight::Weight;
use foveal_effects::{Effect, Span};
use foveal_transcript::{ContentHash, Entry, EntryIndex, OpenCalls, Role, ToolResult};

/// A call that waits for its result.
#[derive(Debug, Clone)]
struct PendingCall {
    facts: Arc<CallFacts>,
    /// The response that made it, and its place there.
    place: Option<(usize, u16)>,
}

/// The facts of each entry, and what the next entry's depend on.
#[derive(Debug, Clone)]
pub(crate) struct FactTable {
    tokenizer: Tokenizer,
    facts: Vec<Facts>,
    open_calls: OpenCalls<PendingCall>,
    last_response: Option<usize>,
    directory: Option<String>,
    ids: HashMapOfLines<LineId>,
}

impl FactTable {
    /// No entry yet; `directory` is where the agent started, if known.
    pub(crate) fn new(tokenizer: Tokenizer, directory: Option<&str>) -> Self {
        Self {
            tokenizer,
            facts: Vec::new(),
            open_calls: OpenCalls::default(),
            last_response: None,
            directory: directory.map(str::to_owned),
            ids: HashMapOfLines::default(),
        }
    }

    /// Has relative paths of the next calls start at `directory`.
    pub(crate) fn start_in(&mut self, directory: &str) {
        self.directory = Some(directory.to_owned());
    }

    pub(crate) fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    pub(crate) fn facts(&self, index: EntryIndex) -> &Facts {
        &self.facts[index.at()]
    }

    /// Lets the last entry stay as it is, whatever is decided.
    pub(crate) fn fix_last(&mut self) {
        if let Some(facts) = self.facts.last_mut() {
            facts.is_fixed = true;
        }
    }

    /// Sets the content of which the result at `index` is an excerpt.
    pub(crate) fn set_excerpt_source(&mut self, index: EntryIndex, source: ExcerptSource) {
        self.facts[index.at()].excerpt_source = Some(source);
    }

    /// Works out the facts of the next entry.
    pub(crate) fn push(&mut self, entry: &Entry, weight: Weight) {
        let turn = self.facts.last().map_or(0, |facts| facts.turn)
            + u32::from(entry.role == Role::Assistant);
        let facts = match entry.result() {
            Some(result) => self.result_facts(result),
            None => self.message_facts(entry, weight),
        };
        let files = files_of(facts.call.iter().chain(&facts.calls));
        self.facts.push(Facts { turn, tokens: weight.tokens, files, ..facts });
    }

    fn message_facts(&mut self, entry: &Entry, weight: Weight) -> Facts {
        let calls = self.call_facts(entry);
        let edits = EditFacts::of(entry, &calls, weight.bytes, weight.tokens);
        let (arguments, hashes) = argument_lines(entry);
        let ids = self.identify(hashes.into_iter());
        let mut names = Vec::new();
        for text in visible_texts(entry) {
            each_file_name(text, |key| names.push(key));
        }
        names.sort_unstable();
        names.dedup();
        names.shrink_to_fit();
        Facts { calls, edits, arguments, ids, names, ..Facts::default() }
    }

    fn result_facts(&mut self, result: &ToolResult) -> Facts {
        let open = self.open_calls.take(result);
        // What a result says counts until the next response, so that what comes later changes
        // nothing.
        if let Some((response, call)) = open.as_ref().and_then(|open| open.place)
            && self.last_response == Some(response)
        {
            let Facts { calls, edits, .. } = &mut self.facts[response];
            edits.answered(call, &calls[usize::from(call)].effect, result);
        }
        let call = open.map(|open| open.facts);
        let unknown = Effect::default();
        let effect = call.as_ref().map_or(&unknown, |call| &call.effect);
        let content = result.content.as_str();
        let mut printed = printed_lines(content, effect);
        // Kept for as long as the conversation is; a vector grows to twice its need.
        printed.lines.shrink_to_fit();
        if has_handle(content) {
            printed.prior_shaping = PriorShaping::Notes;
        }
        let is_own = effect.is_own || printed.prior_shaping != PriorShaping::None;
        let hashes = printed.lines.iter().map(|line| LineHash::of(line.text_in(content)));
        Facts {
            ids: self.identify(hashes),
            printed,
            is_own,
            whole: Some(LineHash::of(content)),
            content: Some(ContentHash::of(content.as_bytes())),
            kind: effect.kind,
            reads_whole: effect.reads.iter().any(|read| read.span == Span::All),
            call,
            is_error: result.is_error,
            noisy: is_noisy(content),
            ..Facts::default()
        }
    }

    /// Numbers of lines' texts, new ones for those not met before.
    fn identify(&mut self, hashes: impl ExactSizeIterator<Item = LineHash>) -> Vec<LineId> {
        let mut ids = Vec::with_capacity(hashes.len());
        for hash in hashes {
            let next = LineId(self.ids.len() as u32);
            ids.push(*self.ids.entry(hash).or_insert(next));
        }
        ids
    }

    fn call_facts(&mut self, entry: &Entry) -> Vec<Arc<CallFacts>> {
        let mut all = Vec::new();
        if entry.role == Role::Assistant {
            self.last_response = Some(self.facts.len());
            self.open_calls.begin_response();
        }
        for (at, call) in entry.calls().enumerate() {
            let facts = Arc::new(CallFacts::of(call, self.directory.as_deref()));
            if let Some(directory) = &facts.effect.directory_after {
                self.directory = Some(directory.clone());
            }
            let place = u16::try_from(at).ok().map(|at| (self.facts.len(), at));
            self.open_calls.insert(call, PendingCall { facts: Arc::clone(&facts), place });
            all.push(facts);
        }
        all
    }
}

/// Keys of the files that some calls read or write, each once.
fn files_of<'a>(calls: impl Iterator<Item = &'a Arc<CallFacts>>) -> Box<[LineHash]> {
    let mut keys = Vec::new();
    for call in calls {
        keys.extend(call.effect.reads.iter().map(|read| file_key(&read.path)));
        keys.extend(call.effect.writes.iter().map(|write| file_key(&write.path)));
    }
    keys.sort_unstable();
    keys.dedup();
    keys.into()
}

/// Whether a text holds what a terminal would not have left on the screen.
fn is_noisy(content: &str) -> bool {
    let bytes = content.as_bytes();
    // One byte at a time in one pass takes several times as long.
    bytes.contains(&0x1b) || bytes.contains(&b'\r')
}
