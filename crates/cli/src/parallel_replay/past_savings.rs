//! The savings that foveal already made in recorded sessions, in requests through its gateway and
//! results shaped by its hook. Their bills include these savings, so that a further one cannot be
//! calculated from them, and some agents record the shaped text.

use std::collections::{HashMap, HashSet};

use foveal_agent_runtime::runs;
use foveal_agent_setup::client_agents::ClientAgent;
use foveal_agent_setup::hook::{self, RecordedReplacement};
use foveal_engine::plan_step::PlanStep;
use foveal_gateway::request_record;
use foveal_store::{RecordNumber, SessionId, Store, StoreError, TurnRecord};
use foveal_transcript::{
    ContentBlock, Conversation, EntryIndex, MessageRole, TranscriptEntry, Usage,
};

/// Parses the decision of a stored turn; `None` if another version of foveal made it.
pub(crate) type StepParser = fn(&TurnRecord) -> Option<PlanStep>;

/// The largest difference between the time of a recorded answer and that of the stored request, in
/// milliseconds.
const TIME_DIFFERENCE_MS_MAX: i64 = 30 * 60 * 1000;

/// The most records that are read of a hook's session.
const RECORDS_MAX: usize = 20_000;

/// The tokens of a prompt as the provider billed them. Output tokens are left out, because some
/// agents record fewer of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct BilledPrompt {
    input: u64,
    cache_read: u64,
    cache_write: u64,
}

impl From<&Usage> for BilledPrompt {
    fn from(usage: &Usage) -> Self {
        let Usage { input, cache_read, cache_write, .. } = *usage;
        Self { input, cache_read, cache_write }
    }
}

/// The past requests and results that foveal shortened, from the store.
#[derive(Debug, Default)]
pub(crate) struct PastSavings {
    /// The times of the requests that the gateway shortened, in milliseconds.
    shortened_requests: HashMap<BilledPrompt, Vec<i64>>,
    /// The results that a hook shaped, by the agent's session and by call.
    shaped_results: HashMap<String, HashMap<String, RecordedReplacement>>,
    /// The runs of foveal's own agent and of its sub-agents, by session id.
    stored_runs: HashSet<String>,
}

/// A recorded conversation with the original texts of shaped results.
pub(super) struct UnshapedConversation {
    pub(super) conversation: Conversation,
    /// The answers whose bills include savings.
    pub(super) discounted_answers: HashSet<EntryIndex>,
}

impl PastSavings {
    /// Loads the past savings from `store`.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub(crate) fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let mut past = Self::default();
        for session in store.sessions()? {
            if request_record::is_gateway_session(&session) {
                request_record::for_each_request(store, &session.id, &mut |kept| {
                    past.add_request(&kept.request);
                })?;
                continue;
            }
            if runs::is_main_run(&session) || runs::is_sub_agent_run(&session) {
                past.stored_runs.insert(session.id.0);
                continue;
            }
            let (kind, name) = session.id.kind_and_name();
            if kind.is_some_and(|kind| ClientAgent::find_hook(kind).is_some()) {
                let name = name.split('/').next().unwrap_or(name);
                for record in store.records(&session.id, RecordNumber(1), RECORDS_MAX)? {
                    if let Some((call, sent)) = hook::recorded_replacement(&record.payload) {
                        past.shaped_results.entry(name.to_owned()).or_default().insert(call, sent);
                    }
                }
            }
        }
        Ok(past)
    }

    fn add_request(&mut self, request: &request_record::GatewayRequest) {
        let Some(billed) = &request.billed else { return };
        if request.tokens_sent < request.tokens_asked {
            self.shortened_requests
                .entry((&billed.to_bill_usage()).into())
                .or_default()
                .push(request.time);
        }
    }

    /// Replaces shaped results by their original texts, where `store` still has them.
    pub(super) fn restore_texts(
        &self,
        session: &str,
        conversation: Conversation,
        store: Option<&dyn Store>,
    ) -> UnshapedConversation {
        let results = self.shaped_results.get(session);
        if results.is_none() && self.shortened_requests.is_empty() {
            return UnshapedConversation { conversation, discounted_answers: HashSet::new() };
        }
        let mut discounted = HashSet::new();
        let mut entries = conversation.entries().to_vec();
        let mut is_shaped = false;
        for (index, entry) in (0u32..).zip(&mut entries) {
            if entry.role == MessageRole::Assistant {
                if is_shaped || self.is_shortened_request(entry) {
                    discounted.insert(EntryIndex(index));
                }
                continue;
            }
            for block in &mut entry.blocks {
                let ContentBlock::Result(result) = block else { continue };
                let Some(sent) = results.and_then(|all| all.get(&result.call)) else { continue };
                is_shaped = true;
                let whole = sent.original.zip(store).and_then(|(whole, store)| {
                    let content = store.content(whole).ok()??;
                    String::from_utf8(content.bytes).ok()
                });
                if let Some(whole) = whole.filter(|_| result.content.contains(&sent.text)) {
                    result.content = result.content.replacen(&sent.text, &whole, 1);
                }
            }
        }
        let mut unshaped = conversation.without_entries();
        for entry in entries {
            unshaped.push(entry);
        }
        UnshapedConversation { conversation: unshaped, discounted_answers: discounted }
    }

    /// Returns whether foveal's own agent shortened prompts of `conversation`, which belongs to the
    /// run `session`. A run that is not in the store counts as shortened as soon as it holds
    /// results.
    pub(super) fn is_shortened_run(
        &self,
        session: &str,
        conversation: &Conversation,
        store: Option<&dyn Store>,
        parse_step: StepParser,
    ) -> bool {
        if conversation.agent.as_deref() != Some(runs::OWN_AGENT_NAME) {
            return false;
        }
        let run = SessionId(session.to_owned());
        let number = conversation.parent.as_ref().and_then(|_| conversation.id.parse().ok());
        let run = number.map_or(run.clone(), |number| runs::sub_agent_session_id(&run, number));
        let Some(store) = store.filter(|_| self.stored_runs.contains(&run.0)) else {
            return conversation.entries().iter().any(|entry| entry.tool_result().is_some());
        };
        // Unknown decisions may have shortened it.
        let replaces = |turn: &TurnRecord| match parse_step(turn) {
            Some(step) => step.changed.iter().any(|(_, decision)| decision.shape().is_some()),
            None => true,
        };
        store.session_turns(&run).map_or(true, |turns| turns.iter().any(replaces))
    }

    /// Returns whether the gateway shortened the request that `answer` answers.
    fn is_shortened_request(&self, answer: &TranscriptEntry) -> bool {
        let Some((usage, time)) = answer.usage.as_ref().zip(answer.time) else { return false };
        let times = self.shortened_requests.get(&usage.into());
        times.is_some_and(|all| {
            all.iter().any(|known| known.abs_diff(time.0) <= TIME_DIFFERENCE_MS_MAX.unsigned_abs())
        })
    }
}
