//! What foveal did to recorded sessions while they were held: requests that passed its gateway,
//! and results that its hook shaped. Their bills hold that saving, so that another one cannot be
//! told from them, and some agents record the shaped text.

use std::collections::{HashMap, HashSet};

use foveal_store::{RecordNumber, Store, StoreError};
use foveal_transcript::{Block, Conversation, Entry, EntryIndex, Role, Usage};

use crate::hook::{self, SentResult};
use crate::{requests, sessions};

/// The farthest that the time of a recorded answer is from that of the request in the store.
const TIME_APART_MS_MAX: i64 = 30 * 60 * 1000;

/// Records of a hook's session that are read.
const RECORDS_MAX: usize = 20_000;

/// The tokens of a prompt as they were billed. Some agents record fewer output tokens.
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

/// What the store tells of past requests and results.
#[derive(Debug, Default)]
pub(crate) struct PastSavings {
    /// Times of requests that the gateway shortened.
    requests: HashMap<BilledPrompt, Vec<i64>>,
    /// Results that a hook shaped, by call, by the session of the agent.
    results: HashMap<String, HashMap<String, SentResult>>,
}

/// A recorded conversation with the text that foveal was given.
pub(super) struct Unshaped {
    pub(super) conversation: Conversation,
    /// The answers whose bills hold savings.
    pub(super) discounted: HashSet<EntryIndex>,
}

impl PastSavings {
    /// Reads what `store` tells.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let mut past = Self::default();
        for session in store.sessions()? {
            if requests::is_of_gateway(&session) {
                requests::each(store, &session.id, &mut |kept| past.add_request(&kept.request))?;
                continue;
            }
            let (kind, name) = sessions::kind_and_name(&session.id.0);
            if kind.is_some_and(hook::is_host) {
                let name = name.split('/').next().unwrap_or(name);
                for record in store.records(&session.id, RecordNumber(1), RECORDS_MAX)? {
                    if let Some((call, sent)) = hook::sent_result(&record.payload) {
                        past.results.entry(name.to_owned()).or_default().insert(call, sent);
                    }
                }
            }
        }
        Ok(past)
    }

    fn add_request(&mut self, request: &requests::Request) {
        let Some(billed) = &request.billed else { return };
        if request.tokens_sent < request.tokens_asked {
            self.requests.entry((&billed.usage()).into()).or_default().push(request.time);
        }
    }

    /// Puts the text that foveal was given in the place of what it made of it.
    pub(super) fn undo(
        &self,
        session: &str,
        conversation: Conversation,
        store: Option<&dyn Store>,
    ) -> Unshaped {
        let results = self.results.get(session);
        if results.is_none() && self.requests.is_empty() {
            return Unshaped { conversation, discounted: HashSet::new() };
        }
        let mut discounted = HashSet::new();
        let mut entries = conversation.entries().to_vec();
        let mut is_shaped = false;
        for (index, entry) in (0u32..).zip(&mut entries) {
            if entry.role == Role::Assistant {
                if is_shaped || self.is_request(entry) {
                    discounted.insert(EntryIndex(index));
                }
                continue;
            }
            for block in &mut entry.blocks {
                let Block::Result(result) = block else { continue };
                let Some(sent) = results.and_then(|all| all.get(&result.call)) else { continue };
                is_shaped = true;
                let whole = sent.whole.zip(store).and_then(|(whole, store)| {
                    let content = store.get(whole).ok()??;
                    String::from_utf8(content.bytes).ok()
                });
                if let Some(whole) = whole.filter(|_| result.content.contains(&sent.text)) {
                    result.content = result.content.replacen(&sent.text, &whole, 1);
                }
            }
        }
        let mut unshaped = conversation.emptied();
        for entry in entries {
            unshaped.push(entry);
        }
        Unshaped { conversation: unshaped, discounted }
    }

    /// Whether the gateway shortened the request that `answer` answers.
    fn is_request(&self, answer: &Entry) -> bool {
        let Some((usage, time)) = answer.usage.as_ref().zip(answer.time) else { return false };
        let times = self.requests.get(&usage.into());
        times.is_some_and(|all| {
            all.iter().any(|known| known.abs_diff(time.0) <= TIME_APART_MS_MAX.unsigned_abs())
        })
    }
}
