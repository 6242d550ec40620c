//! All conversations of a gateway: which one a request continues, and what becomes of it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use foveal_context::budget::WindowLimit;
use foveal_context::step::{RewriteReason, Step};
use foveal_context::tokens::Tokens;
use foveal_transcript::{ContentHash, Timestamp};
use foveal_wire::Protocol;
use foveal_wire::body::{self, Alike, Body, CacheMark, MarkPlace};
use foveal_wire::response::ContextOverflow;

use crate::active::Request;
use crate::before::Before;
use crate::chain::{self, Chain};
use crate::choices::Choices;
use crate::compaction;
use crate::conversation::Live;
use crate::familiar::Familiar;
use crate::held::Held;
use crate::inactive::{Inactive, UNRECORDED};
use crate::keeping::Keeping;
use crate::marking;
use crate::models::Model;
use crate::places;
use crate::placing;
use crate::queue::Queue;
use crate::recorder::{Planned, Recorder, Turn, Unrecorded};
use crate::redacted::{self, Latest};
use crate::replaced::Replaced;
use crate::request::{About, Asked, Shaped, ToGetReady, spliced};
use crate::rules::{OFF, PROFILES, Rules};
use crate::unmarked::Unmarked;
use crate::wanted::Wanting;
use crate::windows::Windows;

/// How long a conversation that nobody continues stays in memory, in milliseconds. Afterwards it
/// is made again of what is recorded and of the request itself.
const IDLE_MS: i64 = 15 * 60 * 1000;

/// What a client tells Anthropic to do with thinking whose prefix changed.
const DROP_BLOCK: &[u8] = b"\"drop_block\"";

/// Longer names of models are cut.
const MODEL_BYTES_MAX: usize = 200;

/// What decides about requests.
pub struct Conversations {
    pub(crate) rules: Rules,
    /// The same rules with each of the other profiles, for requests that name one.
    others: Vec<Rules>,
    pub(crate) recorder: Arc<dyn Recorder>,
    held: Mutex<Held>,
    pub(crate) queue: Queue,
    before: Mutex<Before>,
    choices: Choices,
    /// What the person wants of conversations since their last requests.
    pub(crate) wanting: Wanting,
    /// How long prompts may become.
    pub(crate) windows: Windows,
    /// What the latest request is kept by, where messages are kept without their secrets.
    latest: Latest,
}

impl Conversations {
    /// With these rules, and decisions kept there.
    pub fn new(rules: Rules, recorder: Arc<dyn Recorder>) -> Self {
        let others = PROFILES.iter().filter(|name| **name != rules.profile);
        let others = others.filter_map(|name| rules.with_profile(name)).collect();
        let held = Mutex::new(Held::new(rules.bytes_max, IDLE_MS));
        let (queue, before) = (Queue::default(), Mutex::default());
        Self {
            rules,
            others,
            recorder,
            held,
            queue,
            before,
            choices: Choices::default(),
            wanting: Wanting::default(),
            windows: Windows::default(),
            latest: Latest::default(),
        }
    }

    /// The same, with rules about requests that say nothing of it themselves.
    #[must_use]
    pub fn choosing(mut self, choices: Choices) -> Self {
        self.choices = choices;
        self
    }

    /// Returns the profile, or `off`, that the rules choose for a request with this body, for the
    /// model `named` where that names none, by an agent that calls itself by these names.
    pub fn profile(&self, body: &[u8], named: Option<&str>, agents: &[&str]) -> Option<&str> {
        // All of a long body is read for it: its name may stand there twice.
        let model = self.choices.look_at_models().then(|| body::model(body)).flatten();
        self.choices.profile(model.as_deref().or(named).unwrap_or_default(), agents)
    }

    /// Decides about a request.
    pub fn shape(&self, asked: &Asked<'_>) -> Shaped {
        let mut about = About::default();
        match self.decide(asked, &mut about) {
            Ok((body, ready)) => Shaped { body, about, ready },
            Err(inactive) => {
                about.inactive = Some(inactive.to_string());
                about.inactive_kind = Some(inactive.kind());
                Shaped { body: None, about, ready: None }
            }
        }
    }

    /// Notes what a server says of the window of a model that is asked of an upstream.
    pub fn learn_window(&self, upstream: &str, model: &str, tokens: Tokens) {
        self.windows.learn_window(upstream, model, tokens);
    }

    /// Notes how many tokens the prompt of a request was billed as.
    pub fn learn_usage(&self, upstream: &str, protocol: Protocol, about: &About, prompt: u64) {
        let name = about.model.as_deref().unwrap_or_default();
        self.windows.learn_usage(upstream, about, &Model::named(name, protocol), prompt);
    }

    /// Notes that an upstream refused a request as too long. The same request is decided about
    /// anew when it comes again, and becomes shorter.
    pub fn learn_overflow(&self, upstream: &str, about: &About, overflow: ContextOverflow) {
        self.windows.learn_overflow(upstream, about, overflow);
    }

    /// Gets ready for what may be decided with a conversation's next request, as far as that takes
    /// long, until that request comes. Decides nothing. Blocks for some milliseconds.
    pub fn get_ready(&self, ready: &ToGetReady) {
        let ToGetReady { first, end, now } = *ready;
        let Some(turn) = self.queue.if_free(first) else { return };
        // Where it has gone on, that is what counts.
        let Some(mut live) = self.lock().lend(first, end) else { return };
        let go_on = || !turn.is_waited_for();
        // What could not be kept of it must not be lost by a fault of ours.
        let done = catch_unwind(AssertUnwindSafe(|| live.get_ready(&*self.recorder, &go_on)));
        self.hold(live, first, now);
        if let Err(fault) = done {
            resume_unwind(fault);
        }
    }

    /// Conversations that are held in memory.
    pub fn held(&self) -> usize {
        self.lock().len()
    }

    fn decide(
        &self,
        asked: &Asked<'_>,
        about: &mut About,
    ) -> Result<(Option<Vec<u8>>, Option<ToGetReady>), Inactive> {
        let bytes = asked.body;
        let rules = self.rules(asked.wish);
        let root = rules.as_ref().unwrap_or(&&self.rules).root(asked.protocol);
        let familiar = |first| self.lock().familiar(chain::next(root, first));
        let (mut body, alike) = Body::scan_after(asked.protocol, bytes, familiar)?;
        about.messages = body.messages.len() as u64;
        let named = body.model.as_deref().or(asked.model);
        about.model =
            named.map(|name| name[..name.floor_char_boundary(MODEL_BYTES_MAX)].to_owned());
        about.profile = decided_by(&rules);
        let rules = rules?;
        is_to_be_left(&body)?;
        let known = alike.as_ref().map_or(0, |alike| alike.messages);
        let is_compacted = compaction::leave_out_what_is_compacted(&mut body, bytes, known)?;
        let alike = alike.filter(|_| !is_compacted);
        let ends = alike.as_ref().map_or(&[][..], |alike| alike.history.ends(alike.messages));
        let chain = Chain::of(root, (&body, bytes), ends);
        let Some(first) = chain.ends.first().copied() else { return Ok((None, None)) };
        about.conversation = Some(name(&first));
        let named = about.model.as_deref().unwrap_or_default();
        let model = model(rules, (named, asked.upstream), (&body, bytes));
        let unmarked = Unmarked::of(rules, asked, &body, (named, &model));
        let unmarked = unmarked.filter(|_| !is_compacted);
        about.is_unmarked = unmarked.is_some();
        let keeping = None;
        let (body, chain) = (&body, &chain);
        let mut request = Request { asked, body, chain, rules, model, unmarked, keeping };
        // Until what is decided is known.
        let _turn = self.queue.wait(first);
        let mut live = self.find(&request)?;
        // A summary is no part of a conversation that may go on without it.
        let stays = asks_for_summary(&request)?.then(|| live.clone());
        live.take(request.bytes(), chain, body.messages.len())?;
        let is_new = live.planned() != chain.end(body.messages.len());
        self.compare(&live, &request, about);
        if !live.has_places() && unmarked.is_none() {
            // Nothing can be done yet, and what would be decided is to leave it.
            return Ok((None, None));
        }
        may_be_kept(&mut request, stays.is_some(), is_compacted)?;
        if let Some(stays) = stays.filter(|_| self.may_go_whole(&live, &request, about)) {
            if !stays.steps().is_empty() {
                self.hold(stays, first, asked.now);
            }
            return Err(Inactive::Summary);
        }
        if is_new || self.is_wanted_anew(&live, &request, about) {
            let known = if is_new { live } else { live.before_last(rules.planner(&request.model)) };
            live = self.plan(known, &request, about);
        }
        note_prompt(&live, about);
        let marks = marking::marks(&live, &request);
        about.marks = marks.places.len() as u64;
        let shaped = spliced(bytes, &placing::replaced(&live, &request), &marks);
        if asked.counts {
            return Ok((shaped, None));
        }
        if !is_compacted {
            live.becomes_familiar(request.bytes(), chain, released(alike));
        }
        Ok((shaped, Some(self.hold(live, first, asked.now))))
    }

    /// Whether a request that goes again is to be decided about anew: the person wants that, or it
    /// was refused as too long.
    fn is_wanted_anew(&self, live: &Live, request: &Request<'_>, about: &About) -> bool {
        let wishes = || self.wanting.of(request.chain.ends[0]).wishes(live);
        let is_wanted = || self.windows.is_refused(about) || !wishes().is_empty();
        !request.asked.counts && !live.steps().is_empty() && is_wanted()
    }

    /// Whether the prompt as the client sent it fits the model, and the model takes its own thinking
    /// back behind it.
    fn may_go_whole(&self, live: &Live, request: &Request<'_>, about: &About) -> bool {
        let (asked, sent) = live.tokens();
        let is_bound = request.model.constraints.reasoning_is_bound;
        asked <= self.window_limit(request, about).tokens_max() && (asked == sent || !is_bound)
    }

    /// How long a request may be.
    fn window_limit(&self, request: &Request<'_>, about: &About) -> WindowLimit {
        let answer = Tokens(request.body.max_tokens.unwrap_or_default());
        self.windows.limit(request.asked.upstream, about, &request.model, answer)
    }

    /// The rules that a request asks for.
    pub(crate) fn rules(&self, wish: Option<&str>) -> Result<&Rules, Inactive> {
        match wish {
            None => Ok(&self.rules),
            Some(OFF) => Err(Inactive::Wished),
            Some(name) => {
                let mut all = std::iter::once(&self.rules).chain(&self.others);
                all.find(|rules| rules.profile == name).ok_or(Inactive::UnknownWish)
            }
        }
    }

    /// Tells where a request departs from the one before it, and its tokens as it came.
    fn compare(&self, live: &Live, request: &Request<'_>, about: &mut About) {
        let tokens = live.tokens_asked(live.len()).0;
        (about.tokens_asked, about.tokens_sent) = (tokens, tokens);
        let Some(name) = about.conversation.as_deref().filter(|_| !request.asked.counts) else {
            return;
        };
        let (bytes, now) = (request.bytes(), request.asked.now);
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        about.departed = before.depart(name, about.model.as_deref(), bytes, request.chain, now);
        if let Some(departed) = &mut about.departed {
            departed.tokens = live.tokens_asked(departed.messages as usize).0;
        }
    }

    /// The conversation that a request continues, as far as it is known.
    pub(crate) fn find(&self, request: &Request<'_>) -> Result<Live, Inactive> {
        let (asked, chain) = (request.asked, request.chain);
        let held = self.lock().take(&chain.ends);
        let mut live = match held {
            Some(mut live) => {
                live.find_places(request.bytes())?;
                let earlier = live.replaced(request.body);
                match live.is_cache_expired(asked.now) {
                    true => asked.wait.offer_uncached(earlier, asked.body.len()),
                    false => asked.wait.offer(earlier),
                }
                self.further(request, &live).unwrap_or(live)
            }
            None => {
                let planned = self.recorded(request)?;
                self.resumed(request, planned)?
            }
        };
        if asked.counts && !live.steps().is_empty() {
            let stays = live.clone();
            self.hold(stays, chain.ends[0], asked.now);
        }
        if *live.model() != request.model {
            // Another model charges and refuses other things.
            let count = live.steps().len();
            live = live.again(request.rules.planner(&request.model), request.model.clone(), count);
        }
        Ok(live)
    }

    /// The conversation where another process has gone on with it, further than it is held here.
    fn further(&self, request: &Request<'_>, live: &Live) -> Option<Live> {
        let (chain, known) = (request.chain, live.len());
        let behind = chain.ends.get(known..).unwrap_or_default();
        if !self.recorder.knows(behind).unwrap_or(false) {
            return None;
        }
        let planned = self.recorder.find(chain.root, &chain.ends).ok()?;
        let is_further = chain.lengths(&planned).last().is_some_and(|length| *length > known);
        is_further.then(|| self.resumed(request, planned).ok()).flatten()
    }

    /// What is recorded of the conversation that a request continues.
    fn recorded(&self, request: &Request<'_>) -> Result<Vec<Planned>, Unrecorded> {
        let chain = request.chain;
        let planned = self.recorder.find(chain.root, &chain.ends)?;
        let lengths = chain.lengths(&planned);
        let Some(kept) = self.kept_by(request, lengths.last().copied().unwrap_or(0)) else {
            return Ok(planned);
        };
        let mut others = self.recorder.find(kept.root, &kept.ends)?;
        let longer = kept.lengths(&others);
        if longer.last() <= lengths.last() {
            return Ok(planned);
        }
        others.truncate(longer.len());
        for (planned, length) in others.iter_mut().zip(longer) {
            planned.end = chain.end(length);
        }
        Ok(others)
    }

    /// The chain by which a request is kept, where that is another one. The first `known` messages
    /// are known to have no secrets.
    fn kept_by(&self, request: &Request<'_>, known: usize) -> Option<Chain> {
        let redactor = request.rules.redactor.as_ref()?;
        let kept = self.latest.chain(redactor, request.bytes(), (request.chain, known));
        (kept != *request.chain).then_some(kept)
    }

    /// The conversation as it was after what is recorded of it.
    fn resumed(&self, request: &Request<'_>, planned: Vec<Planned>) -> Result<Live, Inactive> {
        let (wait, chain) = (request.asked.wait, request.chain);
        let requests = chain.lengths(&planned);
        let Some(known) = requests.last() else {
            wait.offer_uncached(Replaced::default(), request.asked.body.len());
            return Ok(request.fresh());
        };
        let said = places::said(request.bytes(), 0..*known, &requests)?;
        let planned = match request.rules.redactor {
            Some(_) => redacted::fitted(planned, &places::entries(&said)),
            None => planned,
        };
        wait.offer(places::replaced_by(request.body, &said, &planned, request.rules.way));
        Ok(request.fresh().resumed(request.body, chain, said, &planned))
    }

    /// Decides about what is new, and keeps that before it is used. Where nobody waits any longer,
    /// or it cannot be kept, what is new passes as it is.
    pub(crate) fn plan(&self, mut live: Live, request: &Request<'_>, about: &mut About) -> Live {
        let (asked, before) = (request.asked, live.planned());
        let mut backlog = None;
        let is_waited_for = !asked.wait.is_given_up();
        if !request.rules.lets_pass {
            let can = request.keeping.is_some_and(|keeping| keeping.is_possible(&live));
            live.set_can_keep_answer(can);
            live.set_window_limit(self.window_limit(request, about));
            let wishes = self.wanting.of(request.chain.ends[0]).wishes(&live);
            live.find_excerpt_sources(&*self.recorder);
            let step = live.plan(asked.now, &wishes);
            let decided = Arc::clone(&step);
            live.set_caching(marking::decide(&live, request, &step));
            about.rewrite = step.rewrite.map(|reason| reason.words());
            about.reduced = live.reduced(&step);
            let own = step.rewrite.filter(|reason| *reason != RewriteReason::ClientRewrote);
            about.tokens_unchanged = own.map(|_| match step.base {
                Some(_) => 0,
                None => live.tokens_sent(step.kept).0,
            });
            // Where nobody waits any longer, nothing is to be kept.
            let is_tried = !asked.counts && !asked.wait.is_given_up();
            let is_kept = is_tried && self.is_kept(&mut live, before, step, request, about);
            // Who no longer waits has sent what was decided earlier.
            let is_in_time = (asked.counts || is_kept) && asked.wait.decide();
            if asked.counts || is_in_time {
                if !asked.counts && live.may_rewrite() {
                    let first = request.chain.ends[0];
                    about.unchanged = self.wanting.decided(first, &wishes, &decided);
                }
                live.was_in_time();
                return live;
            }
            (about.rewrite, about.tokens_unchanged) = (None, None);
            about.reduced.clear();
            if is_tried && !is_kept {
                // What was decided just now does not go, nor is it kept later.
                live.forget_unkept();
            }
            backlog = live.backlog();
            let count = live.steps().len() - 1;
            live = live.again(request.rules.planner(&request.model), request.model.clone(), count);
            if is_waited_for && asked.wait.is_given_up() {
                live.was_late();
            }
        }
        let step = live.let_pass(asked.now, backlog);
        live.set_caching(match request.rules.lets_pass {
            true => marking::decide(&live, request, &step),
            false => marking::pass(&live, request),
        });
        if !asked.counts {
            self.is_kept(&mut live, before, step, request, about);
        }
        live
    }

    /// Keeps a step; whether that could be done.
    fn is_kept(
        &self,
        live: &mut Live,
        before: ContentHash,
        step: Arc<Step>,
        request: &Request<'_>,
        about: &mut About,
    ) -> bool {
        let conversation = about.conversation.clone().unwrap_or_default();
        let (mut end, mut before, time) = (live.planned(), before, request.asked.now);
        if let Some(kept) = self.kept_by(request, 0) {
            [end, before] = [end, before].map(|end| kept.end_for(request.chain, end));
        }
        let caching = live.caching().copied();
        let turn = Turn { conversation, end, before, step, caching, time };
        live.keep_later(turn);
        let kept = self.keep(live);
        if let Err(error) = &kept {
            about.inactive = Some(error.to_string());
            about.inactive_kind = Some(UNRECORDED);
        }
        kept.is_ok()
    }

    /// Keeps what could not be kept of a conversation so far, the first first: a step is found by
    /// the one after it.
    fn keep(&self, live: &mut Live) -> Result<(), Unrecorded> {
        let mut kept = Ok(());
        for turn in live.take_unkept() {
            if kept.is_ok() {
                let contents = live.contents(&turn.step, &*self.recorder);
                kept = contents.and_then(|contents| self.recorder.record(&turn, &contents));
            }
            if kept.is_err() {
                live.keep_later(turn);
            }
        }
        kept
    }

    /// Holds a conversation whose first message ends so. What could not be kept of those that go
    /// for it is tried once more: made again without that, they would be decided about anew.
    pub(crate) fn hold(&self, live: Live, first: ContentHash, now: Timestamp) -> ToGetReady {
        let ready = ToGetReady { first, end: live.planned(), now };
        let gone = self.lock().put(live, first, now);
        for mut live in gone {
            drop(self.keep(&mut live));
        }
        ready
    }

    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes what is known of the prompt that goes.
fn note_prompt(live: &Live, about: &mut About) {
    let (asked, sent) = live.tokens();
    (about.tokens_asked, about.tokens_sent) = (asked.0, sent.0);
    about.decided_at = Some(live.planned());
}

/// What the profile is called that a request is decided by.
fn decided_by(rules: &Result<&Rules, Inactive>) -> Option<String> {
    match rules {
        Ok(rules) => Some(rules.profile.clone()),
        Err(Inactive::Wished) => Some(OFF.to_owned()),
        Err(_) => None,
    }
}

/// Whether a request says that nothing can be done about it.
pub(crate) fn is_to_be_left(body: &Body) -> Result<(), Inactive> {
    if let Some(inactive) = body.inactive {
        return Err(Inactive::History(inactive));
    }
    // Thinking may go: nothing points at it.
    let mut edits = body.server_edits.iter();
    match edits.find(|edit| !edit.starts_with("clear_thinking")) {
        Some(edit) => Err(Inactive::ServerEdits(edit.clone())),
        None => Ok(()),
    }
}

/// Finds out how a request can be kept, by whether it asks for a summary and follows a compaction.
fn may_be_kept(
    request: &mut Request<'_>,
    is_summary: bool,
    is_compacted: bool,
) -> Result<(), Inactive> {
    if let Some(unmarked) = &mut request.unmarked {
        unmarked.is_last = is_summary;
    }
    let has_own_marks = request.model.wants_marks && request.unmarked.is_none();
    if has_own_marks && !is_summary && !is_compacted {
        request.keeping = Keeping::of(request.rules, request.asked, request.body)?;
    }
    Ok(())
}

/// Which history a request has its first messages in common with, and how many, without holding it.
fn released(alike: Option<Alike<Familiar>>) -> Option<(*const Familiar, usize)> {
    alike.map(|alike| (Arc::as_ptr(&alike.history), alike.messages))
}

/// What is known of the model that is asked, by how the client has its messages cached.
pub(crate) fn model(
    rules: &Rules,
    (name, upstream): (&str, &str),
    (body, bytes): (&Body, &[u8]),
) -> Model {
    let mut model = rules.prices.model(name, body.protocol, upstream);
    if drops_bound_thinking(body, bytes) {
        model.constraints.reasoning_is_bound = false;
    }
    let is_of_messages =
        |mark: &CacheMark| matches!(mark.place, MarkPlace::Message(_) | MarkPlace::Request);
    if body.marks.iter().any(|mark| mark.is_hour && is_of_messages(mark)) {
        model.cached_for_an_hour()
    } else {
        model
    }
}

/// Whether the client has Anthropic leave out thinking whose prefix changed, with the field
/// `thinking.block_binding.prefix_mismatch_behavior`. It has to say so with each later request of
/// the conversation (platform.claude.com/docs/en/build-with-claude/preserved-thinking).
fn drops_bound_thinking(body: &Body, bytes: &[u8]) -> bool {
    let mut modes = body.modes.iter().map(|mode| &bytes[mode.clone()]);
    modes.any(|mode| memchr::memmem::find(mode, DROP_BLOCK).is_some())
}

/// Whether a request is one by which a client has its conversation summed up.
fn asks_for_summary(request: &Request<'_>) -> Result<bool, Inactive> {
    let Some(last) = request.body.messages.len().checked_sub(1) else { return Ok(false) };
    let said = request.body.message(request.asked.body, last)?;
    Ok(compaction::asks_for_summary(said.entries.iter()))
}

/// What a conversation is called: the hash of its first message.
pub(crate) fn name(end: &ContentHash) -> String {
    end.as_bytes().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}
