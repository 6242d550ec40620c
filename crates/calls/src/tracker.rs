//! The tracker: looks calls up, records them, forgets them.

use serde_json::Value;

use crate::find::{Hit, Likeness, Miss, find};
use crate::history::{History, Record, RecordId, Session, Statistics};
use crate::key::{Extent, Key, Query, bytes_of};
use crate::settings::CallSettings;
use crate::similarity::{Declared, Rules, Similarity};
use foveal_transcript::Timestamp;

/// Remembers the recent calls of every session: what they answered (`R`) and what that depends
/// on (`D`). It never looks at either.
///
/// Of each call: [`query`](Self::query) and [`look_up`](Self::look_up) it. On a hit the caller
/// looks whether the record's dependencies are as they were, and says so by
/// [`confirm`](Self::confirm) or [`refuse`](Self::refuse). What was carried out is
/// [`record`](Self::record)ed.
#[derive(Debug, Clone)]
pub struct CallTracker<R, D> {
    settings: CallSettings,
    rules: Rules,
    history: History<R, D>,
}

impl<R, D> CallTracker<R, D> {
    /// A tracker that remembers nothing yet.
    pub fn new(settings: CallSettings) -> Self {
        Self { settings, rules: Rules::default(), history: History::default() }
    }

    /// What is remembered of one session, to be kept across a restart.
    pub fn session_history(&self, session: &str) -> Option<&Session<R, D>> {
        self.history.sessions.get(session)
    }

    /// Goes on with a session where another tracker left it, in place of what is remembered of
    /// it here.
    pub fn restore(&mut self, session: &str, mut history: Session<R, D>) {
        let last = history.records.iter().map(|record| record.id.0).max();
        let next = last.map_or(0, |last| last.saturating_add(1));
        self.history.next = self.history.next.max(next);
        history.bound(&self.settings);
        self.history.sessions.insert(session.to_owned(), history);
        self.forget_idle_sessions(Some(session));
    }

    /// Sets the rule of one tool, whether it had one or not. Calls recorded under another rule
    /// answer no more.
    pub fn register(&mut self, tool: &str, rule: impl Into<Similarity>) {
        self.rules.register(tool, rule);
    }

    /// A call to look up; see [`Query::new`].
    pub fn query(
        &self,
        tool: &str,
        declared: Declared,
        arguments: Value,
        path_key: &dyn Fn(&str) -> String,
    ) -> Query {
        Query::new(&self.rules, tool, declared, arguments, path_key)
    }

    /// Switches looking up on or off for one session; `None`: as for all.
    pub fn set_detection(&mut self, session: &str, detect: Option<bool>, now: Timestamp) {
        self.session(session, now).detect = detect;
        self.forget_idle_sessions(Some(session));
    }

    /// Whether calls of a session are looked up and recorded.
    pub fn detects(&self, session: &str) -> bool {
        let own = self.history.sessions.get(session).and_then(|session| session.detect);
        own.unwrap_or(self.settings.detect)
    }

    /// Whether calls of one tool are looked up in a session.
    pub fn detects_tool(&self, session: &str, tool: &str) -> bool {
        self.detects(session) && self.settings.detects(tool)
    }

    /// Counts a call that is never looked up here: it stands between the calls before and after
    /// it, so that what is asked again later is not asked again right after.
    pub fn pass(&mut self, session: &str, now: Timestamp) {
        if let Some(session) = self.history.sessions.get_mut(session) {
            session.calls += 1;
            session.last_used = now;
            session.forget_answers(&self.settings);
        }
    }

    /// The latest record of the session that answers the call and `is_usable`, or why there is
    /// none. Records that are not usable are passed over, and stay.
    ///
    /// # Errors
    /// The [`Miss`]: the call is to be carried out.
    pub fn look_up(
        &mut self,
        session: &str,
        query: &Query,
        now: Timestamp,
        is_usable: impl Fn(&Hit<'_, R, D>) -> bool,
    ) -> Result<Hit<'_, R, D>, Miss> {
        let is_off = query.is_off || !self.detects_tool(session, &query.tool);
        let found = match (is_off, &query.key) {
            (true, _) => Err(Miss::Off),
            (false, Key::Never) => Err(Miss::Never),
            (false, _) => Ok(()),
        };
        let counts = &mut self.history.statistics;
        match found {
            Ok(()) => counts.looked_up += 1,
            Err(_) => counts.skipped += 1,
        }
        let Some(session) = self.history.sessions.get_mut(session) else {
            counts.misses += u64::from(found.is_ok());
            return Err(found.err().unwrap_or(Miss::New));
        };
        session.calls += 1;
        session.last_used = now;
        found?;
        match find(session, query, now, (&self.settings, &self.rules), is_usable) {
            Ok((at, extent)) => Ok(Hit { record: &session.records[at], extent }),
            Err(miss) => {
                counts.misses += 1;
                counts.asked_again += u64::from(miss == Miss::AskedAgain);
                counts.too_old += u64::from(miss == Miss::TooOld);
                Err(miss)
            }
        }
    }

    /// The call was answered from the record that [`look_up`](Self::look_up) found, which saved
    /// so many bytes from being worked out anew. When it is asked again at once it is a
    /// [`Miss::AskedAgain`].
    pub fn confirm(&mut self, session: &str, query: &Query, bytes_saved: u64) {
        let counts = &mut self.history.statistics;
        counts.hits += 1;
        counts.bytes_saved = counts.bytes_saved.saturating_add(bytes_saved);
        if let Some(session) = self.history.sessions.get_mut(session) {
            session.note_answer(query);
            session.forget_answers(&self.settings);
        }
    }

    /// The call, which no record answers, was answered by what is kept for all sessions. It
    /// counts as a hit, and asked again at once it is a [`Miss::AskedAgain`].
    pub fn answer_from_elsewhere(
        &mut self,
        session: &str,
        query: &Query,
        bytes_saved: u64,
        now: Timestamp,
    ) {
        let counts = &mut self.history.statistics;
        counts.misses = counts.misses.saturating_sub(1);
        self.session(session, now);
        self.confirm(session, query, bytes_saved);
        self.forget_idle_sessions(Some(session));
    }

    /// What the record depends on was found unchanged, and is known better by `dependencies`.
    pub fn renew(&mut self, session: &str, id: RecordId, dependencies: D) {
        let known = self.history.sessions.get_mut(session);
        let mut records = known.into_iter().flat_map(|session| &mut session.records);
        if let Some(record) = records.find(|record| record.id == id) {
            record.dependencies = dependencies;
        }
    }

    /// What the record that was found depends on has changed: it answers no more, and the call
    /// is to be carried out.
    pub fn refuse(&mut self, session: &str, id: RecordId) {
        self.history.statistics.refused += 1;
        if let Some(session) = self.history.sessions.get_mut(session) {
            session.records.retain(|record| record.id != id);
        }
    }

    /// Remembers a call that was carried out at `now`, in place of an earlier one that asked
    /// the same. Nothing is remembered where looking up is switched off for the session or the
    /// tool, of tools that are never answered from records, and of calls with very long
    /// arguments.
    pub fn record(
        &mut self,
        session: &str,
        query: Query,
        result: R,
        dependencies: D,
        now: Timestamp,
    ) -> Option<RecordId> {
        if !self.detects_tool(session, &query.tool) || query.key == Key::Never {
            return None;
        }
        let Self { settings, rules, history } = self;
        let known = history.sessions.entry(session.to_owned());
        let known = known.or_insert_with(|| Session::new(now));
        known.last_used = now;
        history.statistics.expired += known.expire(settings, now) as u64;
        let likeness = Likeness::of(&query, settings, rules);
        known.records.retain(|earlier| {
            likeness.extent(&earlier.tool, &earlier.arguments, &earlier.key) != Some(Extent::Same)
        });
        if bytes_of(&query.arguments) > settings.arguments_bytes_max {
            return None;
        }
        let id = RecordId(history.next);
        history.next += 1;
        let Query { tool, arguments, key, .. } = query;
        known.records.push_back(Record {
            id,
            tool,
            arguments,
            time: now,
            result,
            dependencies,
            key,
        });
        known.bound(settings);
        self.forget_idle_sessions(Some(session));
        Some(id)
    }

    /// The sessions of which something is remembered.
    pub fn sessions(&self) -> impl Iterator<Item = &str> {
        self.history.sessions.keys().map(String::as_str)
    }

    /// The remembered calls of a session, the oldest first.
    pub fn records(&self, session: &str) -> impl Iterator<Item = &Record<R, D>> {
        self.history.sessions.get(session).into_iter().flat_map(|session| &session.records)
    }

    /// Counts of everything that happened, and of what is remembered now.
    pub fn statistics(&self) -> Statistics {
        let sessions = &self.history.sessions;
        let calls = sessions.values().map(|session| session.records.len()).sum();
        Statistics { sessions: sessions.len(), calls, ..self.history.statistics }
    }

    /// Forgets the calls of one session. Whether its calls are looked up stays as it was set.
    pub fn clear_session(&mut self, session: &str) {
        if let Some(known) = self.history.sessions.get_mut(session) {
            known.records.clear();
            known.answered.clear();
            if known.detect.is_none() {
                self.history.sessions.remove(session);
            }
        }
    }

    /// Forgets all sessions and all counts.
    pub fn clear_all(&mut self) {
        self.history.sessions.clear();
        self.history.statistics = Statistics::default();
    }

    /// Forgets what is too old at `now`, and sessions of which nothing is left; returns the
    /// number of calls forgotten.
    pub fn clean_up(&mut self, now: Timestamp) -> usize {
        let Self { settings, history, .. } = self;
        let mut forgotten = 0;
        history.sessions.retain(|_, session| {
            forgotten += session.expire(settings, now);
            let is_idle = now.since_ms(session.last_used) > settings.limits.age_ms_max;
            !session.records.is_empty() || session.detect.is_some() || !is_idle
        });
        history.statistics.expired += forgotten as u64;
        forgotten
    }

    fn session(&mut self, session: &str, now: Timestamp) -> &mut Session<R, D> {
        let known = self.history.sessions.entry(session.to_owned());
        known.or_insert_with(|| Session::new(now))
    }

    /// Keeps to the number of sessions; `but` is not forgotten.
    fn forget_idle_sessions(&mut self, but: Option<&str>) {
        let sessions = &mut self.history.sessions;
        while sessions.len() > self.settings.sessions_max.max(1) {
            let others = sessions.iter().filter(|(name, _)| Some(name.as_str()) != but);
            let idle = others.min_by_key(|(_, session)| session.last_used);
            let Some(name) = idle.map(|(name, _)| name.clone()) else { break };
            sessions.remove(&name);
        }
    }
}
