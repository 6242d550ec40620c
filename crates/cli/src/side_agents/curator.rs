//! A model that chooses what is shown of files, where the user names one, or wants that of the
//! client whose call it is to be asked.
//!
//! It is asked about what is read, with the built-in curator behind it: whatever goes wrong, files
//! are shown as without it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use foveal_agent::SideKind;
use foveal_context::views::model::{
    ANSWER_TOKENS_MAX, Ask, AskError, ModelRequest, ModelViews, TEMPERATURE,
};
use foveal_context::views::{
    ChosenBy, LentModel, LentQuestion, ModelWork, Read, ReadText, View, Views, Wanted, Watch,
};
use foveal_llm::ModelSpec;
use foveal_secrets::without;
use foveal_store::Store;
use foveal_tools::clock::{Clock, SystemClock};
use serde_json::{Value, json};

use super::agent::{Answered, Form, Heard, Listener, NoAnswer, Question, SideAgent};
use super::bill::SideBill;
use super::waiting::Waiting;
use crate::environment::Environment;

const FORM: Form = Form {
    kind: SideKind::Curator,
    schema: ("line_ranges", schema),
    temperature: TEMPERATURE,
    output_tokens: ANSWER_TOKENS_MAX as u64,
    answer_time: Duration::from_secs(30),
    pause: Duration::from_secs(120),
};

/// How the model of a client is named: in settings as it is, and before its own name.
pub(crate) const OF_CLIENT: &str = "client";

/// How long all answers about one file are waited for.
const FILE_TIME: Duration = Duration::from_secs(60);

/// The same of a client's model: many clients give a call up after 60 seconds, and who is asked
/// then would have cost the whole answer.
const LENT_FILE_TIME: Duration = Duration::from_secs(45);

/// Bytes of thinking about one file that are kept.
const THINKING_BYTES_MAX: usize = 256 << 10;

/// A model that is asked which lines of files to show.
#[derive(Debug)]
pub(crate) struct Curator {
    who: Who,
    /// It is asked about files of more lines than this.
    longer_than: u32,
    keeper: Keeper,
}

/// Which model it is.
#[derive(Debug)]
enum Who {
    Named(Box<SideAgent>),
    /// That of the client whose call it is, where it lends one.
    OfClient,
}

/// The same for one read.
#[derive(Clone, Copy)]
enum Asked<'a> {
    Named(&'a SideAgent),
    Lent(&'a LentModel<'a>),
}

/// Who keeps what a model thought.
struct Keeper(Arc<dyn Store>);

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keeper")
    }
}

impl Curator {
    /// The model that the user names for it, which is asked about files of more than `longer_than`
    /// lines. What it thinks is kept in `store`, and what it costs counts towards `bill`.
    ///
    /// # Errors
    /// If its key is not set.
    pub(crate) fn of(
        (spec, longer_than): (&ModelSpec, u32),
        environment: &Environment,
        (store, bill): (Arc<dyn Store>, Option<&Arc<SideBill>>),
    ) -> anyhow::Result<Self> {
        let who = Who::Named(Box::new(SideAgent::of(FORM, (spec, bill), environment)?));
        Ok(Self { who, longer_than, keeper: Keeper(store) })
    }

    /// The model of the client whose call it is, about such files.
    pub(crate) fn of_client(longer_than: u32, store: Arc<dyn Store>) -> Self {
        Self { who: Who::OfClient, longer_than, keeper: Keeper(store) }
    }

    /// Whether it is not to be asked for a while.
    pub(super) fn is_paused(&self) -> bool {
        match &self.who {
            Who::Named(agent) => agent.is_paused(),
            Who::OfClient => false,
        }
    }

    /// What the model chooses of a read; `None` where none is asked about it, or nothing comes of
    /// it. Of a very long one it is asked about what `before` chooses.
    pub(super) fn view_of(
        &self,
        read: &Read<'_>,
        wanted: Wanted,
        (before, watch): (&Arc<dyn Views>, Watch<'_>),
    ) -> Option<View> {
        let asked = self.asked(read, wanted, watch)?;
        self.choose(asked, (read, wanted), (before, watch))
    }

    /// The model to ask about a read; `None`: none is asked.
    fn asked<'a>(&'a self, read: &Read<'_>, wanted: Wanted, watch: Watch<'a>) -> Option<Asked<'a>> {
        let is_longer = || read.text.count() > self.longer_than as usize;
        if !matches!(wanted, Wanted::Curated(_)) || !is_longer() {
            return None;
        }
        match &self.who {
            Who::Named(agent) => Some(Asked::Named(agent)).filter(|_| !agent.is_paused()),
            Who::OfClient => watch.lent.map(Asked::Lent),
        }
    }

    /// What the model chooses of a read; `None` where nothing comes of it.
    fn choose(
        &self,
        asked: Asked<'_>,
        (read, wanted): (&Read<'_>, Wanted),
        (before, watch): (&Arc<dyn Views>, Watch<'_>),
    ) -> Option<View> {
        let begun = Instant::now();
        let about = AboutOne { asked, begun, watch, heard: Mutex::default() };
        (watch.tell)(ModelWork::Waits);
        // Secrets are replaced line by line, so that the numbers of lines hold.
        let text = without(read.text);
        let told = Read { text: &ReadText::from(&*text), ..*read };
        let views = ModelViews::new(&about).after(Arc::clone(before));
        let curation = match views.choose(&told, wanted) {
            Ok(curation) => curation,
            Err(fallback) => {
                (watch.tell)(ModelWork::LeftOut(fallback.to_string()));
                return None;
            }
        };
        let AnsweredSoFar { answers: heard, lender } =
            about.heard.into_inner().unwrap_or_else(PoisonError::into_inner);
        let model = match asked {
            Asked::Named(agent) => agent.model.as_str().into(),
            Asked::Lent(_) => format!("{OF_CLIENT}:{lender}").into(),
        };
        let by = Box::new(ChosenBy {
            model,
            time_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            tokens: heard.iter().fold(0, |sum, answered| sum.saturating_add(answered.tokens)),
            lines: curation.lines,
            lines_kept: curation.lines_kept,
            thinking: self.keeper.keep(heard.into_iter().map(|answered| answered.thinking)),
        });
        (watch.tell)(ModelWork::Chose(by.clone()));
        Some(View { by: Some(by), ..curation.told() })
    }
}

impl Keeper {
    /// Keeps what a model thought; where, if it told anything and that could be kept.
    fn keep(&self, thoughts: impl Iterator<Item = String>) -> Option<foveal_transcript::Handle> {
        let thoughts: Vec<String> =
            thoughts.filter(|thinking| !thinking.trim().is_empty()).collect();
        let mut text = thoughts.join("\n\n");
        text.truncate(text.floor_char_boundary(THINKING_BYTES_MAX));
        if text.is_empty() {
            return None;
        }
        Some(self.0.put(None, text.as_bytes(), SystemClock.now()).ok()?.handle)
    }
}

/// Questions about one file.
struct AboutOne<'a> {
    asked: Asked<'a>,
    begun: Instant,
    watch: Watch<'a>,
    heard: Mutex<AnsweredSoFar>,
}

/// What was answered so far.
#[derive(Default)]
struct AnsweredSoFar {
    answers: Vec<Answered>,
    /// What the model is called that was lent.
    lender: String,
}

impl Ask for &AboutOne<'_> {
    fn complete(&self, request: &ModelRequest) -> Result<String, AskError> {
        // What was said before may hold secrets too.
        let user = without(&request.user);
        let (answered, lender) = match self.asked {
            Asked::Named(agent) => (self.ask(agent, &request.system, &user)?, String::new()),
            Asked::Lent(lent) => self.ask_client(lent, &request.system, &user)?,
        };
        let text = answered.text.clone();
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.answers.push(answered);
        heard.lender = lender;
        Ok(text)
    }
}

impl AboutOne<'_> {
    fn ask(&self, agent: &SideAgent, system: &str, user: &str) -> Result<Answered, AskError> {
        let time = FILE_TIME.saturating_sub(self.begun.elapsed());
        let question = Question { system, user, time };
        let hear = |heard: Heard| {
            (self.watch.tell)(match heard {
                Heard::Nothing => ModelWork::Waits,
                Heard::Thinks(text) => ModelWork::Thinks(text),
                Heard::Answers(text) => ModelWork::Answers(text),
            });
        };
        let listener = Listener { hear: &hear, is_over: self.watch.is_over };
        agent.ask(question, &listener).map_err(|why| match why {
            NoAnswer::TimedOut => AskError::TimedOut,
            NoAnswer::Cancelled => AskError::Cancelled,
            why @ NoAnswer::OverLimit => AskError::Failed { message: why.to_string() },
            NoAnswer::Failed(message) => AskError::Failed { message },
        })
    }

    /// The answer of a client's model, and what that is called.
    fn ask_client(
        &self,
        lent: &LentModel<'_>,
        system: &str,
        user: &str,
    ) -> Result<(Answered, String), AskError> {
        let time = LENT_FILE_TIME.saturating_sub(self.begun.elapsed()).min(FORM.answer_time);
        if time.is_zero() {
            return Err(AskError::TimedOut);
        }
        let (temperature, output_tokens_max) = (FORM.temperature, ANSWER_TOKENS_MAX);
        let question = LentQuestion { system, user, temperature, output_tokens_max, time };
        let answer = lent(question, &|| (self.watch.tell)(ModelWork::Waits))?;
        Ok((Answered { text: answer.text, ..Answered::default() }, answer.model))
    }
}

/// What an answer is, as a schema of JSON.
fn schema() -> Value {
    let number = json!({"type": "integer"});
    let range = json!({
        "type": "object",
        "properties": {"start": number, "end": number, "reason": {"type": "string"}},
        "required": ["start", "end", "reason"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "line_ranges": {"type": "array", "items": range},
            "summary": {"type": "string"},
            "preserved_percentage": {"type": "number"},
        },
        "required": ["line_ranges", "summary", "preserved_percentage"],
        "additionalProperties": false,
    })
}

/// Views by a model, and by somebody else where it does not answer.
#[derive(Debug)]
pub(crate) struct ModelFirst {
    model: Arc<Curator>,
    otherwise: Arc<dyn Views>,
}

impl ModelFirst {
    pub(crate) fn new(model: &Arc<Curator>, otherwise: Arc<dyn Views>) -> Self {
        Self { model: Arc::clone(model), otherwise }
    }
}

impl Views for ModelFirst {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        self.view_watched(read, wanted, Watch::NOBODY)
    }

    fn view_watched(&self, read: &Read<'_>, wanted: Wanted, watch: Watch<'_>) -> Option<View> {
        let chosen = self.model.view_of(read, wanted, (&self.otherwise, watch));
        chosen.or_else(|| self.otherwise.view(read, wanted))
    }

    fn each(&self, reads: &[(Read<'_>, Wanted)]) -> Vec<Option<View>> {
        match reads.iter().any(|(_, wanted)| matches!(wanted, Wanted::Curated(_))) {
            true => reads.iter().map(|(read, wanted)| self.view(read, *wanted)).collect(),
            false => self.otherwise.each(reads),
        }
    }

    fn gets_ready(&self) -> bool {
        self.otherwise.gets_ready()
    }

    fn comes(&self, read: &Read<'_>, wanted: Wanted) {
        self.otherwise.comes(read, wanted);
    }

    fn foreseen(
        &self,
        reads: &[(Read<'_>, Wanted)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<View>> {
        self.otherwise.foreseen(reads, go_on)
    }
}

/// Told of each read what a model does: the id of the call that read, the path, and what it does.
pub(crate) type TellOfRead = dyn Fn(&str, &str, ModelWork) + Send + Sync;

/// Views of which somebody is told who waits for all of them.
pub(crate) struct Watched {
    views: Arc<dyn Views>,
    tell: Box<TellOfRead>,
    waiting: Arc<Waiting>,
}

impl Watched {
    /// `tell` is told of each read, as long as `waiting` says that somebody waits.
    pub(crate) fn new(views: Arc<dyn Views>, tell: Box<TellOfRead>, waiting: Arc<Waiting>) -> Self {
        Self { views, tell, waiting }
    }
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watched").field("views", &self.views).finish_non_exhaustive()
    }
}

impl Views for Watched {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        let entry = read.record.entries().get(read.upto.at());
        let call = entry.and_then(|entry| entry.result()).map(|result| result.call.as_str());
        let tell = |work| (self.tell)(call.unwrap_or_default(), read.path, work);
        let stops = self.waiting.stops();
        let is_over = || self.waiting.stops() != stops;
        let watch = Watch { tell: &tell, is_over: &is_over, lent: None };
        self.views.view_watched(read, wanted, watch)
    }

    fn each(&self, reads: &[(Read<'_>, Wanted)]) -> Vec<Option<View>> {
        self.views.each(reads)
    }

    fn gets_ready(&self) -> bool {
        self.views.gets_ready()
    }

    fn comes(&self, read: &Read<'_>, wanted: Wanted) {
        self.views.comes(read, wanted);
    }

    fn foreseen(
        &self,
        reads: &[(Read<'_>, Wanted)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<View>> {
        self.views.foreseen(reads, go_on)
    }
}
