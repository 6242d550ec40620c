//! Which tools are shortened, and whether that has paid: what the conversations called that passed
//! the gateway.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_context::tokens::Tokens;
use foveal_context::tool_use::{JUDGED, Judged, ToolUse, Verdict, verdict};
use foveal_live::shorter::Knowledge;
use foveal_store::Store;
use foveal_transcript::Timestamp;

use super::warm::{OFF, RECALLED_MAX, has_not_paid_before, keep};
use crate::notice;
use crate::requests::{self, Request};

/// The file beside the store that says whether shortening has not paid, as for keeping warm.
const VERDICT_FILE: &str = "shorten-tools";

/// Conversations of which it is known what they called. Of more, those that began longest ago count
/// on, but no longer learn.
const CONVERSATIONS_MAX: usize = 1_024;

/// Where it is kept whether shortening has not paid, by the store's own path.
pub(crate) fn verdict_file(store: &Path) -> PathBuf {
    store.with_file_name(VERDICT_FILE)
}

/// Learns which tools are called.
pub(crate) struct Shortening {
    state: Mutex<State>,
    verdict: Option<PathBuf>,
}

#[derive(Default)]
struct State {
    conversations: HashMap<String, Seen>,
    known: Arc<ToolUse>,
    is_off: bool,
    /// From when on it is judged whether it pays.
    since: i64,
}

/// What a conversation called.
#[derive(Default)]
struct Seen {
    began: i64,
    called: BTreeSet<String>,
    left_out: u64,
    called_shortened: bool,
}

impl Shortening {
    /// Off where it has not paid before, unless it is to begin `anew`, now. `verdict` is where that
    /// is kept.
    pub(crate) fn new(verdict: Option<PathBuf>, anew: bool, now: Timestamp) -> Self {
        let file = verdict.as_deref();
        let was_off = file.is_some_and(has_not_paid_before);
        if let Some(file) = file.filter(|_| was_off && anew) {
            keep(file, &now.0.to_string());
        }
        let is_off = was_off && !anew;
        if is_off {
            notice::say("tools are not shortened: it has not paid; --shorten-tools begins anew");
        }
        let said = file.and_then(|file| fs::read_to_string(file).ok());
        let since = said.and_then(|said| said.trim().parse().ok()).unwrap_or(i64::MIN);
        Self { state: Mutex::new(State { is_off, since, ..State::default() }), verdict }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known, for who shortens.
    pub(crate) fn knowledge(self: &Arc<Self>) -> Knowledge {
        let own = Arc::clone(self);
        Arc::new(move || {
            let state = own.state();
            (!state.is_off).then(|| Arc::clone(&state.known))
        })
    }

    /// Learns from what the store keeps.
    pub(super) fn recall(&self, store: &Arc<dyn Store>) {
        let Ok(mut sessions) = store.sessions() else { return };
        sessions.retain(requests::is_of_gateway);
        sessions.sort_by_key(|session| std::cmp::Reverse(session.used));
        sessions.truncate(RECALLED_MAX);
        for session in sessions.iter().rev() {
            // What cannot be read teaches nothing.
            drop(requests::each(&**store, &session.id, &mut |kept| {
                self.state().take(&kept.request);
            }));
        }
        self.judge();
    }

    /// Learns from a request.
    pub(super) fn note(&self, request: &Request) {
        self.state().take(request);
        self.judge();
    }

    /// Switches itself off for good where it has not paid.
    fn judge(&self) {
        let mut state = self.state();
        let why = match state.verdict() {
            Verdict::GoesOn => return,
            _ if state.is_off => return,
            Verdict::CalledTooOften => "tools that had been shortened were called too often",
            Verdict::SavesTooLittle => "too little was left out",
        };
        state.is_off = true;
        drop(state);
        notice::say(format_args!(
            "over the last {JUDGED} conversations with shortened tools, {why}: from now on new \
             conversations have them whole; --shorten-tools begins anew"
        ));
        if let Some(file) = &self.verdict {
            keep(file, OFF);
        }
    }
}

impl State {
    fn take(&mut self, request: &Request) {
        let tools = &request.tools;
        let Some(name) = request.conversation.as_ref().filter(|_| request.refresh.is_none()) else {
            return;
        };
        if tools.called.is_empty() && tools.left_out == 0 {
            return;
        }
        if self.conversations.len() >= CONVERSATIONS_MAX && !self.conversations.contains_key(name) {
            let oldest = self.conversations.iter().min_by_key(|(_, seen)| seen.began);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|oldest| self.conversations.remove(&oldest));
        }
        let first = || Seen { began: request.time, ..Seen::default() };
        let seen = self.conversations.entry(name.clone()).or_insert_with(first);
        seen.left_out = seen.left_out.max(tools.left_out);
        seen.called_shortened |= tools.called_shortened;
        let new: BTreeSet<String> = tools.called.difference(&seen.called).cloned().collect();
        if new.is_empty() {
            return;
        }
        let known = Arc::make_mut(&mut self.known);
        match seen.called.is_empty() {
            true => known.add(&new),
            false => new.iter().for_each(|name| known.add_to_session(name)),
        }
        seen.called.extend(new);
    }

    fn verdict(&self) -> Verdict {
        let judged = |seen: &&Seen| seen.left_out > 0 && seen.began >= self.since;
        let mut all: Vec<&Seen> = self.conversations.values().filter(judged).collect();
        all.sort_by_key(|seen| seen.began);
        let judged = all.iter().map(|seen| Judged {
            left_out: Tokens(seen.left_out),
            was_called: seen.called_shortened,
        });
        verdict(&judged.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests;
