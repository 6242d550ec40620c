//! Requests that are given a tool for what is left out of them.
//!
//! Whether a conversation has the tool is decided at its first request and noted: put in later, it
//! would change the prompt's very beginning. What the model called it for is noted too, and stands
//! in every later request where it stood, since the client does not know of it. What was noted is
//! held in memory as well, so that the same goes where the store fails or is slow.

use foveal_transcript::ContentHash;
use foveal_wire::Protocol;
use foveal_wire::body::{self, Body};

use crate::chain::{self, Chain};
use crate::conversations::{Conversations, is_to_be_left, name};
use crate::inactive::Inactive;
use crate::offered::{self, Answers, Begins, Offered, Place, Told, Unoffered, VARIANTS_MAX};
use crate::recorder::{Noted, Unrecorded};
use crate::request::{Asked, Shaped};
use crate::waiting::{Earlier, Waiting};
use crate::way::Way;

/// What the chain of notes begins with.
const VERSION: &str = "foveal offered 1";

/// A request that may have the tool.
struct Draft<'a> {
    bytes: &'a [u8],
    asked: &'a Asked<'a>,
    body: Body,
    chain: Chain,
    /// Where answers of the model begin.
    answers: Vec<usize>,
    /// The tool, for a conversation that begins.
    tool: String,
    conversation: String,
    /// The ends of no message where decisions are made with the tool, and without.
    roots: [ContentHash; 2],
}

/// Where what was hidden is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Store,
    Memory,
}

impl Draft<'_> {
    /// How many messages stand in front of the first answer.
    fn first(&self) -> usize {
        self.answers.first().copied().unwrap_or(self.body.messages.len())
    }

    /// What is found of the conversation's beginning.
    fn begins(&self) -> ContentHash {
        begins(self.chain.end(self.first()))
    }

    /// The beginning with the first answer, as the client has it.
    fn with_answer(&self) -> Option<ContentHash> {
        let first = self.answers.first()?;
        Some(begins(self.chain.end(first + 1)))
    }

    /// What notes on it are found by.
    fn ends(&self) -> Vec<ContentHash> {
        let mut ends: Vec<ContentHash> =
            (1..=self.first()).map(|at| begins(self.chain.end(at))).collect();
        ends.extend(self.answers.iter().map(|at| answer(self.chain.end(*at))));
        ends
    }

    /// The ends behind the first answer, where decisions are made so.
    fn beyond(&self, root: ContentHash) -> Vec<ContentHash> {
        let mut ends = Chain::of(root, (&self.body, self.bytes), &[]).ends;
        ends.drain(..self.first());
        ends
    }

    /// Whether the first answer is one of these, as far as can be seen.
    fn recalls(&self, noted: &Begins) -> bool {
        let Some(at) = self.answers.first() else { return false };
        noted.answers.iter().any(|shown| body::recalls(&self.body, self.bytes, *at, shown))
    }
}

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
    /// have none.
    ///
    /// # Errors
    /// [`Unoffered`] where it cannot be known whether its conversation has it.
    pub fn offer(
        &self,
        asked: &Asked<'_>,
        waiting: &Waiting<Offered>,
    ) -> Result<Option<Offered>, Unoffered> {
        if !self.offers {
            return Ok(None);
        }
        // Nothing can be done about such a request, with the tool or without it.
        let Ok(Some(draft)) = self.draft(asked) else { return Ok(None) };
        let (notes, earlier) = self.remembered_of(&draft);
        let goes_with = matches!(earlier, Some(Some(_)));
        let is_whole = matches!(&earlier, Some(Some(offered)) if !offered.is_partial);
        waiting.know(earlier);
        let made = {
            let _turn = self.noting.wait(draft.begins());
            let made = self.made(&draft, waiting);
            match made {
                // What the store could not keep is held in memory alone.
                Ok(Some(noted)) if is_whole && notes.starts_with(&noted) => {
                    Ok(waiting.decide_as_known())
                }
                Ok(Some(noted)) => {
                    Ok(Some(Some(Box::new(self.built(&draft, &noted, Source::Store)))))
                }
                Ok(None) => Ok(Some(None)),
                Err(error) => match waiting.decide_as_known() {
                    Some(known) => Ok(Some(known)),
                    None => Err(error),
                },
            }
        };
        if !waiting.decide() && draft.answers.is_empty() && !goes_with {
            // It went without.
            self.note_others(&draft)?;
        }
        Ok(made?.flatten().map(|offered| *offered))
    }

    /// What can be known of a request without asking anybody; `None` where it cannot have the tool.
    fn draft<'a>(&self, asked: &'a Asked<'a>) -> Result<Option<Draft<'a>>, Inactive> {
        let bytes = asked.body;
        let rules = self.rules(asked.wish)?;
        let tool = body::expand_tool(asked.protocol);
        let body = Body::scan(asked.protocol, bytes)?;
        is_to_be_left(&body)?;
        if body.messages.is_empty() || !body::takes_tool(&body, bytes, false)? {
            return Ok(None);
        }
        let chain = Chain::of(root(asked.protocol), (&body, bytes), &[]);
        let answers = body::answers(&body, bytes)?;
        let roots = [Way::Offered, rules.way].map(|way| rules.root(asked.protocol, way));
        let conversation = name(&chain::next(roots[0], body.fingerprint(bytes, 0)));
        Ok(Some(Draft { bytes, asked, body, chain, answers, tool, conversation, roots }))
    }

    /// The notes that are held in memory, and what they come to; `None` where nothing is held.
    fn remembered_of(&self, draft: &Draft<'_>) -> (Vec<Noted>, Option<Earlier<Offered>>) {
        let notes = self.remembered.noted(draft.chain.root, &draft.ends());
        let noted = notes.first().and_then(read);
        let has = match (draft.with_answer(), &noted) {
            (None, noted) => Some(noted.as_ref().is_some_and(|noted| noted.tool.is_some())),
            (Some(key), Some(noted)) => {
                self.remembered.has(key).or_else(|| draft.recalls(noted).then_some(true))
            }
            (Some(key), None) => self.remembered.has(key).filter(|has| !has),
        };
        let earlier =
            has.map(|has| has.then(|| Box::new(self.built(draft, &notes, Source::Memory))));
        (notes, earlier)
    }

    /// The notes on a conversation that has the tool; `None` where it has not.
    fn made(
        &self,
        draft: &Draft<'_>,
        waiting: &Waiting<Offered>,
    ) -> Result<Option<Vec<Noted>>, Unrecorded> {
        let notes = self.recorder.noted(draft.chain.root, &draft.ends())?;
        let begun = notes.first().and_then(read);
        let is_first = draft.answers.is_empty();
        if is_first && begun.as_ref().is_none_or(|begun| begun.tool.is_none()) {
            let has_others = begun.is_some_and(|begun| begun.has_others);
            return self.begun(draft, has_others, waiting);
        }
        let has = match begun {
            Some(begun) => is_first || self.has(draft, &notes, &begun)?,
            // What a newer version wrote is as if it were not there.
            None => false,
        };
        if let Some(key) = draft.with_answer() {
            self.remembered.keep_has(key, has);
        }
        if has {
            self.remembered.keep(&notes);
        }
        Ok(has.then_some(notes))
    }

    /// Gives a conversation that begins the tool, where it can have it and somebody waits.
    fn begun(
        &self,
        draft: &Draft<'_>,
        has_others: bool,
        waiting: &Waiting<Offered>,
    ) -> Result<Option<Vec<Noted>>, Unrecorded> {
        let takes = body::takes_tool(&draft.body, draft.bytes, true).unwrap_or(false);
        if draft.asked.counts || !takes || waiting.is_given_up() {
            return Ok(None);
        }
        let tool = Some(draft.tool.clone());
        let note = self.note_beginning(draft, &Begins { tool, has_others, ..Begins::default() })?;
        self.remembered.keep(std::slice::from_ref(&note));
        Ok(Some(vec![note]))
    }

    /// Whether the longest known beginning of a conversation is one that had the tool. That others
    /// begin with the same words says nothing of it: what the model answered does.
    fn has(&self, draft: &Draft<'_>, notes: &[Noted], begun: &Begins) -> Result<bool, Unrecorded> {
        let later = draft.answers.iter().skip(1).map(|at| answer(draft.chain.end(*at)));
        let later: Vec<ContentHash> = later.collect();
        if begun.tool.is_none() {
            return Ok(false);
        }
        let [with, without] = draft.roots;
        if notes.iter().any(|note| later.contains(&note.end))
            || self.recorder.knows(&draft.beyond(with))?
        {
            return Ok(true);
        }
        if self.recorder.knows(&draft.beyond(without))? {
            return Ok(false);
        }
        let is_exact = notes.first().is_some_and(|note| note.end == draft.begins());
        let broke_off = begun.answers.iter().any(Vec::is_empty);
        let is_unknown =
            begun.answers.is_empty() || broke_off || begun.answers.len() >= VARIANTS_MAX;
        Ok(draft.recalls(begun) || (is_exact && is_unknown && !begun.has_others))
    }

    /// Notes that a conversation that begins so went without the tool.
    fn note_others(&self, draft: &Draft<'_>) -> Result<(), Unrecorded> {
        let _turn = self.noting.wait(draft.begins());
        let notes = self.recorder.noted(draft.chain.root, &[draft.begins()])?;
        // Where this very request was to have it, no other has it yet.
        if let Some(begun) = notes.first().and_then(read) {
            let note = self.note_beginning(draft, &Begins { has_others: true, ..begun })?;
            self.remembered.keep(&[note]);
        }
        Ok(())
    }

    fn note_beginning(&self, draft: &Draft<'_>, begins: &Begins) -> Result<Noted, Unrecorded> {
        let note = Noted { end: draft.begins(), before: draft.chain.root, text: json(begins)? };
        self.recorder.note(&draft.conversation, &note, draft.asked.now)?;
        Ok(note)
    }

    /// A request with the tool, and with what was hidden of earlier answers.
    fn built(&self, draft: &Draft<'_>, notes: &[Noted], source: Source) -> Offered {
        let Draft { bytes, body, chain, answers, .. } = draft;
        let mut is_partial = false;
        let mut insertions = Vec::new();
        for at in answers {
            let end = answer(chain.end(*at));
            let Some(note) = notes.iter().find(|note| note.end == end) else { continue };
            let kept: Answers = serde_json::from_str(&note.text).unwrap_or_default();
            let mut none = |_: &Told| Some(String::new());
            let fits = |rounds: &&Vec<offered::Round>| {
                let rounds = offered::hidden(rounds, &mut none);
                rounds.is_some_and(|rounds| body::restored(body, bytes, *at, &rounds).is_some())
            };
            let Some(rounds) = kept.answers.iter().rev().find(fits) else { continue };
            let mut texts = |told: &Told| match self.text(told, source) {
                Ok(text) => text,
                Err(_) => {
                    is_partial = true;
                    None
                }
            };
            let restored = offered::hidden(rounds, &mut texts)
                .and_then(|rounds| body::restored(body, bytes, *at, &rounds));
            insertions.extend(restored.unwrap_or_default());
        }
        let tool = notes.first().and_then(read).and_then(|begun| begun.tool);
        insertions.extend(tool.and_then(|tool| body::offered(body, bytes, &tool)));
        let place = Place {
            conversation: draft.conversation.clone(),
            root: chain.root,
            end: answer(chain.end(body.messages.len())),
            before: notes.last().map_or(chain.root, |note| note.end),
            begins: draft.begins(),
            is_first: answers.is_empty(),
        };
        Offered { body: body::inserted(bytes, insertions), place, is_partial }
    }

    /// The text of what a call was told; `None` where it is kept no longer.
    fn text(&self, told: &Told, source: Source) -> Result<Option<String>, Unrecorded> {
        let Told::Lines { handle, start, count } = told else {
            let Told::Failed(why) = told else { return Ok(None) };
            return Ok(Some(why.clone()));
        };
        let key = ContentHash::of(format!("{handle} {start} {count}").as_bytes());
        if let Some(text) = self.remembered.text(key) {
            return Ok(Some(text));
        }
        let Ok(handle) = handle.parse() else { return Ok(None) };
        let content = match source {
            Source::Store => self.recorder.content(handle)?,
            Source::Memory => return Err(Unrecorded("it is not held".to_owned())),
        };
        let text = content.map(|content| offered::lines(&content.text, (*start).max(1), *count));
        if let Some(text) = &text {
            self.remembered.keep_text(key, text);
        }
        Ok(text)
    }

    /// The text of what a call is told, from the store.
    pub(crate) fn given_text(&self, told: &Told) -> Option<String> {
        self.text(told, Source::Store).ok().flatten()
    }
}

/// What a note says of a beginning; `None` where a newer version wrote it.
pub(crate) fn read(note: &Noted) -> Option<Begins> {
    serde_json::from_str(&note.text).ok()
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

pub(crate) fn json(value: &impl serde::Serialize) -> Result<String, Unrecorded> {
    serde_json::to_string(value).map_err(|error| Unrecorded(error.to_string()))
}
