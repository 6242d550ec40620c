//! Definitions of tools that are shortened at a conversation's first request.
//!
//! What goes of them is decided there, by what the user's sessions called until then, and noted for
//! each description and schema by its content. Every later request has the same left out of the
//! same parts; a tool that is added later stays as the client sent it. What was noted is held in
//! memory as well, so that the same goes where the store fails or is slow.

use std::collections::{BTreeMap, BTreeSet};

use foveal_context::tokens::Tokens;
use foveal_context::tool_use::ToolUse;
use foveal_transcript::{ContentHash, Entry, Timestamp};
use foveal_wire::Protocol;
use foveal_wire::body::{self, Body, LeftOut, Shortened, ToolDefinition};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chain;
use crate::conversations::{Conversations, is_to_be_left, name};
use crate::inactive::Inactive;
use crate::recorder::{Noted, Unrecorded};
use crate::request::Asked;
use crate::rules::Rules;
use crate::shorter::{AboutTools, Knowledge, ShorterTools, Unshortened};
use crate::waiting::Waiting;
use crate::way::Way;

/// What the chain of notes begins with.
const VERSION: &str = "foveal tools 1";

/// A first request that comes again so much later begins another conversation.
const AGAIN_MS: i64 = 24 * 60 * 60 * 1000;

/// Shorter lines of a description may stand in a system prompt by chance.
const QUOTED_CHARS_MIN: usize = 40;

/// What is noted of a conversation at its start.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Begun {
    time: i64,
    /// Tools with shortened descriptions.
    shortened: BTreeSet<String>,
    /// What is left out of descriptions and schemas, by their keys.
    parts: BTreeMap<String, Part>,
}

/// What is left out of a description or a schema, by places in it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Part {
    left_out: Vec<LeftOut>,
    tokens: u64,
}

/// A request whose tools may be shortened.
struct Draft<'a> {
    asked: &'a Asked<'a>,
    rules: &'a Rules,
    body: Body,
    definitions: Vec<ToolDefinition>,
    root: ContentHash,
    /// The ends of the messages in front of the first answer.
    ends: Vec<ContentHash>,
    /// What is found of the conversation's beginning.
    end: ContentHash,
    /// Whether it is the first request of its conversation.
    is_first: bool,
}

impl Conversations {
    /// The same, with tools shortened that are not called, as `knowledge` says.
    #[must_use]
    pub fn shortening(mut self, knowledge: Option<Knowledge>) -> Self {
        self.shortens = knowledge;
        self
    }

    /// Whether tools are shortened.
    pub fn shortens(&self) -> bool {
        self.shortens.is_some()
    }

    /// A request with shorter tools; `None` where nothing is to be done about it. What the first
    /// request of a conversation goes with stays, also where nobody waited until it was decided.
    ///
    /// # Errors
    /// [`Unshortened`] where it cannot be known what its conversation goes with, or not be kept.
    pub fn shorten(
        &self,
        asked: &Asked<'_>,
        waiting: &Waiting<ShorterTools>,
    ) -> Result<Option<ShorterTools>, Unshortened> {
        let knowledge = self.shortens.as_ref().filter(|_| asked.shortens != Some(false));
        let Some(knowledge) = knowledge else { return Ok(None) };
        // Nothing can be done about such a request.
        let Ok(Some(draft)) = self.tools_of(asked) else { return Ok(None) };
        let held = draft.read(&self.remembered.noted(draft.root, &draft.ends));
        let held = held.filter(|held| !draft.begins_anew(held));
        let known = held.as_ref().and_then(|begun| draft.shorter(&begun.begun).ok());
        if let Some(known) = known.as_ref().filter(|_| draft.is_known(held.as_ref())) {
            waiting.decide();
            return Ok(Some(known.clone()));
        }
        waiting.know(known.map(|known| Some(Box::new(known))));
        let _turn = self.noting.wait(draft.end);
        match self.tools_begun(&draft, held, (knowledge, waiting)) {
            Ok(begun) => {
                waiting.decide();
                Ok(draft.shorter(&begun).ok())
            }
            Err(error) => match waiting.decide_as_known() {
                Some(known) => Ok(known.map(|known| *known)),
                None => Err(error.into()),
            },
        }
    }

    /// What can be known of a request's tools without asking anybody; `None` where there are none.
    fn tools_of<'a>(&'a self, asked: &'a Asked<'a>) -> Result<Option<Draft<'a>>, Inactive> {
        let bytes = asked.body;
        let rules = self.rules(asked.wish)?;
        let body = Body::scan(asked.protocol, bytes)?;
        is_to_be_left(&body)?;
        let Some(tools) = &body.tools else { return Ok(None) };
        let definitions = body::definitions(bytes, tools)?;
        let first = body::before_answers(&body, bytes)?;
        if definitions.is_empty() || first == 0 {
            return Ok(None);
        }
        let root = root(asked.protocol);
        let mut ends = Vec::with_capacity(first);
        let mut end = root;
        for message in 0..first {
            end = chain::next(end, body.fingerprint(bytes, message));
            ends.push(end);
        }
        let is_first = first == body.messages.len();
        Ok(Some(Draft { asked, rules, body, definitions, root, ends, end, is_first }))
    }

    /// What was decided at the start of a request's conversation, or is, where this is the start.
    /// `held` is what is known of it in memory.
    fn tools_begun(
        &self,
        draft: &Draft<'_>,
        held: Option<Held>,
        (knowledge, waiting): (&Knowledge, &Waiting<ShorterTools>),
    ) -> Result<Begun, Unrecorded> {
        let asked = draft.asked;
        let whole = || Begun { time: asked.now.0, ..Begun::default() };
        let noted = match self.recorder.noted(draft.root, &draft.ends) {
            Ok(noted) => draft.read(&noted),
            Err(error) => {
                // Nobody knows later that it went whole, but for who remembers that.
                if draft.is_first && !asked.counts && held.is_none() {
                    self.remembered.keep(&[draft.note(&whole())?]);
                }
                return Err(error);
            }
        };
        // What the store could not keep is held in memory alone.
        // The last of those that rank alike counts.
        match noted.into_iter().chain(held).max_by_key(Held::rank) {
            Some(held) if !draft.begins_anew(&held) => {
                self.remembered.keep(&[draft.note_at(held.length, &held.begun)?]);
                return Ok(held.begun);
            }
            _ if !draft.is_first => return Ok(Begun::default()),
            _ => {}
        }
        let known = knowledge().filter(|_| !waiting.is_given_up());
        let decided = known.and_then(|known| Begun::decide(draft, &known).ok());
        let begun = decided.unwrap_or_else(whole);
        if asked.counts {
            return Ok(begun);
        }
        // That nothing is left out stands too: who goes back to the start has the same tools.
        let note = draft.note(&begun)?;
        let kept = self.keep_tools(draft, &note);
        if kept.is_ok() && waiting.decide() {
            self.remembered.keep(&[note]);
            return Ok(begun);
        }
        // It went whole, and stays so.
        let note = draft.note(&whole())?;
        self.remembered.keep(std::slice::from_ref(&note));
        let went = self.keep_tools(draft, &note);
        kept.and(went).map(|()| whole())
    }

    /// Keeps what a conversation begins with.
    fn keep_tools(&self, draft: &Draft<'_>, note: &Noted) -> Result<(), Unrecorded> {
        let (asked, body, rules) = (draft.asked, &draft.body, draft.rules);
        let offers = self.offers && body::takes_tool(body, asked.body, true).unwrap_or(false);
        let way = if offers { Way::Offered } else { rules.way };
        let of_live = rules.root(asked.protocol, way);
        let conversation = name(&chain::next(of_live, body.fingerprint(asked.body, 0)));
        self.recorder.note(&conversation, note, asked.now)
    }
}

/// What is known of a conversation's start.
struct Held {
    begun: Begun,
    /// How many messages it began with.
    length: usize,
}

impl Held {
    /// What is known of the longest beginning counts, and of two the newer.
    fn rank(&self) -> (usize, i64) {
        (self.length, self.begun.time)
    }
}

impl Draft<'_> {
    /// What the last of these notes says; `None` where a newer version wrote it, or it is not the
    /// first request's own.
    fn read(&self, notes: &[Noted]) -> Option<Held> {
        let note = notes.last().filter(|note| !self.is_first || note.end == self.end)?;
        let length = self.ends.iter().position(|end| *end == note.end)? + 1;
        let begun = serde_json::from_str(&note.text).ok()?;
        Some(Held { begun, length })
    }

    fn note(&self, begun: &Begun) -> Result<Noted, Unrecorded> {
        self.note_at(self.ends.len(), begun)
    }

    fn note_at(&self, length: usize, begun: &Begun) -> Result<Noted, Unrecorded> {
        let text = serde_json::to_string(begun).map_err(|error| Unrecorded(error.to_string()))?;
        Ok(Noted { end: self.ends[length - 1], before: self.root, text })
    }

    /// Whether the request begins another conversation with the same words.
    fn begins_anew(&self, held: &Held) -> bool {
        self.is_first && self.is_old(held)
    }

    /// Whether the same first words would begin another conversation by now.
    fn is_old(&self, held: &Held) -> bool {
        self.asked.now.since_ms(Timestamp(held.begun.time)) > AGAIN_MS
    }

    /// Whether nobody needs to be asked: another process may only have begun anew after a day.
    fn is_known(&self, held: Option<&Held>) -> bool {
        let is_own = |held: &Held| held.length == self.ends.len() && !self.is_old(held);
        !self.is_first && held.is_some_and(is_own)
    }

    /// The request with what is left out of its tools.
    fn shorter(&self, begun: &Begun) -> Result<ShorterTools, Inactive> {
        let bytes = self.asked.body;
        let (left_out, tokens) = begun.left_out(bytes, &self.definitions);
        let called = called(&self.body, bytes)?;
        let called_shortened = called.iter().any(|name| begun.shortened.contains(name));
        let about = AboutTools { called, left_out: Tokens(tokens), called_shortened };
        let shorter = (!left_out.is_empty()).then(|| body::without(bytes, &left_out));
        Ok(ShorterTools { body: shorter, about })
    }
}

impl Begun {
    fn decide(draft: &Draft<'_>, known: &ToolUse) -> Result<Self, Inactive> {
        let Draft { asked, rules, body, definitions, .. } = draft;
        let bytes = asked.body;
        let told = told(body, bytes);
        let is_quoted = |text: &str| {
            let mut lines = text.lines().map(str::trim);
            lines.any(|line| {
                line.chars().count() >= QUOTED_CHARS_MIN && told.iter().any(|it| it.contains(line))
            })
        };
        let mut begun = Self { time: asked.now.0, ..Self::default() };
        for definition in definitions {
            let is_short =
                known.is_shortened(&definition.name) && !is_chosen(body, bytes, definition);
            let how = if is_short { Shortened::Texts } else { Shortened::Noise };
            let left_out = definition.shortened(bytes, how, &is_quoted)?;
            if left_out.iter().any(|it| !it.text.is_empty()) {
                begun.shortened.insert(definition.name.clone());
            }
            for part in definition.parts(bytes) {
                let place = &part.place;
                let own = left_out.iter().filter(|it| place.contains(&it.range.start));
                let own: Vec<LeftOut> = own
                    .map(|it| LeftOut {
                        range: it.range.start - place.start..it.range.end - place.start,
                        text: it.text.clone(),
                    })
                    .collect();
                if own.is_empty() {
                    continue;
                }
                let text = &bytes[place.clone()];
                let count = |bytes: &[u8]| rules.tokenizer.count(&String::from_utf8_lossy(bytes)).0;
                let tokens = count(text).saturating_sub(count(&body::without(text, &own)));
                begun.parts.insert(key(part.key), Part { left_out: own, tokens });
            }
        }
        Ok(begun)
    }

    /// What is left out of definitions, by places in the body, and how many tokens that are.
    fn left_out(&self, bytes: &[u8], definitions: &[ToolDefinition]) -> (Vec<LeftOut>, u64) {
        let (mut all, mut tokens) = (Vec::new(), 0);
        for part in definitions.iter().flat_map(|definition| definition.parts(bytes)) {
            let Some(own) = self.parts.get(&key(part.key)) else { continue };
            let mut end = 0;
            let fits = own.left_out.iter().all(|LeftOut { range, .. }| {
                let is_next = end <= range.start && range.start <= range.end;
                end = range.end;
                is_next && end <= part.place.len()
            });
            // It was noted of these very bytes: else the note is damaged.
            if !fits {
                continue;
            }
            tokens += own.tokens;
            all.extend(own.left_out.iter().map(|it| LeftOut {
                range: part.place.start + it.range.start..part.place.start + it.range.end,
                text: it.text.clone(),
            }));
        }
        (all, tokens)
    }
}

/// The end of no message.
fn root(protocol: Protocol) -> ContentHash {
    ContentHash::of(format!("{VERSION}\n{}", protocol.name()).as_bytes())
}

/// How a part is called in a note.
fn key(hash: ContentHash) -> String {
    hash.as_bytes().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the request says that this tool is to be called.
fn is_chosen(body: &Body, bytes: &[u8], definition: &ToolDefinition) -> bool {
    let name = format!("\"{}\"", definition.name);
    let mut modes = body.modes.iter().map(|mode| &bytes[mode.clone()]);
    modes.any(|mode| String::from_utf8_lossy(mode).contains(&name))
}

/// What the model is told before it says anything.
fn told(body: &Body, bytes: &[u8]) -> Vec<String> {
    let parts = body.system.iter().chain(&body.messages);
    let mut values: Vec<Value> =
        parts.filter_map(|part| serde_json::from_slice(&bytes[part.clone()]).ok()).collect();
    let mut texts = Vec::new();
    while let Some(value) = values.pop() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(all) => values.extend(all),
            Value::Object(all) => values.extend(all.into_iter().map(|(_, value)| value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    texts
}

/// The tools that the last answer in a request called.
fn called(body: &Body, bytes: &[u8]) -> Result<BTreeSet<String>, Inactive> {
    let mut called = BTreeSet::new();
    let mut is_said = false;
    for at in (0..body.messages.len()).rev() {
        let entries = body.message(bytes, at)?.entries;
        let here: BTreeSet<String> =
            entries.iter().flat_map(Entry::calls).map(|call| call.name.clone()).collect();
        // Behind an answer stand its results.
        let is_answer =
            entries.iter().any(|entry| entry.role == foveal_transcript::Role::Assistant);
        if is_said && !is_answer {
            break;
        }
        is_said |= is_answer;
        called.extend(here);
    }
    Ok(called)
}
