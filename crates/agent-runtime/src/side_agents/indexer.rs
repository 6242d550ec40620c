//! An indexer that asks a model to describe files for the index: the purpose of each entity, and
//! relations that syntax does not show.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use foveal_agent::SideModelRole;
use foveal_index::{SummaryPrompt, relations_schema, summaries_schema};
use foveal_settings::IndexerModel;
use foveal_tools::code_index::{Indexer, IndexerAnswer, IndexerListener, IndexerPhase};

use super::side_agent::{
    AnswerListener, AnswerProgress, SideAgent, SideAgentError, SideAgentSpec, SideModelConnection,
    SideQuestion,
};
use super::side_bill::SideBill;

/// The time-out of one answer. It is long because no caller waits for it.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);

/// The interval at which a paused agent is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

const SUMMARIES_SPEC: SideAgentSpec = SideAgentSpec {
    kind: SideModelRole::Indexer,
    schema: ("summaries", summaries_schema),
    temperature: 0.3,
    output_tokens: 4_000,
    answer_timeout: ANSWER_TIMEOUT,
    failure_pause: Duration::from_secs(120),
};

const RELATIONS_SPEC: SideAgentSpec = SideAgentSpec {
    schema: ("relations", relations_schema),
    output_tokens: 2_000,
    ..SUMMARIES_SPEC
};

/// Builds the indexer from the model that the user named. Its costs count towards `bill`, if there
/// is one: it is asked about files that the run reads.
pub fn build_indexer(
    wish: &IndexerModel,
    connection: SideModelConnection,
    bill: Option<&Arc<SideBill>>,
) -> Arc<Indexer> {
    let summaries = SideAgent::new(SUMMARIES_SPEC, connection.clone(), bill);
    let relations = SideAgent::new(RELATIONS_SPEC, connection, bill);
    let ask = move |phase: IndexerPhase, asked: &SummaryPrompt, listener: &IndexerListener<'_>| {
        let agent = match phase {
            IndexerPhase::Summaries => &summaries,
            IndexerPhase::Relations => &relations,
        };
        let ended = || IndexerAnswer { is_last: true, ..IndexerAnswer::default() };
        // The index does not wait for an answer, so the question may wait until the agent can be
        // asked.
        while summaries.is_paused() || relations.is_paused() {
            if agent.is_over_limit() {
                return ended();
            }
            if (listener.is_over)() {
                return IndexerAnswer::default();
            }
            thread::sleep(POLL_INTERVAL);
        }
        let SummaryPrompt { system, user } = asked;
        let question = SideQuestion { system, user, timeout: ANSWER_TIMEOUT };
        let on_progress = |progress: AnswerProgress| {
            if let AnswerProgress::Reasoning(text) = progress {
                (listener.on_reasoning)(&text);
            }
        };
        let listener = AnswerListener { on_progress: &on_progress, is_cancelled: listener.is_over };
        // The agent itself explains errors in its debug output.
        match agent.ask_model(question, &listener) {
            Ok(answered) => {
                let tokens = answered.total_tokens(&question);
                IndexerAnswer { text: Some(answered.text), tokens, is_last: false }
            }
            // The server has the question and may still work on it, so its tokens count.
            Err(SideAgentError::TimedOut) => {
                IndexerAnswer { tokens: question.estimate_tokens(), ..IndexerAnswer::default() }
            }
            Err(SideAgentError::OverLimit) => ended(),
            Err(SideAgentError::Cancelled | SideAgentError::Failed(_)) => IndexerAnswer::default(),
        }
    };
    Indexer::new(wish.model.to_string(), wish.tokens_max, Box::new(ask))
}
