//! A model that reads files into the index, where the user names one: what each thing in them is for,
//! and relations that syntax does not show.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use foveal_agent::SideKind;
use foveal_index::{SaidQuestion, relations_schema, summaries_schema};
use foveal_tools::code_index::{Indexer, IndexerAnswer, Phase};

use super::agent::{Form, Listener, NoAnswer, Question, SideAgent};
use super::bill::SideBill;
use crate::environment::Environment;
use crate::user_settings::IndexerWish;

/// Nobody waits for it.
const ANSWER_TIME: Duration = Duration::from_secs(120);

/// How often it is looked whether it can be asked again.
const LOOK_UP_TIME: Duration = Duration::from_millis(100);

const SUMMARIES: Form = Form {
    kind: SideKind::Indexer,
    schema: ("summaries", summaries_schema),
    temperature: 0.3,
    output_tokens: 4_000,
    answer_time: ANSWER_TIME,
    pause: Duration::from_secs(120),
};

const RELATIONS: Form =
    Form { schema: ("relations", relations_schema), output_tokens: 2_000, ..SUMMARIES };

/// The model that the user names for it. What it costs counts towards `bill` if there is one: it is
/// asked about what the run reads.
///
/// # Errors
/// If its key is not set.
pub(crate) fn indexer(
    wish: &IndexerWish,
    bill: Option<&Arc<SideBill>>,
    environment: &Environment,
) -> anyhow::Result<Arc<Indexer>> {
    let summaries = SideAgent::of(SUMMARIES, (&wish.model, bill), environment)?;
    let relations = SideAgent::of(RELATIONS, (&wish.model, bill), environment)?;
    let ask = move |phase: Phase, asked: &SaidQuestion, is_over: &(dyn Fn() -> bool + Sync)| {
        let agent = match phase {
            Phase::Summaries => &summaries,
            Phase::Relations => &relations,
        };
        let ended = || IndexerAnswer { is_last: true, ..IndexerAnswer::default() };
        // Nobody waits for an answer, so that what waits to be asked can.
        while summaries.is_paused() || relations.is_paused() {
            if agent.is_over_limit() {
                return ended();
            }
            if is_over() {
                return IndexerAnswer::default();
            }
            thread::sleep(LOOK_UP_TIME);
        }
        let SaidQuestion { system, user } = asked;
        let question = Question { system, user, time: ANSWER_TIME };
        let listener = Listener { hear: &|_| {}, is_over };
        // Why there is no answer is told where that is wanted.
        match agent.ask(question, &listener) {
            Ok(answered) => {
                let tokens = answered.tokens_with(&question);
                IndexerAnswer { text: Some(answered.text), tokens, is_last: false }
            }
            // Its server has the question, and goes on with it for all that is known.
            Err(NoAnswer::TimedOut) => {
                IndexerAnswer { tokens: question.estimated(), ..IndexerAnswer::default() }
            }
            Err(NoAnswer::OverLimit) => ended(),
            Err(NoAnswer::Cancelled | NoAnswer::Failed(_)) => IndexerAnswer::default(),
        }
    };
    Ok(Indexer::new(wish.model.to_string(), wish.tokens_max, Box::new(ask)))
}
