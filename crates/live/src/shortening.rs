//! Definitions of tools that are shortened at a conversation's first request.
//!
//! What goes of them is decided there, by what the user's sessions called until then, and noted for
//! each description and schema by its content. Every later request has the same left out of the
//! same parts; a tool that is added later stays as the client sent it.

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
use crate::shorter::{AboutTools, Knowledge, ShorterTools};
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

    /// A request with shorter tools; `None` where nothing is to be done about it, or nothing can be
    /// known of it.
    pub fn shorten(&self, asked: &Asked<'_>) -> Option<ShorterTools> {
        let knowledge = self.shortens.as_ref()?;
        self.shorter(asked, knowledge).ok().flatten()
    }

    fn shorter(
        &self,
        asked: &Asked<'_>,
        knowledge: &Knowledge,
    ) -> Result<Option<ShorterTools>, Inactive> {
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
        let begun = self.tools_begun(asked, (&body, &definitions, first), (rules, knowledge))?;
        let (left_out, tokens) = begun.left_out(bytes, &definitions);
        let called = called(&body, bytes)?;
        let called_shortened = called.iter().any(|name| begun.shortened.contains(name));
        let about = AboutTools { called, left_out: Tokens(tokens), called_shortened };
        let shorter = (!left_out.is_empty()).then(|| body::without(bytes, &left_out));
        Ok(Some(ShorterTools { body: shorter, about }))
    }

    /// What was decided at the start of a request's conversation, or is, where this is the start.
    fn tools_begun(
        &self,
        asked: &Asked<'_>,
        (body, definitions, first): (&Body, &[ToolDefinition], usize),
        (rules, knowledge): (&Rules, &Knowledge),
    ) -> Result<Begun, Inactive> {
        let bytes = asked.body;
        let root = root(asked.protocol);
        let mut ends = Vec::with_capacity(first);
        let mut end = root;
        for message in 0..first {
            end = chain::next(end, body.fingerprint(bytes, message));
            ends.push(end);
        }
        let is_first = first == body.messages.len();
        let noted = self.recorder.noted(root, &ends)?;
        let noted = noted.last().filter(|note| !is_first || note.end == end);
        // What a newer version wrote is as if it were not there.
        let noted = noted.and_then(|note| serde_json::from_str::<Begun>(&note.text).ok());
        let is_old = |begun: &Begun| asked.now.since_ms(Timestamp(begun.time)) > AGAIN_MS;
        match noted {
            Some(begun) if !(is_first && is_old(&begun)) => return Ok(begun),
            _ if !is_first => return Ok(Begun::default()),
            _ => {}
        }
        let begun = match knowledge() {
            Some(known) => Begun::decide(asked, (body, definitions), rules, &known)?,
            None => Begun { time: asked.now.0, ..Begun::default() },
        };
        // That nothing is left out stands too: who goes back to the start has the same tools.
        if !asked.counts {
            let text = serde_json::to_string(&begun);
            let text = text.map_err(|error| Unrecorded(error.to_string()))?;
            let offers = self.offers && body::expand_tool(asked.protocol).is_some();
            let is_offered = offers && body::takes_tool(body, bytes, true)?;
            let way = if is_offered { Way::Offered } else { rules.way };
            let of_live = rules.root(asked.protocol, way);
            let conversation = name(&chain::next(of_live, body.fingerprint(bytes, 0)));
            self.recorder.note(&conversation, &Noted { end, before: root, text }, asked.now)?;
        }
        Ok(begun)
    }
}

impl Begun {
    fn decide(
        asked: &Asked<'_>,
        (body, definitions): (&Body, &[ToolDefinition]),
        rules: &Rules,
        known: &ToolUse,
    ) -> Result<Self, Inactive> {
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
