//! A model that tells the oldest turns in words, where the user names one.
//!
//! It works beside everything else, and nothing waits for it: whatever goes wrong, all goes on as
//! without it. What it tells is put in place with a later request, or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use foveal_agent::SideKind;
use foveal_context::gist::{ATTEMPTS_MAX, Gist, Question, TEMPERATURE};
use foveal_context::tokens::Tokenizer;
use foveal_live::Conversations;
use foveal_live::request::ToTell;
use foveal_llm::ModelSpec;
use foveal_secrets::without;
use serde_json::{Value, json};

use super::agent::{Answered, Form, Listener, Question as Asked, SideAgent};
use super::bill::SideBill;
use super::one_at_a_time::OneAtATime;
use crate::debug::{Debug, Topic};
use crate::environment::Environment;
use crate::explained::explain;

const FORM: Form = Form {
    kind: SideKind::Gist,
    schema: ("gist", schema),
    temperature: TEMPERATURE,
    output_tokens: 1_500,
    answer_time: Duration::from_secs(60),
    pause: Duration::from_secs(120),
};

/// A model that tells old turns in words.
#[derive(Debug)]
pub(crate) struct GistAgent {
    agent: SideAgent,
    debug: Debug,
    /// One question at a time.
    work: Arc<OneAtATime>,
    /// Whether nobody needs what it says any more.
    is_over: AtomicBool,
    /// Tokens of questions and answers that nobody was told of yet.
    tokens: AtomicU64,
}

impl GistAgent {
    /// The model that the user names for it. What it costs counts towards `bill`.
    ///
    /// # Errors
    /// If its key is not set.
    pub(crate) fn of(
        spec: &ModelSpec,
        bill: &Arc<SideBill>,
        environment: &Environment,
    ) -> anyhow::Result<Self> {
        let agent = SideAgent::of(FORM, (spec, Some(bill)), environment)?;
        Ok(Self {
            agent,
            debug: environment.debug()?,
            work: Arc::default(),
            is_over: AtomicBool::new(false),
            tokens: AtomicU64::new(0),
        })
    }

    /// The model, as the user names it.
    pub(crate) fn model(&self) -> &str {
        &self.agent.model
    }

    /// Tokens of questions and answers since this was asked last.
    pub(crate) fn take_tokens(&self) -> u64 {
        self.tokens.swap(0, Ordering::SeqCst)
    }

    /// Nobody needs what it says any more.
    pub(crate) fn stop(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }

    /// Has it asked, on a thread of its own, unless it is at work or not to be asked for a while; what
    /// comes of it `shaper` is told.
    pub(crate) fn ask_beside(self: &Arc<Self>, to_tell: ToTell, shaper: &Arc<Conversations>) {
        if self.agent.is_paused() {
            return;
        }
        let Some(under_way) = self.work.begin() else { return };
        let (own, shaper) = (Arc::clone(self), Arc::clone(shaper));
        let work = move || {
            let _under_way = under_way;
            if let Some(gist) = own.gist(&to_tell.question) {
                shaper.tell(&to_tell, gist);
            }
        };
        // Where no thread can begin, nothing is told.
        drop(thread::Builder::new().name("gist".to_owned()).spawn(work));
    }

    /// What it tells of old turns, if that is of use.
    fn gist(&self, question: &Question) -> Option<Gist> {
        let mut asked = question.clone().redacted(|text| without(text).into_owned());
        for _ in 0..ATTEMPTS_MAX {
            // Why there is none is told where that is wanted.
            let answered = self.ask(&asked)?;
            // What it says is kept, and its prompt goes on with the same bytes later.
            match asked.check(&without(&answered.text), Tokenizer::O200k) {
                Ok(gist) => return Some(gist),
                Err(refused) => {
                    explain(self.debug, Topic::Model, || {
                        format!("what {} tells of old turns is left: {refused}", self.model())
                    });
                    asked = asked.again(&refused);
                }
            }
        }
        self.agent.pause();
        None
    }

    fn ask(&self, question: &Question) -> Option<Answered> {
        let Question { system, user, .. } = question;
        let is_over = || self.is_over.load(Ordering::SeqCst);
        let listener = Listener { hear: &|_| {}, is_over: &is_over };
        let asked = Asked { system, user, time: FORM.answer_time };
        let answered = self.agent.ask(asked, &listener).ok()?;
        self.tokens.fetch_add(answered.tokens_with(&asked), Ordering::SeqCst);
        Some(answered)
    }
}

/// What an answer is, as a schema of JSON.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"gist": {"type": "string"}},
        "required": ["gist"],
        "additionalProperties": false,
    })
}
