//! All conversations of a gateway: which one a request continues, and what becomes of it.

use std::sync::{Arc, Mutex, PoisonError};

use foveal_context::planner::Planner;
use foveal_context::settings::Settings;
use foveal_context::step::{RewriteReason, Step};
use foveal_context::tokens::Tokenizer;
use foveal_context::views::Views;
use foveal_transcript::ContentHash;
use foveal_wire::body::{Body, BodyError, CacheMark, MarkPlace};

use crate::before::Before;
use crate::chain::Chain;
use crate::compaction;
use crate::conversation::{self, Live};
use crate::held::Held;
use crate::models::Model;
use crate::recorder::{Recorder, Turn, Unrecorded};
use crate::request::{About, Asked, Replaced, Shaped, spliced};
use crate::way::Way;

/// How long a conversation that nobody continues stays in memory, in milliseconds. Afterwards it
/// is made again of what is recorded and of the request itself.
const IDLE_MS: i64 = 15 * 60 * 1000;

/// Longer names of models are cut.
const MODEL_BYTES_MAX: usize = 200;

/// What a request that nothing is to be done for says in its wish.
const OFF: &str = "off";

/// What decides about requests.
pub struct Conversations {
    pub(crate) rules: Rules,
    pub(crate) recorder: Arc<dyn Recorder>,
    held: Mutex<Held>,
    before: Mutex<Before>,
}

/// How decisions are made.
#[derive(Clone)]
pub struct Rules {
    /// The profile's name.
    pub profile: String,
    /// Its settings.
    pub settings: Settings,
    /// What tokens are counted with.
    pub tokenizer: Tokenizer,
    /// Who is asked for views of reads.
    pub views: Option<Arc<dyn Views>>,
    /// What is known of a model: [`Model::named`], or what the user says.
    pub model: fn(&str, foveal_wire::Protocol) -> Model,
    /// About how much memory conversations may take, in bytes.
    pub bytes_max: usize,
    /// How notes say what gives back what they stand for.
    pub way: Way,
}

impl Rules {
    /// The engine's profile of this name; `None` if there is none that can be used live.
    pub fn named(profile: &str) -> Option<Self> {
        let settings = match profile {
            "lossless" => Settings::lossless(),
            "balanced" => Settings::balanced(),
            "curated" => Settings::curated(),
            "max" => Settings::max(),
            _ => return None,
        };
        let mut settings = settings;
        // What the model said stays as it said it: its bytes are the client's.
        if let Some(rewrite) = &mut settings.rewrite {
            rewrite.edits = None;
        }
        Some(Self {
            profile: profile.to_owned(),
            settings,
            tokenizer: Tokenizer::O200k,
            views: None,
            model: Model::named,
            bytes_max: 256 << 20,
            way: Way::default(),
        })
    }

    fn planner(&self, model: &Model) -> Planner {
        let planner = Planner::new(self.settings.clone(), model.prices.clone())
            .with_constraints(model.constraints);
        match &self.views {
            Some(views) => planner.with_views(Arc::clone(views)),
            None => planner,
        }
    }
}

/// A request that something can be done for.
pub(crate) struct Request<'a> {
    pub(crate) asked: &'a Asked<'a>,
    pub(crate) body: &'a Body,
    pub(crate) chain: &'a Chain,
    pub(crate) model: Model,
}

impl<'a> Request<'a> {
    pub(crate) fn bytes(&self) -> (&'a Body, &'a [u8]) {
        (self.body, self.asked.body)
    }
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Inactive {
    #[error("{0}")]
    Body(#[from] BodyError),
    #[error("{0}")]
    Unrecorded(#[from] Unrecorded),
    #[error("{0}")]
    History(foveal_wire::body::Inactive),
    #[error("the provider is told to leave out parts of the prompt itself ({0})")]
    ServerEdits(String),
    #[error("it was asked for: x-foveal: off")]
    Wished,
    #[error("the client has the conversation summed up, and a summary is made of all of it")]
    Summary,
}

/// The kind of inactivity where decisions cannot be kept.
const UNRECORDED: &str = "unrecorded";

impl Inactive {
    fn kind(&self) -> &'static str {
        match self {
            Self::Body(_) => "unreadable",
            Self::Unrecorded(_) => UNRECORDED,
            Self::History(_) => "history",
            Self::ServerEdits(_) => "server_edits",
            Self::Wished => "wished",
            Self::Summary => "summary",
        }
    }
}

impl Conversations {
    /// With these rules, and decisions kept there.
    pub fn new(rules: Rules, recorder: Arc<dyn Recorder>) -> Self {
        // The first count unpacks the vocabulary, which no request is to wait for.
        rules.tokenizer.count("a");
        let held = Mutex::new(Held::new(rules.bytes_max, IDLE_MS));
        Self { rules, recorder, held, before: Mutex::default() }
    }

    /// Decides about a request.
    pub fn shape(&self, asked: &Asked<'_>) -> Shaped {
        let mut about = About::default();
        match self.decide(asked, &mut about) {
            Ok(body) => Shaped { body, about },
            Err(inactive) => {
                about.inactive = Some(inactive.to_string());
                about.inactive_kind = Some(inactive.kind());
                Shaped { body: None, about }
            }
        }
    }

    /// Conversations that are held in memory.
    pub fn held(&self) -> usize {
        self.lock().len()
    }

    fn decide(&self, asked: &Asked<'_>, about: &mut About) -> Result<Option<Vec<u8>>, Inactive> {
        let bytes = asked.body;
        let mut body = Body::scan(asked.protocol, bytes)?;
        about.messages = body.messages.len() as u64;
        let named = body.model.as_deref().or(asked.model);
        about.model =
            named.map(|name| name[..name.floor_char_boundary(MODEL_BYTES_MAX)].to_owned());
        if asked.wish == Some(OFF) {
            return Err(Inactive::Wished);
        }
        if let Some(inactive) = body.inactive {
            return Err(Inactive::History(inactive));
        }
        // Thinking may go: nothing points at it.
        if let Some(edit) =
            body.server_edits.iter().find(|edit| !edit.starts_with("clear_thinking"))
        {
            return Err(Inactive::ServerEdits(edit.clone()));
        }
        compaction::leave_out_what_is_compacted(&mut body, bytes)?;
        let chain = Chain::of(&body, bytes, &self.rules.profile);
        about.conversation = chain.ends.first().map(name);
        let name = about.model.as_deref().unwrap_or_default();
        let request =
            Request { asked, body: &body, chain: &chain, model: model(&self.rules, name, &body) };
        let mut live = self.find(&request)?;
        let is_new = live.len() < body.messages.len();
        live.take(request.bytes(), &chain, body.messages.len())?;
        self.compare(&live, &request, about);
        if !live.has_places() {
            // Nothing can be done yet, and what would be decided is to leave it.
            return Ok(None);
        }
        let asks_for_summary = compaction::asks_for_summary(live.last_entries());
        if asks_for_summary && may_go_whole(&live, &request.model) {
            return Err(Inactive::Summary);
        }
        if is_new {
            live = self.plan(live, &request, about)?;
        }
        let (tokens_asked, tokens_sent) = live.tokens();
        (about.tokens_asked, about.tokens_sent) = (tokens_asked.0, tokens_sent.0);
        let shaped = spliced(bytes, &live.replaced(&body));
        if !asked.counts {
            self.lock().put(live, asked.now);
        }
        Ok(shaped)
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
        if let Some(mut live) = held {
            asked.wait.offer(live.replaced(request.body));
            if asked.counts {
                let stays = live.clone();
                self.lock().put(stays, asked.now);
            }
            if *live.model() != request.model {
                // Another model charges and refuses other things.
                let requests = chain.lengths(live.steps());
                let said = conversation::said(request.bytes(), 0..live.len(), &requests)?;
                let unkept = live.take_unkept();
                live = self.fresh(request).resumed(request.body, chain, said, live.steps());
                unkept.into_iter().for_each(|turn| live.keep_later(turn));
            }
            return Ok(live);
        }
        let planned = self.recorder.find(chain.root, &chain.ends)?;
        let requests = chain.lengths(&planned);
        let Some(known) = requests.last() else {
            asked.wait.offer(Replaced::new());
            return Ok(self.fresh(request));
        };
        let said = conversation::said(request.bytes(), 0..*known, &requests)?;
        asked.wait.offer(conversation::replaced_by(request.body, &said, &planned, self.rules.way));
        Ok(self.fresh(request).resumed(request.body, chain, said, &planned))
    }

    /// A conversation at its start.
    fn fresh(&self, request: &Request<'_>) -> Live {
        let planner = self.rules.planner(&request.model);
        let live =
            Live::new(planner, request.model.clone(), self.rules.tokenizer, request.chain.root);
        live.with_way(self.rules.way)
    }

    /// Decides about what is new, and keeps that before it is used. Where nobody waits any longer,
    /// or it cannot be kept, what is new passes as it is.
    pub(crate) fn plan(
        &self,
        mut live: Live,
        request: &Request<'_>,
        about: &mut About,
    ) -> Result<Live, Inactive> {
        let (asked, before) = (request.asked, live.planned());
        if !asked.wait.is_given_up() {
            let step = live.plan(asked.now);
            about.rewrite = step.rewrite.map(|reason| reason.words());
            let own = step.rewrite.filter(|reason| *reason != RewriteReason::ClientRewrote);
            about.tokens_unchanged = own.map(|_| live.tokens_sent(step.kept).0);
            let is_decided = asked.wait.decide();
            let goes =
                asked.counts || is_decided && self.is_kept(&mut live, before, step, request, about);
            if goes {
                return Ok(live);
            }
            (about.rewrite, about.tokens_unchanged) = (None, None);
            let mut unkept = live.take_unkept();
            if is_decided {
                // What was decided just now does not go.
                unkept.pop();
            }
            let (_, earlier) = live.steps().split_last().expect("it was just planned");
            let (chain, all) = (request.chain, live.len());
            let said = conversation::said(request.bytes(), 0..all, &chain.lengths(earlier))?;
            live = self.fresh(request).resumed(request.body, chain, said, earlier);
            unkept.into_iter().for_each(|turn| live.keep_later(turn));
        }
        let step = live.let_pass(asked.now);
        if !asked.counts {
            self.is_kept(&mut live, before, step, request, about);
        }
        Ok(live)
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
        let (end, time) = (live.planned(), request.asked.now);
        let turn = Turn { conversation, end, before, step, time };
        // What could not be kept at earlier requests comes first: a step is found by the one
        // after it.
        let mut kept = Ok(());
        for turn in live.take_unkept().into_iter().chain([turn]) {
            if kept.is_ok() {
                kept = self.recorder.record(&turn, &live.contents(&turn.step));
            }
            if kept.is_err() {
                live.keep_later(turn);
            }
        }
        if let Err(error) = &kept {
            about.inactive = Some(error.to_string());
            about.inactive_kind = Some(UNRECORDED);
        }
        kept.is_ok()
    }

    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known of the model that is asked, by how the client has its messages cached.
fn model(rules: &Rules, name: &str, body: &Body) -> Model {
    let model = (rules.model)(name, body.protocol);
    let is_of_messages =
        |mark: &CacheMark| matches!(mark.place, MarkPlace::Message(_) | MarkPlace::Request);
    if body.marks.iter().any(|mark| mark.is_hour && is_of_messages(mark)) {
        model.cached_for_an_hour()
    } else {
        model
    }
}

/// Whether the prompt as the client sent it fits the model, and the model takes its own thinking
/// back behind it.
fn may_go_whole(live: &Live, model: &Model) -> bool {
    let (asked, sent) = live.tokens();
    asked <= model.window && (asked == sent || !model.constraints.reasoning_is_bound)
}

/// What a conversation is called: the hash of its first message.
pub(crate) fn name(end: &ContentHash) -> String {
    end.as_bytes().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}
