//! One conversation while it is live: the engine, and where in the client's messages the texts
//! stand that it may replace.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use foveal_context::budget::WindowLimit;
use foveal_context::engine::Engine;
use foveal_context::lines::ExcerptSource;
use foveal_context::planner::Planner;
use foveal_context::shape::{Decision, Piece, Shape};
use foveal_context::step::{BacklogChange, Item, Step};
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_context::weight::{Weigh, Weight};
use foveal_context::wish::{Wish, Wishes};
use foveal_transcript::{ContentHash, Conversation, EntryIndex, Timestamp};
use foveal_wire::body::{Body, BodyError, MarkPlace};

use crate::caching::Caching;
use crate::chain::Chain;
use crate::familiar::Familiar;
use crate::models::Model;
use crate::places::{self, Place, Said, said};
use crate::prelude::Prelude;
use crate::recorder::{Original, Planned, Recorder, Turn, Unrecorded};
use crate::replaced::{Replaced, Standing};
use crate::request::Reduced;
use crate::way::Way;

/// A conversation.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    engine: Engine,
    tokenizer: Tokenizer,
    prelude: Prelude,
    messages: Vec<Known>,
    /// Those of them in which something stands in place of a text: a few of many.
    replaced_in: BTreeSet<usize>,
    /// These texts, once somebody asks for them, as long as none changes.
    standing: OnceCell<Standing>,
    /// The chain's end of no message.
    root: ContentHash,
    /// The chain's end behind the last planned request.
    planned: ContentHash,
    /// What was decided so far, to go back to where it was before the last request.
    steps: Vec<Planned>,
    /// What could not be kept, the first first.
    unkept: Vec<Turn>,
    model: Model,
    /// The messages of the last request, as the next one is compared with them.
    familiar: Option<Arc<Familiar>>,
    /// How often in a row what was decided came too late, and how many requests are still to pass
    /// before old results may be rewritten again.
    late: u32,
    still: u32,
    /// Bytes of all messages, to know about how much memory this takes.
    bytes: usize,
    way: Way,
    weigh: Weigh,
    /// The first entry whose content the recorder was not told of to get ready.
    unready: EntryIndex,
    /// The first entry of which is not known whether it is an excerpt of a content that is kept.
    unsourced: EntryIndex,
}

/// The most often that lateness doubles how long it is not tried again.
const LATE_MAX: u32 = 6;

/// Bytes of the longest content that is got ready: for one that takes long a request may have to wait.
const READY_BYTES_MAX: usize = 256 << 10;

/// Whether a message of a body has a mark.
fn is_marked(body: &Body, message: usize) -> bool {
    body.marks.iter().any(|mark| mark.place == MarkPlace::Message(message))
}

/// Whether a step was decided about so many entries.
fn is_about(step: &Step, entries: usize) -> bool {
    let changed = step.changed.iter().map(|(index, _)| index);
    let levels = step.levels.iter().map(|(index, _)| index);
    let mut all = changed.chain(levels);
    step.answer.at() == entries && all.all(|index| index.at() < entries)
}

/// Whether a shape keeps nothing of its original and points at something with each note.
fn points(shape: &Shape, original: &str) -> bool {
    let kept = |range: &std::ops::Range<u32>| {
        original.get(range.start as usize..range.end as usize).unwrap_or_default()
    };
    !shape.refers_to().is_empty()
        && shape.pieces.iter().all(|piece| match piece {
            Piece::Keep(range) => kept(range).trim().is_empty(),
            Piece::Break => true,
            Piece::Note(_, note) => !note.refers_to.is_empty(),
        })
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
            replaced_in: BTreeSet::new(),
            standing: OnceCell::new(),
            root,
            planned: root,
            steps: Vec::new(),
            unkept: Vec::new(),
            model,
            familiar: None,
            late: 0,
            still: 0,
            bytes: 0,
            way: Way::default(),
            weigh: Weight::of_each,
            unready: EntryIndex(0),
            unsourced: EntryIndex(0),
        }
    }

    /// The same with another way to find out how much of the prompt entries take.
    pub(crate) fn with_weigh(mut self, weigh: Weigh) -> Self {
        self.weigh = weigh;
        self
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

    /// Whether there is something that could not be kept.
    pub(crate) fn has_unkept(&self) -> bool {
        !self.unkept.is_empty()
    }

    /// Forgets the last that could not be kept.
    pub(crate) fn forget_unkept(&mut self) {
        self.unkept.pop();
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

    /// Forgets the messages of the last request as they came.
    pub(crate) fn forget_familiar(&mut self) {
        self.familiar = None;
    }

    /// The messages of the last request, as the next one is compared with them.
    pub(crate) fn familiar(&self) -> Option<&Arc<Familiar>> {
        self.familiar.as_ref()
    }

    /// Notes the messages of a request. What of them was `known` from an earlier one must not be
    /// held by anyone else, else it is copied.
    pub(crate) fn becomes_familiar(
        &mut self,
        (body, bytes): (&Body, &[u8]),
        chain: &Chain,
        known: Option<(*const Familiar, usize)>,
    ) {
        let own = self.familiar.take();
        let alike = known.filter(|(at, _)| own.as_ref().is_some_and(|own| Arc::as_ptr(own) == *at));
        let familiar = match (own, alike) {
            (Some(own), Some((_, alike))) => {
                let mut own = Arc::unwrap_or_clone(own);
                own.go_on(body, bytes, chain, alike);
                own
            }
            (_, _) => Familiar::of(body, bytes, chain),
        };
        self.familiar = Some(Arc::new(familiar));
    }

    /// Whether there is any text that could be replaced.
    pub(crate) fn has_places(&self) -> bool {
        self.messages.iter().any(|message| !message.places.is_empty())
    }

    /// Takes over where the texts of the known messages stand in a request that continues it.
    pub(crate) fn find_places(&mut self, (body, bytes): (&Body, &[u8])) -> Result<(), BodyError> {
        for at in 0..self.messages.len() {
            let (length, is_marked) = (body.messages[at].len(), is_marked(body, at));
            let known = &mut self.messages[at];
            let is_same = (known.length, known.is_marked) == (length, is_marked) && !is_marked;
            // Other gateways' marks are not looked at.
            if is_same && self.way != Way::Hash {
                continue;
            }
            (known.length, known.is_marked) = (length, is_marked);
            if !known.places.is_empty() {
                let moved = &said((body, bytes), at..at + 1, &[])?;
                let moved = moved.iter().flat_map(|said| &said.slots);
                for (place, slot) in known.places.iter_mut().zip(moved) {
                    if place.text.is_some() && place.slot != *slot {
                        self.standing.take();
                    }
                    place.slot = slot.clone();
                }
            }
        }
        Ok(())
    }

    /// Takes in the messages of a request up to `until` that are not known yet.
    pub(crate) fn take(
        &mut self,
        (body, bytes): (&Body, &[u8]),
        chain: &Chain,
        until: usize,
    ) -> Result<(), BodyError> {
        let said = said((body, bytes), self.len()..until, &[])?;
        let mut weights = self.weights(&said).into_iter();
        for said in said {
            let is_marked = is_marked(body, self.len());
            self.push(said, &mut weights, body, chain, is_marked);
        }
        self.set_prelude((body, bytes));
        Ok(())
    }

    /// Counts what stands in a request in front of its messages.
    pub(crate) fn set_prelude(&mut self, (body, bytes): (&Body, &[u8])) {
        let prelude = self.prelude.tokens(body, bytes, self.tokenizer);
        self.engine.set_prelude(prelude);
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
        let mut weights = self.weights(&said).into_iter();
        for said in said {
            self.push(said, &mut weights, body, chain, true);
            let end = chain.end(self.len());
            let Some(planned) = planned.next_if(|planned| planned.end == end) else { continue };
            let step = &planned.step;
            if !is_about(step, self.engine.record().len()) {
                // It was decided about something else: what is recorded is damaged.
                break;
            }
            self.engine.take_over(step);
            self.settle(planned.clone());
        }
        self
    }

    /// How much of the prompt what messages say takes, entry by entry.
    fn weights(&self, said: &[Said]) -> Vec<Weight> {
        (self.weigh)(&places::entries(said), self.tokenizer)
    }

    /// Takes in the next message. `weights` goes on with those of its entries.
    fn push(
        &mut self,
        said: Said,
        weights: &mut impl Iterator<Item = Weight>,
        body: &Body,
        chain: &Chain,
        is_marked: bool,
    ) {
        let at = self.messages.len();
        let last = self.engine.record().len() as u32;
        // What goes on with a response is told with it.
        let entry = EntryIndex(if said.goes_on { last.saturating_sub(1) } else { last });
        let places = said.places();
        for ((at, entry), weight) in said.entries.into_iter().enumerate().zip(weights) {
            let is_fixed =
                entry.result().is_some() && !places.iter().any(|place| place.is_of_result(at));
            match is_fixed {
                true => self.engine.push_fixed(entry, weight),
                false => self.engine.push_weighed(entry, weight),
            };
        }
        let (length, end) = (body.messages[at].len(), chain.end(at + 1));
        self.bytes += length;
        self.messages.push(Known { end, length, is_marked, entry, places });
    }

    /// The conversation as it was after its first `count` steps, for this model. What came with
    /// the requests after them is known, and nothing is decided about it.
    pub(crate) fn again(mut self, planner: Planner, model: Model, count: usize) -> Self {
        let steps = std::mem::take(&mut self.steps);
        self.standing.take();
        for at in std::mem::take(&mut self.replaced_in) {
            self.messages[at].places.iter_mut().for_each(|place| place.text = None);
        }
        self.engine = self.engine.again(planner);
        (self.model, self.planned) = (model, self.root);
        for planned in steps.into_iter().take(count) {
            self.engine.take_over(&planned.step);
            self.settle(planned);
        }
        self
    }

    /// The conversation as it was before its last step.
    pub(crate) fn before_last(self, planner: Planner) -> Self {
        let (model, count) = (self.model.clone(), self.steps.len().saturating_sub(1));
        self.again(planner, model, count)
    }

    /// Tells how long the next prompts may be.
    pub(crate) fn set_window_limit(&mut self, limit: WindowLimit) {
        self.engine.set_window_limit(Some(limit));
    }

    /// Tells whether the next request can be kept up to its latest answer.
    pub(crate) fn set_can_keep_answer(&mut self, can: bool) {
        self.engine.set_can_keep_answer(can);
    }

    /// The engine.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The end of the message that an entry is of.
    pub(crate) fn end_of(&self, index: EntryIndex) -> Option<ContentHash> {
        self.known(index).filter(|_| index.at() < self.engine.record().len()).map(|it| it.end)
    }

    /// Whether an entry has texts that can be replaced.
    pub(crate) fn can_be_replaced(&self, index: EntryIndex) -> bool {
        let places = |known: &Known| {
            let entry = (index.0 - known.entry.0) as usize;
            known.places.iter().any(|place| place.is_of_result(entry))
        };
        self.known(index).is_some_and(places)
    }

    /// The message that an entry is of, if it is of any.
    fn known(&self, index: EntryIndex) -> Option<&Known> {
        let at = self.messages.partition_point(|known| known.entry <= index);
        at.checked_sub(1).map(|at| &self.messages[at])
    }

    /// That an entry stands as it does.
    pub(crate) fn as_it_is(&self, index: EntryIndex) -> Wish {
        let planned = self.steps.last().map_or(0, |last| last.step.answer.at());
        match index.at() < planned {
            true => self.engine.item(index).as_it_is(index),
            false => Item::default().as_it_is(index),
        }
    }

    /// Decides about what is new, with what the person wants. After decisions that came too late old results stay as they are
    /// for some requests: that is what takes long.
    pub(crate) fn plan(&mut self, now: Timestamp, wishes: &Wishes) -> Arc<Step> {
        let step = match self.still {
            0 => self.engine.plan_with(Some(now), wishes),
            _ => self.engine.plan_without_rewrite(Some(now)),
        };
        self.settle_here(step)
    }

    /// Finds the contents that foveal's own tools and hooks shortened to new results: what stands in
    /// place of such a result names the content itself, which is so got back in one step.
    pub(crate) fn find_excerpt_sources(&mut self, recorder: &dyn Recorder) {
        let end = EntryIndex(self.engine.record().len() as u32);
        for index in (self.unsourced.0..end.0).map(EntryIndex) {
            if let Some(source) = self.excerpt_source(index, recorder) {
                self.engine.set_excerpt_source(index, source);
            }
        }
        self.unsourced = end;
    }

    fn excerpt_source(&self, index: EntryIndex, recorder: &dyn Recorder) -> Option<ExcerptSource> {
        let (entry, facts) = (self.engine.record().entry(index), self.engine.record().facts(index));
        let result = entry.result().filter(|_| facts.has_own_notes())?;
        let handle = ExcerptSource::handle(&result.content)?;
        // Where it cannot be asked, the result's own handle does as well.
        let content = recorder.content(handle).ok()?.filter(|content| content.is_whole)?;
        let source = ExcerptSource::verify(&result.content, &content.text)?;
        (source.hash.handle() == handle).then_some(source)
    }

    /// Gets ready for a rewrite with the next request, as long as it may `go_on`: contents that it
    /// would leave out first, since these are kept before it goes.
    pub(crate) fn get_ready(&mut self, recorder: &dyn Recorder, go_on: &dyn Fn() -> bool) {
        let results = self.engine.planner().not_reduced();
        let unready: Vec<EntryIndex> = results.filter(|index| *index >= self.unready).collect();
        for index in unready {
            if !go_on() {
                return;
            }
            let original = self.original(index);
            if let Some(original) = original.filter(|it| it.text.len() <= READY_BYTES_MAX) {
                recorder.get_ready(&[original]);
            }
            self.unready = EntryIndex(index.0 + 1);
        }
        // Else old results stay as they are with the next two requests.
        if self.still <= 1 {
            self.engine.get_ready(go_on);
        }
    }

    /// Whether what was sent may change.
    pub(crate) fn may_rewrite(&self) -> bool {
        self.still == 0
    }

    /// Notes that what was decided was in time.
    pub(crate) fn was_in_time(&mut self) {
        match self.still {
            0 => self.late = 0,
            _ => self.still -= 1,
        }
    }

    /// Whether the provider has nothing of the last prompt in its cache any longer.
    pub(crate) fn is_cache_expired(&self, now: Timestamp) -> bool {
        self.engine.planner().is_expired(Some(now))
    }

    /// Notes that what was decided came too late: the next time it is tried twice as late.
    pub(crate) fn was_late(&mut self) {
        if self.still > 0 {
            // It was not that.
            return;
        }
        self.late = (self.late + 1).min(LATE_MAX);
        self.still = (1 << self.late) - 1;
    }

    /// What the last step decided about new results, where it comes too late for them.
    pub(crate) fn backlog(&self) -> Option<BacklogChange> {
        let (last, before) = self.steps.split_last()?;
        let known = before.last().map_or(EntryIndex(0), |planned| planned.step.answer);
        let new = last.step.changed.iter().map(|(index, _)| *index).filter(|it| *it >= known);
        let saved = |index: EntryIndex| {
            self.engine.record().facts(index).tokens - self.engine.item(index).tokens
        };
        let saving = new.clone().map(saved).sum::<Tokens>().0;
        let from = new.min().filter(|_| saving > 0)?;
        Some(BacklogChange::Added { from, saving })
    }

    /// Lets what is new pass as it is; `backlog` is what was decided about it too late.
    pub(crate) fn let_pass(&mut self, now: Timestamp, backlog: Option<BacklogChange>) -> Arc<Step> {
        let step = self.engine.let_pass(Some(now), backlog);
        self.settle_here(step)
    }

    /// What was decided about marks at the last planned request.
    pub(crate) fn caching(&self) -> Option<&Caching> {
        self.steps.last()?.caching.as_ref()
    }

    /// What was decided about them at the request before that one.
    pub(crate) fn caching_before(&self) -> Option<&Caching> {
        self.steps.iter().rev().nth(1)?.caching.as_ref()
    }

    /// Notes what is decided about marks at the last planned request.
    pub(crate) fn set_caching(&mut self, caching: Option<Caching>) {
        if let Some(planned) = self.steps.last_mut() {
            planned.caching = caching;
        }
    }

    /// What was decided so far, the first step first.
    pub(crate) fn steps(&self) -> &[Planned] {
        &self.steps
    }

    /// The texts in place of others in a body whose messages are known.
    pub(crate) fn replaced(&self, body: &Body) -> Replaced {
        let standing = || {
            let messages = self.replaced_in.iter().map(|at| (*at, &self.messages[*at].places));
            let texts = messages.flat_map(|(at, places)| {
                let text =
                    move |place: &Place| Some((at, place.slot.string.clone(), place.text.clone()?));
                places.iter().filter_map(text)
            });
            texts.collect()
        };
        self.standing.get_or_init(standing).in_body(body)
    }

    /// Returns the contents of the results that a step replaces, and those that its notes name in their
    /// place.
    ///
    /// # Errors
    /// [`Unrecorded`] where the recorder does not have what a note names.
    pub(crate) fn contents(
        &self,
        step: &Step,
        recorder: &dyn Recorder,
    ) -> Result<Vec<Original<'_>>, Unrecorded> {
        let replaced = step.changed.iter().filter(|(_, decision)| decision.shape().is_some());
        let results = replaced.filter_map(|(index, _)| self.original(*index));
        let mut contents: Vec<Original<'_>> = results.collect();
        for hash in self.named_sources(step) {
            let content = recorder.content(hash.handle())?.filter(|content| content.is_whole);
            let text = content.map(|content| content.text.into());
            let text = text.ok_or_else(|| Unrecorded(format!("{} is gone", hash.handle())))?;
            contents.push(Original { hash, text });
        }
        Ok(contents)
    }

    /// The contents that notes of a step name in place of the results that are excerpts of them.
    fn named_sources(&self, step: &Step) -> impl Iterator<Item = ContentHash> {
        step.changed.iter().filter_map(|(index, decision)| {
            let hash = self.engine.record().facts(*index).excerpt_source?.hash;
            let mut notes = decision.shape()?.notes();
            notes.any(|note| note.handle == Some(hash.handle())).then_some(hash)
        })
    }

    /// The content of a result.
    fn original(&self, index: EntryIndex) -> Option<Original<'_>> {
        let record = self.engine.record();
        let (result, hash) = (record.entry(index).result()?, record.facts(index).content?);
        Some(Original { hash, text: Cow::Borrowed(&result.content) })
    }

    /// The results of which a step lets less go.
    pub(crate) fn reduced(&self, step: &Step) -> Vec<Reduced> {
        let record = self.engine.record();
        let reduced = step.changed.iter().filter_map(|(index, decision)| {
            let (shape, result) = (decision.shape()?, record.entry(*index).result()?);
            Some(Reduced {
                call: result.call.clone(),
                kind: shape.kind,
                points: points(shape, &result.content),
                bytes: result.content.len() as u64,
                bytes_sent: shape.bytes_sent() as u64,
                entry: *index,
                message: self.messages.partition_point(|known| known.entry <= *index) as u64,
                tool: record.facts(*index).call.as_ref().map(|call| call.tool.clone()),
                tokens: record.facts(*index).tokens,
                tokens_sent: self.engine.item(*index).tokens,
            })
        });
        reduced.collect()
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

    /// Tokens of what stands in front of the messages.
    pub(crate) fn prelude(&self) -> Tokens {
        self.engine.planner().front()
    }

    /// Tokens of each of the first messages, as they go.
    pub(crate) fn tokens_by_message(&self, messages: usize) -> Vec<Tokens> {
        let mut tokens = vec![Tokens(0); messages];
        for index in self.engine.window() {
            let at = self.messages.partition_point(|known| known.entry <= *index);
            if let Some(sum) = at.checked_sub(1).and_then(|at| tokens.get_mut(at)) {
                sum.0 += self.engine.item(*index).tokens.0;
            }
        }
        tokens
    }

    /// Tokens of the first messages and of what stands in front of them: what went, as it went last,
    /// and what is new, as the client sent it.
    pub(crate) fn tokens_up_to(&self, messages: usize) -> Tokens {
        let record = self.engine.record();
        let sent = self.steps.last().map_or(0, |last| last.step.answer.0);
        let until = self.messages.get(messages).map_or(record.len() as u32, |it| it.entry.0);
        let new = (sent.min(until)..until).map(|at| record.facts(EntryIndex(at)).tokens);
        let of_messages = self.tokens_by_message(messages).into_iter();
        self.engine.planner().front() + of_messages.sum() + new.sum()
    }

    /// Tokens of the first entries and of what stands in front of them, as they go.
    pub(crate) fn tokens_sent(&self, entries: usize) -> Tokens {
        let window = self.engine.window().iter().take(entries);
        self.engine.planner().front() + window.map(|index| self.engine.item(*index).tokens).sum()
    }

    /// Puts the texts in their places that a step about all messages decided about.
    fn settle_here(&mut self, step: Step) -> Arc<Step> {
        let step = Arc::new(step);
        let end = self.messages.last().map_or(self.planned, |known| known.end);
        self.settle(Planned { end, step: Arc::clone(&step), caching: None });
        step
    }

    fn settle(&mut self, planned: Planned) {
        for (index, decision) in &planned.step.changed {
            self.put(*index, decision);
        }
        self.planned = planned.end;
        self.steps.push(planned);
    }

    fn put(&mut self, index: EntryIndex, decision: &Decision) {
        let at = self.messages.partition_point(|known| known.entry <= index);
        let Some(last) = at.checked_sub(1) else { return };
        let known = &mut self.messages[last];
        let entry = (index.0 - known.entry.0) as usize;
        let result = self.engine.record().entry(index).result();
        let content = result.map_or("", |result| &result.content);
        places::put(&mut known.places, entry, (content, self.way), decision);
        let is_replaced = if known.places.iter().any(|place| place.text.is_some()) {
            self.replaced_in.insert(last);
            true
        } else {
            self.replaced_in.remove(&last)
        };
        if is_replaced {
            self.standing.take();
        }
    }

    /// The texts that are replaced, each with what stands in its place.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, String)> {
        self.replaced_in.iter().map(|at| &self.messages[*at]).flat_map(|known| {
            known.places.iter().filter_map(|place| {
                let index = EntryIndex(known.entry.0 + place.slot.entry as u32);
                // Of what the model said, nothing is found here: it is no result.
                let result = self.engine.record().entry(index).result()?;
                Some((&result.content[place.slot.content.clone()], place.text.as_ref()?.text()))
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
