//! A model that reads files into the index, where the user names one: what each thing in them is for,
//! and relations that syntax does not show.

use std::sync::Arc;
use std::time::Duration;

use foveal_context::tokens::estimate;
use foveal_index::{SaidQuestion, relations_schema, summaries_schema};
use foveal_tools::code_index::{Indexer, IndexerAnswer, Phase};

use super::agent::{Form, Listener, Question, SideAgent};
use crate::environment::Environment;
use crate::user_settings::IndexerWish;

/// Nobody waits for it.
const ANSWER_TIME: Duration = Duration::from_secs(120);

const SUMMARIES: Form = Form {
    schema: ("summaries", summaries_schema),
    temperature: 0.3,
    output_tokens: 4_000,
    answer_time: ANSWER_TIME,
    pause: Duration::from_secs(120),
};

const RELATIONS: Form =
    Form { schema: ("relations", relations_schema), output_tokens: 2_000, ..SUMMARIES };

/// The model that the user names for it.
///
/// # Errors
/// If its key is not set.
pub(crate) fn indexer(
    wish: &IndexerWish,
    environment: &Environment,
) -> anyhow::Result<Arc<Indexer>> {
    let summaries = SideAgent::of(SUMMARIES, &wish.model, environment)?;
    let relations = SideAgent::of(RELATIONS, &wish.model, environment)?;
    let ask = move |phase: Phase, asked: &SaidQuestion, is_over: &(dyn Fn() -> bool + Sync)| {
        let agent = match phase {
            Phase::Summaries => &summaries,
            Phase::Relations => &relations,
        };
        if summaries.is_paused() || relations.is_paused() {
            return None;
        }
        let SaidQuestion { system, user } = asked;
        let question = Question { system, user, time: ANSWER_TIME };
        let listener = Listener { hear: &|_| {}, is_over };
        // Why there is none is told where that is wanted.
        let answered = agent.ask(question, &listener).ok()?;
        let about = || estimate(system).0 + estimate(user).0 + estimate(&answered.text).0;
        let tokens = if answered.tokens > 0 { answered.tokens } else { about() };
        Some(IndexerAnswer { text: answered.text, tokens })
    };
    Ok(Indexer::new(wish.model.to_string(), wish.tokens_max, Box::new(ask)))
}
