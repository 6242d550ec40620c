//! Requests that are given a tool for what is left out of them.
//!
//! Whether a conversation has the tool is decided at its first request and noted: put in later, it
//! would change the prompt's very beginning. What the model called it for is noted too, and stands
//! in every later request where it stood, since the client does not know of it.

use foveal_transcript::{ContentHash, Handle};
use foveal_wire::Protocol;
use foveal_wire::body::{self, Body};
use foveal_wire::response::Called;

use crate::chain::{self, Chain};
use crate::compaction;
use crate::conversations::{Conversations, is_to_be_left, name};
use crate::inactive::Inactive;
use crate::offered::{self, Answers, Begins, Given, Offered, Place, Round, Told, VARIANTS_MAX};
use crate::recorder::{Noted, Unrecorded};
use crate::request::{Asked, Shaped};
use crate::way::Way;

/// What the chain of notes begins with.
const VERSION: &str = "foveal offered 1";

/// What is answered where what was left out cannot be had.
const UNREAD: &str = "what was left out cannot be read at the moment; go on without it, or do again \
                      what gave it";

impl Conversations {
    /// The same, with a tool put into requests that gives back what is left out of them.
    pub fn offering(mut self, offers: bool) -> Self {
        self.offers = offers;
        self
    }

    /// Whether requests are given the tool.
    pub fn offers(&self) -> bool {
        self.offers
    }

    /// Decides about a request that has the tool.
    pub fn shape_offered(&self, asked: &Asked<'_>) -> Shaped {
        self.shape_by(asked, Way::Offered)
    }

    /// A request with the tool, and with what was hidden of earlier answers; `None` where it is to
    /// have none, or it cannot be known whether its conversation has it.
    pub fn offer(&self, asked: &Asked<'_>) -> Option<Offered> {
        if !self.offers {
            return None;
        }
        self.offer_for(asked).ok().flatten()
    }

    fn offer_for(&self, asked: &Asked<'_>) -> Result<Option<Offered>, Inactive> {
        let bytes = asked.body;
        let rules = self.rules(asked.wish)?;
        let Some(tool) = body::expand_tool(asked.protocol) else { return Ok(None) };
        let body = Body::scan(asked.protocol, bytes)?;
        is_to_be_left(&body)?;
        if body.messages.is_empty() || !body::takes_tool(&body, bytes, false)? {
            return Ok(None);
        }
        let root = root(asked.protocol);
        let chain = Chain::of(root, (&body, bytes), &[]);
        let answers = body::answers(&body, bytes)?;
        let first = answers.first().copied().unwrap_or(body.messages.len());
        let mut ends: Vec<ContentHash> = (1..=first).map(|at| begins(chain.end(at))).collect();
        ends.extend(answers.iter().map(|at| answer(chain.end(*at))));
        let mut notes = self.recorder.noted(root, &ends)?;
        let of_live = rules.root(asked.protocol, Way::Offered);
        let conversation = name(&chain::next(of_live, body.fingerprint(bytes, 0)));
        if notes.is_empty() {
            let is_first = answers.is_empty() && !asked.counts;
            if !is_first || !body::takes_tool(&body, bytes, true)? {
                return Ok(None);
            }
            let text = json(&Begins { tool })?;
            let note = Noted { end: begins(chain.end(first)), before: root, text };
            self.recorder.note(&conversation, &note, asked.now)?;
            notes.push(note);
        }
        // What a newer version wrote is as if it were not there.
        let begins = notes.first().and_then(|note| serde_json::from_str::<Begins>(&note.text).ok());
        let Some(Begins { tool }) = begins else { return Ok(None) };
        let mut insertions = Vec::new();
        for at in answers {
            let end = answer(chain.end(at));
            let Some(note) = notes.iter().find(|note| note.end == end) else { continue };
            let kept: Answers = serde_json::from_str(&note.text).unwrap_or_default();
            let variants = kept.answers.iter().rev();
            let mut texts = |told: &Told| self.text(told);
            insertions.extend(
                variants
                    .filter_map(|rounds| offered::hidden(rounds, &mut texts))
                    .find_map(|rounds| body::restored(&body, bytes, at, &rounds))
                    .unwrap_or_default(),
            );
        }
        insertions.extend(body::offered(&body, &tool));
        let before = notes.last().map_or(root, |note| note.end);
        let end = answer(chain.end(body.messages.len()));
        let place = Place { conversation, root, end, before };
        Ok(Some(Offered { body: body::inserted(bytes, insertions), place }))
    }

    /// The text of what a call was told.
    fn text(&self, told: &Told) -> Option<String> {
        match told {
            Told::Failed(why) => Some(why.clone()),
            Told::Lines { handle, start, count } => {
                let content = self.recorder.content(handle.parse().ok()?).ok()??;
                Some(offered::lines(&content.text, (*start).max(1), *count))
            }
        }
    }

    /// Answers a call of the tool in an answer to `asked`, the request as it was offered the tool.
    /// It is given what was left out of that very conversation, and nothing else.
    pub fn give(&self, asked: &Asked<'_>, called: &Called) -> Given {
        let (handle, start) = match offered::asked(called) {
            Ok(asked) => asked,
            Err(wrong) => return Given::failed(called, &wrong.to_string()),
        };
        match self.left_out(asked, handle) {
            Ok(true) => {}
            Ok(false) => {
                let why = format!(
                    "nothing of this conversation is kept under `{handle}`: handles stand in the \
                     notes where something was left out; go on without it"
                );
                return Given::failed(called, &why);
            }
            Err(_) => return Given::failed(called, UNREAD),
        }
        match self.recorder.content(handle) {
            Ok(Some(content)) => match offered::page(&content.text, handle, start) {
                Told::Failed(why) => Given::failed(called, &why),
                told @ Told::Lines { .. } => match self.text(&told) {
                    Some(text) => Given::new(called, told, text),
                    None => Given::failed(called, UNREAD),
                },
            },
            Ok(None) | Err(_) => Given::failed(called, UNREAD),
        }
    }

    /// Whether a note in this conversation names the handle, as far as is recorded of it.
    fn left_out(&self, asked: &Asked<'_>, handle: Handle) -> Result<bool, Inactive> {
        let bytes = asked.body;
        let root = self.rules(asked.wish)?.root(asked.protocol, Way::Offered);
        let mut body = Body::scan(asked.protocol, bytes)?;
        compaction::leave_out_what_is_compacted(&mut body, bytes, 0)?;
        let chain = Chain::of(root, (&body, bytes), &[]);
        let planned = self.recorder.find(root, &chain.ends)?;
        let mut changed = planned.iter().flat_map(|planned| &planned.step.changed);
        Ok(changed.any(|(_, decision)| {
            let mut notes = decision.shape().into_iter().flat_map(|shape| shape.notes());
            notes.any(|note| note.handle == Some(handle))
        }))
    }

    /// Keeps the rounds of an answer, for the requests that go on behind it.
    ///
    /// # Errors
    /// [`Unrecorded`] where they cannot be kept: these requests go without them then.
    pub fn keep_rounds(
        &self,
        place: &Place,
        rounds: Vec<Round>,
        now: foveal_transcript::Timestamp,
    ) -> Result<(), Unrecorded> {
        let Place { conversation, root, end, before } = place;
        let noted = self.recorder.noted(*root, &[*end])?;
        let last = noted.last().filter(|note| note.end == *end);
        let mut kept: Answers =
            last.and_then(|note| serde_json::from_str(&note.text).ok()).unwrap_or_default();
        kept.answers.retain(|other| *other != rounds);
        kept.answers.push(rounds);
        let surplus = kept.answers.len().saturating_sub(VARIANTS_MAX);
        kept.answers.drain(..surplus);
        let note = Noted { end: *end, before: *before, text: json(&kept)? };
        self.recorder.note(conversation, &note, now)
    }
}

/// The end of no message.
fn root(protocol: Protocol) -> ContentHash {
    ContentHash::of(format!("{VERSION}\n{}", protocol.name()).as_bytes())
}

/// What is found of a conversation that began with a request that ends so.
fn begins(end: ContentHash) -> ContentHash {
    chain::next(end, ContentHash::of(b"begins"))
}

/// What is found of the answers to a request that ends so.
fn answer(end: ContentHash) -> ContentHash {
    chain::next(end, ContentHash::of(b"answers"))
}

fn json(value: &impl serde::Serialize) -> Result<String, Unrecorded> {
    serde_json::to_string(value).map_err(|error| Unrecorded(error.to_string()))
}
