//! A model that chooses what is shown of files, where the user names one.
//!
//! It is asked about what is read, with the built-in curator behind it: whatever goes wrong, files
//! are shown as without it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use foveal_agent::SideKind;
use foveal_context::views::model::{
    ANSWER_TOKENS_MAX, Ask, AskError, ModelRequest, ModelViews, TEMPERATURE,
};
use foveal_context::views::{ChosenBy, ModelWork, Read, ReadText, View, Views, Wanted, Watch};
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

/// How long all answers about one file are waited for.
const FILE_TIME: Duration = Duration::from_secs(60);

/// Bytes of thinking about one file that are kept.
const THINKING_BYTES_MAX: usize = 256 << 10;

/// A model that is asked which lines of files to show.
#[derive(Debug)]
pub(crate) struct Curator {
    agent: SideAgent,
    /// It is asked about files of more lines than this.
    longer_than: u32,
    keeper: Keeper,
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
        let agent = SideAgent::of(FORM, (spec, bill), environment)?;
        Ok(Self { agent, longer_than, keeper: Keeper(store) })
    }

    /// Whether it is not to be asked for a while.
    pub(super) fn is_paused(&self) -> bool {
        self.agent.is_paused()
    }

    /// What the model chooses of a read; `None` where none is asked about it, or nothing comes of
    /// it. Of a very long one it is asked about what `before` chooses.
    pub(super) fn view_of(
        &self,
        read: &Read<'_>,
        wanted: Wanted,
        (before, watch): (&Arc<dyn Views>, Watch<'_>),
    ) -> Option<View> {
        let is_asked = matches!(wanted, Wanted::Curated(_))
            && read.text.count() > self.longer_than as usize
            && !self.is_paused();
        if is_asked { self.choose((read, wanted), (before, watch)) } else { None }
    }

    /// What the model chooses of a read; `None` where nothing comes of it.
    fn choose(
        &self,
        (read, wanted): (&Read<'_>, Wanted),
        (before, watch): (&Arc<dyn Views>, Watch<'_>),
    ) -> Option<View> {
        let begun = Instant::now();
        let about = AboutOne { agent: &self.agent, begun, watch, heard: Mutex::default() };
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
        let heard = about.heard.into_inner().unwrap_or_else(PoisonError::into_inner);
        let by = Box::new(ChosenBy {
            model: self.agent.model.as_str().into(),
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
    agent: &'a SideAgent,
    begun: Instant,
    watch: Watch<'a>,
    heard: Mutex<Vec<Answered>>,
}

impl Ask for &AboutOne<'_> {
    fn complete(&self, request: &ModelRequest) -> Result<String, AskError> {
        // What was said before may hold secrets too.
        let user = without(&request.user);
        let answered = self.ask(&request.system, &user)?;
        let text = answered.text.clone();
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(answered);
        Ok(text)
    }
}

impl AboutOne<'_> {
    fn ask(&self, system: &str, user: &str) -> Result<Answered, AskError> {
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
        self.agent.ask(question, &listener).map_err(|why| match why {
            NoAnswer::TimedOut => AskError::TimedOut,
            NoAnswer::Cancelled => AskError::Cancelled,
            why @ NoAnswer::OverLimit => AskError::Failed { message: why.to_string() },
            NoAnswer::Failed(message) => AskError::Failed { message },
        })
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
        let watch = Watch { tell: &tell, is_over: &is_over };
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
