//! Facts about each entry that every profile needs: tokens, lines, effects.
//!
//! A pure function of the entries, computed once as they arrive, so that many profiles
//! can share it and a long conversation is never scanned twice.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::Arc;

use crate::call_texts::argument_texts;
use crate::edits::EditFacts;
use crate::interest::each_file_name;
use crate::lines::{Printed, printed_lines};
use crate::shaping::noise;
use crate::tokens::{Tokenizer, Tokens};
use foveal_effects::{Effect, EffectKind, effect_of};
use foveal_transcript::Handle;
use foveal_transcript::{Block, Call, Conversation, Entry, EntryIndex, Role, ToolResult};

/// Hash of one line's text. Equal hashes are confirmed on the text before anything is
/// pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineHash(pub u64);

impl LineHash {
    /// The hash of `line`, white space included.
    pub fn of(line: &str) -> Self {
        // Folded multiplication of sixteen bytes at a time, as in wyhash.
        let mut hash = KEYS[0];
        let mut chunks = line.as_bytes().chunks_exact(16);
        for chunk in &mut chunks {
            hash = fold(hash, chunk.try_into().expect("chunks have sixteen bytes"));
        }
        let mut rest = [0; 16];
        rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        let hash = fold(hash, &rest);
        LineHash(multiply(hash ^ KEYS[1], line.len() as u64 ^ KEYS[2]))
    }
}

/// Digits of the fractional part of pi.
const KEYS: [u64; 3] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0];

fn fold(hash: u64, bytes: &[u8; 16]) -> u64 {
    let wide = u128::from_le_bytes(*bytes);
    multiply(wide as u64 ^ KEYS[1], (wide >> 64) as u64 ^ hash)
}

fn multiply(one: u64, other: u64) -> u64 {
    let wide = u128::from(one) * u128::from(other);
    wide as u64 ^ (wide >> 64) as u64
}

/// Hashes a [`LineHash`], which is one already, for a map.
#[derive(Debug, Clone, Default)]
pub struct Prehashed(u64);

impl Hasher for Prehashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = self.0.rotate_left(8) ^ hash;
    }
}

/// A map by [`LineHash`].
pub type HashMapOfLines<T> = HashMap<LineHash, T, BuildHasherDefault<Prehashed>>;

/// The number of a line's text in one conversation: two lines have the same if their hashes
/// are equal. Numbers count up from 0 without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineId(pub u32);

impl LineId {
    /// The number as a place in a list.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// What is known about the call behind a tool result.
#[derive(Debug, Clone, PartialEq)]
pub struct CallFacts {
    /// What the call does.
    pub effect: Effect,
    /// A short name for the call in notes: the tool and what it was asked ("Read a.rs").
    pub label: String,
    /// The tool's name.
    pub tool: String,
    /// Hash of the tool and its arguments, for finding repeated calls.
    pub key: LineHash,
}

/// One line in the text arguments of a response's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentLine {
    /// Which call of the response.
    pub call: u16,
    /// Which of [`argument_texts`](crate::call_texts::argument_texts) of that call.
    pub text: u16,
    /// Byte range in that text, without the line break.
    pub range: Range<u32>,
}

/// What is known about one entry.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Tokens of [`Entry::prompt_text`].
    pub tokens: Tokens,
    /// The lines of a tool result; empty for other entries.
    pub printed: Printed,
    /// The text of each line that others can be compared with: of a tool result its
    /// printed lines, of a model's response the lines in [`Facts::arguments`].
    pub ids: Vec<LineId>,
    /// Hash of a tool result's whole content.
    pub whole: Option<LineHash>,
    /// Content address of a tool result; of nothing for other entries.
    pub handle: Option<Handle>,
    /// The lines of long texts in a response's call arguments (files written, edits made).
    pub arguments: Vec<ArgumentLine>,
    /// The call a tool result answers, where it is known.
    pub call: Option<Arc<CallFacts>>,
    /// For a model's response: what each of its calls does.
    pub calls: Vec<Arc<CallFacts>>,
    /// Responses up to this entry, itself included.
    pub turn: u32,
    /// For a model's response: the long texts of its edits.
    pub edits: EditFacts,
    /// Whether the client flagged the result as an error.
    pub is_error: bool,
    /// Whether a tool result holds what a terminal would not have left on the screen.
    pub noisy: bool,
    /// Keys of the files that a message other than a tool result names.
    pub names: Vec<LineHash>,
}

impl Facts {
    /// The effect kind of a tool result's call; `Other` where the call is unknown.
    #[inline]
    pub fn kind(&self) -> EffectKind {
        self.call.as_ref().map_or(EffectKind::Other, |call| call.effect.kind)
    }

    /// Whether the call asked for text as it is.
    pub fn is_verbatim(&self) -> bool {
        self.call.as_ref().is_some_and(|call| call.effect.verbatim)
    }

    /// The label of a tool result's call.
    pub fn label(&self) -> &str {
        self.call.as_ref().map_or("tool", |call| call.label.as_str())
    }
}

/// Facts about the entries of one conversation, in step with them.
#[derive(Debug, Clone)]
pub struct Observed {
    tokenizer: Tokenizer,
    facts: Vec<Facts>,
    open_calls: HashMap<String, OpenCall>,
    /// Ids of the last calls, answered or not.
    last_calls: VecDeque<String>,
    calls: u64,
    last_response: Option<usize>,
    directory: Option<String>,
    ids: HashMapOfLines<LineId>,
}

/// A call that waits for its result.
#[derive(Debug, Clone)]
struct OpenCall {
    /// Its number among all calls.
    number: u64,
    facts: Arc<CallFacts>,
    /// The response that made it and its place there; `None` where another call has its id.
    place: Option<(usize, u16)>,
}

impl Observed {
    /// Nothing observed yet; `directory` is where the agent started, if known.
    pub fn new(tokenizer: Tokenizer, directory: Option<&str>) -> Self {
        Self {
            tokenizer,
            facts: Vec::new(),
            open_calls: HashMap::new(),
            last_calls: VecDeque::new(),
            calls: 0,
            last_response: None,
            directory: directory.map(str::to_owned),
            ids: HashMapOfLines::default(),
        }
    }

    /// Has relative paths of the next calls start at `directory`, where that is known better than
    /// from the calls before.
    pub fn start_in(&mut self, directory: &str) {
        self.directory = Some(directory.to_owned());
    }

    /// All facts of a whole conversation.
    pub fn of(conversation: &Conversation, tokenizer: Tokenizer) -> Self {
        let mut observed = Self::new(tokenizer, conversation.directory.as_deref());
        for entry in &conversation.entries {
            observed.push(entry);
        }
        observed
    }

    /// The tokenizer facts are counted with.
    pub fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    /// Facts about the entry at `index`.
    ///
    /// # Panics
    /// If that entry has not been pushed yet.
    pub fn facts(&self, index: EntryIndex) -> &Facts {
        &self.facts[index.at()]
    }

    /// Number of entries observed.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether nothing was observed yet.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Takes the next entry of the conversation.
    pub fn push(&mut self, entry: &Entry) {
        let turn = self.facts.last().map_or(0, |facts| facts.turn)
            + u32::from(entry.role == Role::Assistant);
        let facts = match entry.result() {
            Some(result) => Facts { turn, ..self.result_facts(result) },
            None => {
                let calls = self.call_facts(entry);
                let text = entry.prompt_text();
                let tokens = self.tokenizer.count(&text);
                let edits = EditFacts::of(entry, &calls, text.len(), tokens);
                let (arguments, hashes) = argument_lines(entry);
                let ids = self.identify(hashes.into_iter());
                let mut names = Vec::new();
                for text in visible_texts(entry) {
                    each_file_name(text, |key| names.push(key));
                }
                names.sort_unstable();
                names.dedup();
                names.shrink_to_fit();
                Facts { tokens, calls, turn, edits, arguments, ids, names, ..Facts::default() }
            }
        };
        self.facts.push(facts);
    }

    fn result_facts(&mut self, result: &ToolResult) -> Facts {
        let open = self.open_calls.remove(&result.call);
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
        let hashes = printed.lines.iter().map(|line| LineHash::of(line.text_in(content)));
        Facts {
            tokens: self.tokenizer.count(content),
            ids: self.identify(hashes),
            printed,
            whole: Some(LineHash::of(content)),
            handle: Some(Handle::of(content.as_bytes())),
            call,
            is_error: result.is_error,
            noisy: noise::is_in(content),
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
        }
        for (at, call) in entry.calls().enumerate() {
            let effect = effect_of(call, self.directory.as_deref());
            if let Some(directory) = &effect.directory_after {
                self.directory = Some(directory.clone());
            }
            let label = label_of(call, &effect);
            let key = LineHash::of(&format!("{} {}", call.name, call.arguments));
            let facts = Arc::new(CallFacts { effect, label, tool: call.name.clone(), key });
            let place = u16::try_from(at).ok().map(|at| (self.facts.len(), at));
            self.wait_for(&call.id, Arc::clone(&facts), place);
            all.push(facts);
        }
        all
    }

    /// Remembers a call until its result comes, and forgets the oldest.
    fn wait_for(&mut self, id: &str, facts: Arc<CallFacts>, place: Option<(usize, u16)>) {
        let place = place.filter(|_| !self.open_calls.contains_key(id));
        self.open_calls.insert(id.to_owned(), OpenCall { number: self.calls, facts, place });
        self.last_calls.push_back(id.to_owned());
        self.calls += 1;
        if self.last_calls.len() > OPEN_CALLS_MAX
            && let Some(oldest) = self.last_calls.pop_front()
        {
            let number = self.calls - 1 - OPEN_CALLS_MAX as u64;
            // A later call may have the same id.
            if self.open_calls.get(&oldest).is_some_and(|open| open.number == number) {
                self.open_calls.remove(&oldest);
            }
        }
    }
}

/// A result that comes after so many later calls is one of an unknown call.
pub const OPEN_CALLS_MAX: usize = 1024;

/// Texts with fewer lines are not worth pointing at.
const ARGUMENT_LINES_MIN: usize = 4;

fn argument_lines(entry: &Entry) -> (Vec<ArgumentLine>, Vec<LineHash>) {
    let mut lines = Vec::new();
    let mut hashes = Vec::new();
    for (call, call_at) in entry.calls().zip(0..u16::MAX) {
        for (text, text_at) in argument_texts(call).into_iter().zip(0..u16::MAX) {
            if text.bytes().filter(|byte| *byte == b'\n').count() + 1 < ARGUMENT_LINES_MIN {
                continue;
            }
            let mut start = 0u32;
            for line in text.split('\n') {
                let end = start + line.len() as u32;
                lines.push(ArgumentLine { call: call_at, text: text_at, range: start..end });
                hashes.push(LineHash::of(line));
                start = end + 1;
            }
            // Keeps a match from running on into the next text.
            lines.push(ArgumentLine { call: u16::MAX, text: u16::MAX, range: 0..0 });
            hashes.push(LineHash(0));
        }
    }
    (lines, hashes)
}

/// Longest label, in characters.
const LABEL_LENGTH_MAX: usize = 48;

fn label_of(call: &Call, effect: &Effect) -> String {
    let subject = match (&effect.command, effect.reads.first(), effect.writes.first()) {
        (Some(command), _, _) => command.split('\n').next().unwrap_or_default().to_owned(),
        (None, Some(read), _) => file_name(&read.path).to_owned(),
        (None, None, Some(write)) => file_name(&write.path).to_owned(),
        // In a note the handle it asked for would be taken for the note's own.
        (None, None, None) if effect.verbatim => String::new(),
        (None, None, None) => first_text(&call.arguments),
    };
    let label = format!("{} {}", call.name, subject.trim());
    let mut short: String = label.trim().chars().take(LABEL_LENGTH_MAX).collect();
    if short.len() < label.trim().len() {
        short.push('…');
    }
    short
}

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn first_text(arguments: &serde_json::Value) -> String {
    arguments
        .as_object()
        .and_then(|object| object.values().find_map(serde_json::Value::as_str))
        .and_then(|text| text.split('\n').next())
        .unwrap_or_default()
        .to_owned()
}

/// The text of line `at` of `entry`, as counted by [`Facts::ids`].
pub fn line_text<'a>(entry: &'a Entry, facts: &Facts, at: usize) -> Option<&'a str> {
    if let Some(result) = entry.result() {
        return facts.printed.lines.get(at).map(|line| line.text_in(&result.content));
    }
    let line = facts.arguments.get(at)?;
    let call = entry.calls().nth(usize::from(line.call))?;
    let text = *argument_texts(call).get(usize::from(line.text))?;
    text.get(line.range.start as usize..line.range.end as usize)
}

/// The texts of an entry that a model reads as such: text blocks, the texts in call
/// arguments, and a result's content.
pub fn visible_texts(entry: &Entry) -> Vec<&str> {
    let mut texts = Vec::new();
    for block in &entry.blocks {
        match block {
            Block::Text(text) => texts.push(text.as_str()),
            Block::Call(call) => texts.extend(argument_texts(call)),
            Block::Result(result) => texts.push(&result.content),
            Block::Reasoning(_) | Block::Opaque { .. } => {}
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use foveal_transcript::{Mark, Role, Source, ToolResult};

    fn entry(role: Role, block: Block) -> Entry {
        Entry {
            source: Source { step: 1, result: None },
            role,
            time: None,
            mark: Mark::None,
            model: None,
            usage: None,
            blocks: vec![block],
        }
    }

    fn call(id: &str) -> Entry {
        let arguments = serde_json::json!({ "command": "make" });
        let call = Call { id: id.to_owned(), name: "Bash".to_owned(), arguments };
        entry(Role::Assistant, Block::Call(call))
    }

    fn label(observed: &mut Observed, id: &str) -> String {
        let call = id.to_owned();
        let result = ToolResult { call, content: String::new(), is_error: false };
        observed.push(&entry(Role::Tool, Block::Result(result)));
        observed.facts(EntryIndex(observed.len() as u32 - 1)).label().to_owned()
    }

    #[test]
    fn calls_without_results_are_forgotten_in_time() {
        let mut observed = Observed::new(Tokenizer::O200k, None);
        for id in ["early", "again"] {
            observed.push(&call(id));
        }
        for at in 0..OPEN_CALLS_MAX - 2 {
            observed.push(&call(&format!("call {at}")));
        }
        let mut kept = observed.clone();
        assert_eq!(label(&mut kept, "early"), "Bash make");
        // The next two push the first two out, of which one is made anew.
        for id in ["again", "last"] {
            observed.push(&call(id));
        }
        assert_eq!(label(&mut observed, "early"), "tool");
        assert_eq!(label(&mut observed, "again"), "Bash make");
        for at in 0..3 * OPEN_CALLS_MAX {
            observed.push(&call(&format!("more {at}")));
        }
        assert_eq!((observed.open_calls.len(), observed.last_calls.len()), (1024, 1024));
    }
}
