//! One conversation while it is live: the engine, and where in the client's messages the texts
//! stand that it may replace.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use foveal_context::engine::Engine;
use foveal_context::note::Note;
use foveal_context::planner::Planner;
use foveal_context::shape::{Decision, Piece, Shape};
use foveal_context::step::Step;
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_transcript::{ContentHash, Conversation, Entry, EntryIndex, Role, Timestamp};
use foveal_wire::body::{self, Body, BodyError, MarkPlace, Slot};

use crate::chain::Chain;
use crate::models::Model;
use crate::prelude::Prelude;
use crate::recorder::{Planned, Turn};
use crate::request::Replaced;
use crate::way::Way;

/// A conversation.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    engine: Engine,
    tokenizer: Tokenizer,
    prelude: Prelude,
    messages: Vec<Known>,
    /// The chain's end behind the last planned request.
    planned: ContentHash,
    /// What was decided so far, to go back to where it was before the last request.
    steps: Vec<Planned>,
    /// What could not be kept, the first first.
    unkept: Vec<Turn>,
    model: Model,
    /// Bytes of all messages, to know about how much memory this takes.
    bytes: usize,
    way: Way,
}

/// Whether a step was decided about so many entries.
fn is_about(step: &Step, entries: usize) -> bool {
    let changed = step.changed.iter().map(|(index, _)| index);
    let levels = step.levels.iter().map(|(index, _)| index);
    step.answer.at() == entries && changed.chain(levels).all(|index| index.at() < entries)
}

/// A message that is known.
#[derive(Debug, Clone)]
struct Known {
    end: ContentHash,
    /// Its length and whether it had a mark: where both are as before, places in it are too.
    length: usize,
    is_marked: bool,
    /// Its first entry.
    entry: EntryIndex,
    places: Vec<Place>,
}

/// What a message says.
pub(crate) struct Said {
    /// Whether that is told with the message before it.
    goes_on: bool,
    entries: Vec<Entry>,
    slots: Vec<Slot>,
}

/// What messages say. Items of one response are one entry, that of the first of them: how many
/// responses there were is what asking twice is told by. What came with one of the requests that
/// end behind the messages `requests` is not told with what came earlier.
pub(crate) fn said(
    (body, bytes): (&Body, &[u8]),
    messages: Range<usize>,
    requests: &[usize],
) -> Result<Vec<Said>, BodyError> {
    let mut all: Vec<Said> = Vec::with_capacity(messages.len());
    let mut response: Option<usize> = None;
    for at in messages {
        let body::Message { mut entries, slots, continues, .. } = body.message(bytes, at)?;
        let is_one = matches!(&entries[..], [entry] if entry.role == Role::Assistant);
        let begins = requests.binary_search(&at).is_ok();
        let first = response.filter(|_| continues && is_one && !begins);
        if let Some(first) = first.and_then(|first| all[first].entries.last_mut()) {
            first.blocks.extend(entries.drain(..).flat_map(|entry| entry.blocks));
            all.push(Said { goes_on: true, entries, slots });
        } else {
            response = is_one.then_some(all.len());
            all.push(Said { goes_on: false, entries, slots });
        }
    }
    Ok(all)
}

/// What a result has to be shorter by where notes are longer than the engine counted.
const LONGER_BYTES: usize = 64;

/// A text of a result.
#[derive(Debug, Clone)]
struct Place {
    slot: Slot,
    /// What stands in its place, if anything does.
    text: Option<Arc<str>>,
}

impl Live {
    /// A conversation at its start.
    pub(crate) fn new(
        planner: Planner,
        model: Model,
        tokenizer: Tokenizer,
        root: ContentHash,
    ) -> Self {
        Self {
            engine: Engine::new(Conversation::default(), tokenizer, planner),
            tokenizer,
            prelude: Prelude::default(),
            messages: Vec::new(),
            planned: root,
            steps: Vec::new(),
            unkept: Vec::new(),
            model,
            bytes: 0,
            way: Way::default(),
        }
    }

    /// The same with notes that tell another way to what they stand for.
    pub(crate) fn with_way(mut self, way: Way) -> Self {
        self.way = way;
        self
    }

    /// The chain's end behind the last planned request.
    pub(crate) fn planned(&self) -> ContentHash {
        self.planned
    }

    /// The model that it was decided for.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// What could not be kept so far, the first first.
    pub(crate) fn take_unkept(&mut self) -> Vec<Turn> {
        std::mem::take(&mut self.unkept)
    }

    /// Notes what could not be kept.
    pub(crate) fn keep_later(&mut self, turn: Turn) {
        self.unkept.push(turn);
    }

    /// Messages that are known.
    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Bytes of all messages.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is any text that could be replaced.
    pub(crate) fn has_places(&self) -> bool {
        self.messages.iter().any(|message| !message.places.is_empty())
    }

    /// Takes in the messages of a request up to `until` that are not known yet, and where the texts
    /// of the known ones stand in it.
    pub(crate) fn take(
        &mut self,
        (body, bytes): (&Body, &[u8]),
        chain: &Chain,
        until: usize,
    ) -> Result<(), BodyError> {
        let marked = |message| body.marks.iter().any(|it| it.place == MarkPlace::Message(message));
        for at in 0..self.messages.len() {
            let (length, is_marked) = (body.messages[at].len(), marked(at));
            let known = &mut self.messages[at];
            if (known.length, known.is_marked) == (length, is_marked) && !is_marked {
                continue;
            }
            (known.length, known.is_marked) = (length, is_marked);
            if !known.places.is_empty() {
                let moved = body.message(bytes, at)?.slots;
                for (place, slot) in known.places.iter_mut().zip(moved) {
                    place.slot = slot;
                }
            }
        }
        for said in said((body, bytes), self.len()..until, &[])? {
            let is_marked = marked(self.len());
            self.push(said, body, chain, is_marked);
        }
        let prelude = self.prelude.tokens(body, bytes, self.tokenizer);
        self.engine.set_prelude(prelude);
        Ok(())
    }

    /// The conversation, at its start, as it was after these messages and steps.
    pub(crate) fn resumed(
        mut self,
        body: &Body,
        chain: &Chain,
        said: Vec<Said>,
        planned: &[Planned],
    ) -> Self {
        let mut planned = planned.iter().peekable();
        for said in said {
            self.push(said, body, chain, true);
            let end = chain.end(self.len());
            let Some(Planned { step, .. }) = planned.next_if(|planned| planned.end == end) else {
                continue;
            };
            if !is_about(step, self.engine.record().len()) {
                // It was decided about something else: what is recorded is damaged.
                break;
            }
            self.engine.take_over(step);
            self.settle(Arc::clone(step));
        }
        self
    }

    /// Takes in the next message.
    fn push(&mut self, said: Said, body: &Body, chain: &Chain, is_marked: bool) {
        let at = self.messages.len();
        let last = self.engine.record().len() as u32;
        // What goes on with a response is told with it.
        let entry = EntryIndex(if said.goes_on { last.saturating_sub(1) } else { last });
        for entry in said.entries {
            self.engine.push(entry);
        }
        let places = said.slots.into_iter().map(|slot| Place { slot, text: None }).collect();
        let (length, end) = (body.messages[at].len(), chain.end(at + 1));
        self.bytes += length;
        self.messages.push(Known { end, length, is_marked, entry, places });
    }

    /// Decides about what is new.
    pub(crate) fn plan(&mut self, now: Timestamp) -> Arc<Step> {
        let step = Arc::new(self.engine.plan(Some(now)));
        self.settle(Arc::clone(&step));
        step
    }

    /// Lets what is new pass as it is.
    pub(crate) fn let_pass(&mut self, now: Timestamp) -> Arc<Step> {
        let step = Arc::new(self.engine.let_pass(Some(now)));
        self.settle(Arc::clone(&step));
        step
    }

    /// What was decided so far, the first step first.
    pub(crate) fn steps(&self) -> &[Planned] {
        &self.steps
    }

    /// The texts in place of others in a body whose messages are known.
    pub(crate) fn replaced(&self, body: &Body) -> Replaced {
        let messages = self.messages.iter().zip(&body.messages);
        messages
            .flat_map(|(known, message)| {
                known.places.iter().filter_map(|place| place.replaced(message.start))
            })
            .collect()
    }

    /// The contents of the results that a step replaces.
    pub(crate) fn contents<'a>(&'a self, step: &Step) -> Vec<&'a str> {
        let replaced = step.changed.iter().filter(|(_, decision)| decision.shape().is_some());
        let record = self.engine.record();
        replaced.filter_map(|(index, _)| Some(&*record.entry(*index).result()?.content)).collect()
    }

    /// Tokens of the prompt as the client sent it, and as it goes.
    pub(crate) fn tokens(&self) -> (Tokens, Tokens) {
        (self.engine.tokens_recorded(), self.engine.tokens())
    }

    /// Tokens of the first messages and of what stands in front of them, as the client sent them.
    pub(crate) fn tokens_asked(&self, messages: usize) -> Tokens {
        let record = self.engine.record();
        let entries = self.messages.get(messages).map_or(record.len() as u32, |it| it.entry.0);
        let tokens = (0..entries).map(|at| record.facts(EntryIndex(at)).tokens);
        self.engine.prelude() + tokens.sum()
    }

    /// Tokens of the first entries and of what stands in front of them, as they go.
    pub(crate) fn tokens_sent(&self, entries: usize) -> Tokens {
        let window = self.engine.window().iter().take(entries);
        self.engine.prelude() + window.map(|index| self.engine.item(*index).tokens).sum()
    }

    /// The engine's view of the last message.
    pub(crate) fn last_entries(&self) -> impl Iterator<Item = &Entry> {
        let first = self.messages.last().map_or(0, |known| known.entry.0);
        let entries = first..self.engine.record().len() as u32;
        entries.map(|at| self.engine.record().entry(EntryIndex(at)))
    }

    /// Puts the texts in their places that a step decided about.
    fn settle(&mut self, step: Arc<Step>) {
        for (index, decision) in &step.changed {
            self.put(*index, decision);
        }
        self.planned = self.messages.last().map_or(self.planned, |known| known.end);
        self.steps.push(Planned { end: self.planned, step });
    }

    fn put(&mut self, index: EntryIndex, decision: &Decision) {
        let at = self.messages.partition_point(|known| known.entry <= index);
        let Some(known) = at.checked_sub(1).map(|at| &mut self.messages[at]) else { return };
        let entry = (index.0 - known.entry.0) as usize;
        let result = self.engine.record().entry(index).result();
        let content = result.map_or("", |result| &result.content);
        put(&mut known.places, entry, (content, self.way), decision);
    }

    /// The texts that are replaced, each with what stands in its place.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.messages.iter().flat_map(|known| {
            known.places.iter().filter_map(|place| {
                let index = EntryIndex(known.entry.0 + place.slot.entry as u32);
                let result = self.engine.record().entry(index).result()?;
                Some((&result.content[place.slot.content.clone()], place.text.as_deref()?))
            })
        })
    }

    /// Whether something stands in place of a result.
    fn is_replaced(&self, index: EntryIndex) -> bool {
        let at = self.messages.partition_point(|known| known.entry <= index);
        let Some(known) = at.checked_sub(1).map(|at| &self.messages[at]) else { return false };
        let entry = (index.0 - known.entry.0) as usize;
        known.places.iter().any(|place| place.slot.entry == entry && place.text.is_some())
    }

    /// The contents of which something is left out that a note says how to get, each once.
    pub(crate) fn behind_notes(&self) -> Vec<&str> {
        let changed = self.steps.iter().flat_map(|planned| &planned.step.changed);
        let mut last: BTreeMap<EntryIndex, &Decision> = BTreeMap::new();
        last.extend(changed.map(|(at, decision)| (*at, decision)));
        let has_handle = |decision: &Decision| {
            decision.shape().is_some_and(|shape| shape.notes().any(|note| note.handle.is_some()))
        };
        let record = self.engine.record();
        let mut contents: Vec<&str> = last
            .iter()
            .filter(|(index, decision)| has_handle(decision) && self.is_replaced(**index))
            .filter_map(|(index, _)| Some(&*record.entry(*index).result()?.content))
            .collect();
        let mut seen = HashSet::new();
        contents.retain(|content| seen.insert(*content));
        contents
    }
}

/// The texts in place of others in a body whose conversation was decided about so far: what goes
/// while the engine is still to be brought to where it stood.
pub(crate) fn replaced_by(body: &Body, said: &[Said], planned: &[Planned], way: Way) -> Replaced {
    let changed = planned.iter().flat_map(|planned| &planned.step.changed);
    let last: HashMap<EntryIndex, &Decision> =
        changed.map(|(at, decision)| (*at, decision)).collect();
    let mut replaced = Vec::new();
    let mut first = 0;
    for (said, range) in said.iter().zip(&body.messages) {
        let places = said.slots.iter().map(|slot| Place { slot: slot.clone(), text: None });
        let mut places: Vec<Place> = places.collect();
        for (entry, it) in said.entries.iter().enumerate() {
            if let Some(decision) = last.get(&EntryIndex((first + entry) as u32)) {
                let content = it.result().map_or("", |result| &result.content);
                put(&mut places, entry, (content, way), decision);
            }
        }
        first += said.entries.len();
        replaced.extend(places.iter().filter_map(|place| place.replaced(range.start)));
    }
    replaced
}

/// Puts the texts that a decision about one entry means in its places.
fn put(places: &mut [Place], entry: usize, (content, way): (&str, Way), decision: &Decision) {
    let texts = decision.shape().map(|shape| texts(shape, (content, way), entry, places));
    let goes = |texts: &Vec<Option<String>>| {
        let length: usize = texts.iter().flatten().map(String::len).sum();
        way == Way::Expand || length + LONGER_BYTES <= content.len()
    };
    let mut texts = texts.filter(goes).into_iter().flatten();
    for place in places.iter_mut().filter(|place| place.slot.entry == entry) {
        place.text = texts.next().flatten().map(Arc::from);
    }
}

impl Place {
    /// Its text and where that goes, in a body in which its message begins at `start`.
    fn replaced(&self, start: usize) -> Option<(Range<usize>, Arc<str>)> {
        let text = self.text.as_ref()?;
        let string = start + self.slot.string.start..start + self.slot.string.end;
        Some((string, Arc::clone(text)))
    }
}

/// What a shape means for the parts that the client sent a result in.
fn texts(
    shape: &Shape,
    (content, way): (&str, Way),
    entry: usize,
    places: &[Place],
) -> Vec<Option<String>> {
    let whole = (way == Way::Hash).then(|| ContentHash::of(content.as_bytes()));
    let spell = |note: &Note| match &whole {
        Some(whole) => note.by_hash(whole).to_string(),
        None => note.to_string(),
    };
    let own = places.iter().filter(|place| place.slot.entry == entry);
    let parts: Vec<Range<usize>> = own.map(|place| place.slot.content.clone()).collect();
    let mut notes = Vec::with_capacity(shape.pieces.len());
    for piece in &shape.pieces {
        notes.push(match piece {
            Piece::Keep(_) => String::new(),
            Piece::Break | Piece::Note(..) => shape.text_by(piece, content, &spell).into_owned(),
        });
    }
    let mut end = 0;
    let pieces: Vec<body::Piece<'_>> = shape
        .pieces
        .iter()
        .zip(&notes)
        .map(|(piece, text)| match piece {
            Piece::Keep(range) => {
                end = range.end as usize;
                body::Piece::Keep(range.start as usize..end)
            }
            Piece::Break => body::Piece::Text(end, text),
            Piece::Note(to, _) => {
                end = *to as usize;
                body::Piece::Text(end, text)
            }
        })
        .collect();
    body::divide(content, &parts, &pieces)
}
