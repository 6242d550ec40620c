//! What callers ask for that send prompts to models themselves: the same messages, shorter.
//!
//! Nothing is known of such a caller: not which conversation it goes on with, not which provider
//! it asks, not when. So what stands in place of a result depends on nothing but the results and
//! calls up to it, in the order in which they stand. It is decided once and never again: a prefix
//! that was answered is answered with the same bytes whoever asks, and by every replica that has
//! these rules. What was decided is recorded all the same, so that it holds under later rules too.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_transcript::{Block, ContentHash, Handle, LONG_DIGITS, Timestamp};
use foveal_wire::Protocol;
use foveal_wire::body::{Body, BodyError, Inactive, spoken};

use crate::active::Request;
use crate::chain;
use crate::chain::Chain;
use crate::conversation::Live;
use crate::conversations::{self, Conversations};
use crate::inactive::Inactive as NotDone;
use crate::models::Model;
use crate::narrowed::narrowed;
use crate::recorder::{Recorder, Unrecorded};
use crate::request::{About, Asked, Marks, Wait, spliced};
use crate::rules::Rules;
use crate::way::Way;

/// About how much memory the conversations of callers may take, in bytes.
const BYTES_MAX: usize = 16 << 20;

/// Texts whose tokens are remembered.
const COUNTED_MAX: usize = 1 << 16;

/// Makes messages shorter.
pub struct Compressor {
    conversations: Conversations,
    counted: Mutex<HashMap<ContentHash, Tokens>>,
}

/// Messages that were made shorter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compressed {
    /// The list of messages, as JSON.
    pub messages: Vec<u8>,
    /// Tokens of the texts that came, of calls and results.
    pub tokens_before: u64,
    /// The same of those that are answered.
    pub tokens_after: u64,
    /// The hashes of all contents of which something is left out, by which they can be had.
    pub hashes: Vec<String>,
    /// Why nothing new is left out, where something of ours failed.
    pub failed: Option<String>,
}

/// Why there is nothing to make shorter.
#[derive(Debug, thiserror::Error)]
pub enum NotCompressed {
    /// What came is broken.
    #[error("the body cannot be read: {0}")]
    Body(#[from] BodyError),
    /// It says something else.
    #[error("the body has no list of `messages`")]
    NoMessages,
    /// Which of two lists is meant nobody knows.
    #[error("a field stands twice")]
    FieldTwice,
}

impl Compressor {
    /// Decides by these rules, as far as they do without knowing who asks, and keeps decisions
    /// there.
    pub fn new(mut rules: Rules, recorder: Arc<dyn Recorder>) -> Self {
        // What was answered stays: nobody says when the provider forgot it.
        rules.settings.rewrite = None;
        // Views are chosen by what the user says, and callers keep that back at times.
        (rules.settings.curate, rules.views) = (None, None);
        // So do some with the calls: the last answer's results are whole then, so that what
        // comes here was seen.
        rules.settings.unknown_bytes_max = rules.settings.run_bytes_max;
        rules.profile = format!("compress {}", rules.profile);
        rules.bytes_max = BYTES_MAX;
        rules.way = Way::Hash;
        Self { conversations: Conversations::new(rules, recorder), counted: Mutex::default() }
    }

    /// The messages of a body as they are to go. The list is called `messages`, or as the API has
    /// it that they are of.
    ///
    /// # Errors
    /// [`NotCompressed`].
    pub fn compress(&self, body: &[u8], now: Timestamp) -> Result<Compressed, NotCompressed> {
        let (bytes, protocol) = list(body)?;
        let all = Body::scan(protocol, &bytes)?;
        match self.shortened(&bytes, &all, now) {
            Ok(compressed) => Ok(compressed),
            Err(NotDone::Body(error)) => Err(error.into()),
            Err(failed) => {
                let tokens = self.of_messages(&bytes, &all, |_| true)?;
                let messages = inner(&bytes).to_vec();
                let failed = Some(failed.to_string());
                let (tokens_before, tokens_after) = (tokens.0, tokens.0);
                Ok(Compressed { messages, tokens_before, tokens_after, hashes: vec![], failed })
            }
        }
    }

    /// The content that `hash` names, or of that only the lines that `query` is about; `None`
    /// where none is kept.
    ///
    /// # Errors
    /// [`Unrecorded`] where nobody can say.
    pub fn original(&self, hash: &str, query: Option<&str>) -> Result<Option<String>, Unrecorded> {
        let Some(handle) = handle(hash) else { return Ok(None) };
        let content = self.conversations.recorder.content(handle)?;
        // Only what is kept as it was can be held against the rest of the hash.
        let content = content.filter(|content| !content.is_whole || long(&content.text) == hash);
        Ok(content.map(|content| match query {
            Some(query) => narrowed(&content.text, query),
            None => content.text,
        }))
    }

    fn shortened(&self, bytes: &[u8], all: &Body, now: Timestamp) -> Result<Compressed, NotDone> {
        let (body, ends) = told(all, bytes)?;
        let rules = &self.conversations.rules;
        let root = chain::root(body.protocol, &rules.profile);
        let chain = Chain::of(root, (&body, bytes), &[]);
        let mut about =
            About { conversation: chain.ends.first().map(conversations::name), ..About::default() };
        let wait = Wait::default();
        let asked = Asked {
            protocol: body.protocol,
            counts: false,
            model: None,
            upstream: "",
            body: bytes,
            now,
            wish: None,
            wait: &wait,
        };
        let model = Model::named("", body.protocol);
        let (asked, chain) = (&asked, &chain);
        let (unmarked, keeping) = (None, None);
        let request = Request { asked, body: &body, chain, rules, model, unmarked, keeping };
        // Until what is decided is known.
        let _turn = chain.ends.first().map(|first| self.conversations.queue.wait(*first));
        // What follows the last result is about nothing yet.
        let until = ends.last().copied().unwrap_or_default();
        let of_body = (&body, bytes);
        let mut live = self.conversations.find(&request)?;
        for end in ends.into_iter().filter(|end| *end > live.len()).collect::<Vec<_>>() {
            live.take(of_body, chain, end)?;
            live = self.conversations.plan(live, &request, &mut about);
        }
        let known = &body.messages[..until];
        let is_known = |place: &Range<usize>| {
            known.binary_search_by_key(&place.start, |known| known.start).is_ok()
        };
        let others = self.of_messages(bytes, all, |place| !is_known(place))?;
        let (kept, before) = self.of_texts(&live);
        let tokens_before = others.0 + live.tokens().0.0;
        let spliced = spliced(bytes, &live.replaced(&body), &Marks::default());
        let compressed = Compressed {
            messages: inner(spliced.as_deref().unwrap_or(bytes)).to_vec(),
            tokens_before,
            tokens_after: (tokens_before + kept.0).saturating_sub(before.0),
            hashes: live.behind_notes().iter().map(|it| long(it)).collect(),
            failed: about.inactive,
        };
        if let Some(first) = chain.ends.first().filter(|_| until > 0) {
            self.conversations.hold(live, *first, now);
        }
        Ok(compressed)
    }

    /// Tokens of what stands in place of texts, and of these.
    fn of_texts(&self, live: &Live) -> (Tokens, Tokens) {
        let each = live.texts().map(|(original, text)| (self.count(&text), self.count(original)));
        each.fold((Tokens(0), Tokens(0)), |(texts, originals), (text, original)| {
            (Tokens(texts.0 + text.0), Tokens(originals.0 + original.0))
        })
    }

    /// Tokens of what some messages say.
    fn of_messages(
        &self,
        bytes: &[u8],
        body: &Body,
        counts: impl Fn(&Range<usize>) -> bool,
    ) -> Result<Tokens, BodyError> {
        let mut sum = 0;
        for (at, place) in body.messages.iter().enumerate().filter(|(_, place)| counts(place)) {
            let hash = ContentHash::of(&bytes[place.clone()]);
            let count = || tokens_of(body, bytes, at, self.conversations.rules.tokenizer);
            sum += self.remembered(hash, count)?.0;
        }
        Ok(Tokens(sum))
    }

    fn count(&self, text: &str) -> Tokens {
        let count =
            || Ok::<_, std::convert::Infallible>(self.conversations.rules.tokenizer.count(text));
        let Ok(tokens) = self.remembered(ContentHash::of(text.as_bytes()), count);
        tokens
    }

    fn remembered<E>(
        &self,
        hash: ContentHash,
        count: impl FnOnce() -> Result<Tokens, E>,
    ) -> Result<Tokens, E> {
        let lock = || self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&hash) {
            return Ok(*known);
        }
        let tokens = count()?;
        let mut counted = lock();
        if counted.len() >= COUNTED_MAX {
            counted.clear();
        }
        counted.insert(hash, tokens);
        Ok(tokens)
    }
}

/// The messages of a body as they came, for callers whose gateway does nothing.
///
/// # Errors
/// [`NotCompressed`].
pub fn unchanged(body: &[u8]) -> Result<Compressed, NotCompressed> {
    let (bytes, protocol) = list(body)?;
    let all = Body::scan(protocol, &bytes)?;
    let count = |at| tokens_of(&all, &bytes, at, Tokenizer::O200k);
    let mut tokens = 0;
    for at in 0..all.messages.len() {
        tokens += count(at)?.0;
    }
    Ok(Compressed {
        messages: inner(&bytes).to_vec(),
        tokens_before: tokens,
        tokens_after: tokens,
        hashes: Vec::new(),
        failed: None,
    })
}

/// What a body starts with that is made of a list of messages alone.
fn head(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Messages | Protocol::Chat => r#"{"messages":["#,
        Protocol::Responses => r#"{"input":["#,
        Protocol::Gemini => r#"{"contents":["#,
    }
}

/// What it ends with.
const TAIL: &str = "]}";

/// The list of messages in a body of the API that they are of.
fn list(body: &[u8]) -> Result<(Vec<u8>, Protocol), NotCompressed> {
    for named in [Protocol::Chat, Protocol::Responses, Protocol::Gemini] {
        let scanned = Body::scan(named, body)?;
        match scanned.inactive {
            Some(Inactive::NoMessages | Inactive::PlainText) => continue,
            Some(Inactive::FieldTwice) => return Err(NotCompressed::FieldTwice),
            // These are told to a provider, and ours is none.
            Some(Inactive::PreviousResponse | Inactive::Conversation) | None => {}
        }
        let (first, last) = (scanned.messages.first(), scanned.messages.last());
        let list = first.zip(last).map_or(0..0, |(first, last)| first.start..last.end);
        let protocol = match named {
            Protocol::Chat => spoken(body, &scanned.messages)?,
            named => named,
        };
        let list = [head(protocol).as_bytes(), &body[list], TAIL.as_bytes()].concat();
        return Ok((list, protocol));
    }
    Err(NotCompressed::NoMessages)
}

/// The list of messages of such a body, with its brackets.
fn inner(bytes: &[u8]) -> &[u8] {
    let start = memchr::memchr(b'[', bytes).unwrap_or_default();
    &bytes[start..bytes.len() - 1]
}

/// What messages with calls or results have in them, as every API spells these.
const SIGNS: [&[u8]; 3] = [b"tool", b"unction", b"_call"];

/// The messages that hold calls or results, and behind which of them something is to be decided.
/// The others say nothing here: some callers leave them out at first and send them later.
fn told(all: &Body, bytes: &[u8]) -> Result<(Body, Vec<usize>), BodyError> {
    let mut body = all.clone();
    // Marks move, and stay where they are.
    body.marks.clear();
    let finders = SIGNS.map(memchr::memmem::Finder::new);
    let may_hold = |place: &Range<usize>| {
        finders.iter().any(|finder| finder.find(&bytes[place.clone()]).is_some())
    };
    body.messages.retain(may_hold);
    let mut kept = Vec::new();
    let mut ends = Vec::new();
    for (at, place) in body.messages.iter().enumerate() {
        let message = body.message(bytes, at)?;
        let holds = |block: &Block| matches!(block, Block::Call(_) | Block::Result(_));
        if message.entries.iter().flat_map(|entry| &entry.blocks).any(holds) {
            kept.push(place.clone());
            if !message.slots.is_empty() {
                ends.push(kept.len());
            }
        }
    }
    body.messages = kept;
    Ok((body, ends))
}

/// Tokens of what a message says.
fn tokens_of(
    body: &Body,
    bytes: &[u8],
    at: usize,
    tokenizer: Tokenizer,
) -> Result<Tokens, BodyError> {
    let entries = body.message(bytes, at)?.entries;
    let texts = entries.iter().flat_map(|entry| &entry.blocks).map(text_of);
    Ok(texts.map(|text| tokenizer.count(&text)).sum())
}

/// What a block says.
fn text_of(block: &Block) -> String {
    match block {
        Block::Text(text) => text.clone(),
        Block::Result(result) => result.content.clone(),
        Block::Call(call) => format!("{} {}", call.name, call.arguments),
        _ => String::new(),
    }
}

/// The long spelling of a content's hash.
fn long(content: &str) -> String {
    ContentHash::of(content.as_bytes()).long()
}

/// The handle that the long spelling of a hash begins with.
fn handle(hash: &str) -> Option<Handle> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (hash.len() == LONG_DIGITS && hash.bytes().all(is_digit))
        .then(|| hash[..LONG_DIGITS / 2].parse().ok())?
}
