//! Calls of the tool answered, and kept for the requests behind them.

use foveal_transcript::{Handle, Timestamp};
use foveal_wire::body::Body;
use foveal_wire::response::Called;

use crate::chain::Chain;
use crate::compaction;
use crate::conversations::Conversations;
use crate::inactive::Inactive;
use crate::offered::{self, Answers, Given, Place, Round, Told, VARIANTS_MAX};
use crate::offering::{json, read};
use crate::recorder::{Noted, Unrecorded};
use crate::request::Asked;
use crate::way::Way;

/// What is answered where what was left out cannot be had.
const UNREAD: &str = "what was left out cannot be read at the moment; go on without it, or do again \
                      what gave it";

impl Conversations {
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
                told @ Told::Lines { .. } => match self.given_text(&told) {
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

    /// Keeps the rounds of an answer, for the requests that go on behind it. One that was shown to
    /// nobody as a whole has none.
    ///
    /// # Errors
    /// [`Unrecorded`] where they cannot be kept: these requests go without them then.
    pub fn keep_rounds(
        &self,
        place: &Place,
        rounds: Vec<Round>,
        now: Timestamp,
    ) -> Result<(), Unrecorded> {
        // Answers to one request may end at the same time.
        let _turn = self.noting.wait(place.begins);
        if place.is_first {
            self.keep_first(place, &rounds, now)?;
        }
        if rounds.iter().all(|round| round.calls.is_empty()) {
            return Ok(());
        }
        let Place { root, end, before, .. } = place;
        let noted = self.recorder.noted(*root, &[*end])?;
        let last = noted.last().filter(|note| note.end == *end);
        let mut kept: Answers =
            last.and_then(|note| serde_json::from_str(&note.text).ok()).unwrap_or_default();
        add(&mut kept.answers, rounds);
        self.keep_note(place, &Noted { end: *end, before: *before, text: json(&kept)? }, now)
    }

    /// Keeps what is shown of a first answer: by it the conversation is told from others that begin
    /// with the same words.
    fn keep_first(
        &self,
        place: &Place,
        rounds: &[Round],
        now: Timestamp,
    ) -> Result<(), Unrecorded> {
        let noted = self.recorder.noted(place.root, &[place.begins])?;
        let Some(mut begun) = noted.first().and_then(read) else { return Ok(()) };
        let shown = rounds.iter().flat_map(|round| round.shown.iter().cloned()).collect();
        if begun.answers.contains(&shown) {
            return Ok(());
        }
        add(&mut begun.answers, shown);
        let note = Noted { end: place.begins, before: place.root, text: json(&begun)? };
        self.keep_note(place, &note, now)
    }

    fn keep_note(&self, place: &Place, note: &Noted, now: Timestamp) -> Result<(), Unrecorded> {
        self.remembered.keep(std::slice::from_ref(note));
        self.recorder.note(&place.conversation, note, now)
    }
}

/// Adds the newest; the oldest give way.
fn add<T: PartialEq>(all: &mut Vec<T>, one: T) {
    all.retain(|other| *other != one);
    all.push(one);
    let surplus = all.len().saturating_sub(VARIANTS_MAX);
    all.drain(..surplus);
}
