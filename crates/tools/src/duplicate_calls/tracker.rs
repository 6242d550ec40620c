//! The tracker, which looks up, records and forgets calls.

use serde_json::Value;

use super::call_history::{
    CallStatistics, RecordedCall, RecordedCallId, SessionCalls, TrackerHistory,
};
use super::key::{CallQuery, ComparisonKey, MatchExtent, text_byte_count};
use super::lookup::{CallMatcher, LookupHit, LookupMiss, find_record};
use super::settings::CallSettings;
use super::similarity::{Similarity, SimilarityRules};
use foveal_transcript::Timestamp;

/// Remembers the recent calls of every session: their answers (`R`) and the dependencies of these
/// (`D`), neither of which it inspects.
///
/// For each call, create a [`query`](Self::new_query) and [`look_up`](Self::look_up) it. On a hit
/// the caller checks whether the record's dependencies are unchanged, and calls
/// [`confirm_hit`](Self::confirm_hit) or [`reject_hit`](Self::reject_hit). A call that was carried
/// out is passed to [`record`](Self::record).
#[derive(Debug, Clone)]
pub struct CallTracker<R, D> {
    settings: CallSettings,
    rules: SimilarityRules,
    history: TrackerHistory<R, D>,
}

impl<R, D> CallTracker<R, D> {
    /// Creates an empty tracker.
    pub fn new(settings: CallSettings) -> Self {
        Self { settings, rules: SimilarityRules::default(), history: TrackerHistory::default() }
    }

    /// Returns the calls of one session, for storage.
    pub fn session_calls(&self, session: &str) -> Option<&SessionCalls<R, D>> {
        self.history.sessions.get(session)
    }

    /// Replaces the calls of a session by those of another tracker.
    pub fn restore_session(&mut self, session: &str, mut history: SessionCalls<R, D>) {
        let last = history.records.iter().map(|record| record.id.0).max();
        let next = last.map_or(0, |last| last.saturating_add(1));
        self.history.next = self.history.next.max(next);
        history.enforce_limits(&self.settings);
        self.history.sessions.insert(session.to_owned(), history);
        self.forget_idle_sessions(Some(session));
    }

    /// Sets the rule of one tool, in place of any other. Calls recorded under the old rule answer
    /// no more.
    pub fn register_rule(&mut self, tool: &str, rule: impl Into<Similarity>) {
        self.rules.register(tool, rule);
    }

    /// Creates the query of a call; see [`CallQuery::new`].
    pub fn new_query(
        &self,
        tool: &str,
        arguments: Value,
        path_key: &dyn Fn(&str) -> String,
    ) -> CallQuery {
        CallQuery::new(&self.rules, tool, arguments, path_key)
    }

    /// Enables or disables detection for one session; `None` restores the common setting.
    pub fn set_detection(&mut self, session: &str, detect: Option<bool>, now: Timestamp) {
        self.session_entry(session, now).detect = detect;
        self.forget_idle_sessions(Some(session));
    }

    /// Returns whether calls of a session are looked up and recorded.
    pub fn is_detecting(&self, session: &str) -> bool {
        let own = self.history.sessions.get(session).and_then(|session| session.detect);
        own.unwrap_or(self.settings.detect)
    }

    /// Returns whether calls of one tool are looked up in a session.
    pub fn is_detecting_tool(&self, session: &str, tool: &str) -> bool {
        self.is_detecting(session) && self.settings.detects_tool(tool)
    }

    /// Counts a call that is never looked up here. It stands between the calls before and after it,
    /// so that a later repetition does not count as repeated at once.
    pub fn count_skipped_call(&mut self, session: &str, now: Timestamp) {
        if let Some(session) = self.history.sessions.get_mut(session) {
            session.calls += 1;
            session.last_used = now;
            session.forget_old_repeats(&self.settings);
        }
    }

    /// Counts a call that repeated an earlier one, however it was answered.
    pub fn count_repeat(&mut self) {
        self.history.statistics.repeats += 1;
    }

    /// Returns the latest record of the session that answers the call and `is_usable`. Skips
    /// records that are not usable, and keeps them.
    ///
    /// # Errors
    /// The [`LookupMiss`] if the call must be carried out.
    pub fn look_up(
        &mut self,
        session: &str,
        query: &CallQuery,
        now: Timestamp,
        is_usable: impl Fn(&LookupHit<'_, R, D>) -> bool,
    ) -> Result<LookupHit<'_, R, D>, LookupMiss> {
        let is_off = query.is_off || !self.is_detecting_tool(session, &query.tool);
        let found = match (is_off, &query.key) {
            (true, _) => Err(LookupMiss::Off),
            (false, ComparisonKey::Never) => Err(LookupMiss::Never),
            (false, _) => Ok(()),
        };
        let counts = &mut self.history.statistics;
        match found {
            Ok(()) => counts.looked_up += 1,
            Err(_) => counts.skipped += 1,
        }
        let Some(session) = self.history.sessions.get_mut(session) else {
            counts.misses += u64::from(found.is_ok());
            return Err(found.err().unwrap_or(LookupMiss::New));
        };
        session.calls += 1;
        session.last_used = now;
        found?;
        match find_record(session, query, now, &self.settings, &self.rules, is_usable) {
            Ok((at, extent)) => Ok(LookupHit { record: &session.records[at], extent }),
            Err(miss) => {
                counts.misses += 1;
                counts.asked_again += u64::from(miss == LookupMiss::AskedAgain);
                counts.too_old += u64::from(miss == LookupMiss::TooOld);
                Err(miss)
            }
        }
    }

    /// Records that the record found by [`look_up`](Self::look_up) answered the call, which saved
    /// `bytes_saved` bytes. If the call is repeated at once, the result is
    /// [`LookupMiss::AskedAgain`].
    pub fn confirm_hit(&mut self, session: &str, query: &CallQuery, bytes_saved: u64) {
        let counts = &mut self.history.statistics;
        counts.hits += 1;
        counts.bytes_saved = counts.bytes_saved.saturating_add(bytes_saved);
        if let Some(session) = self.history.sessions.get_mut(session) {
            session.record_repeat(query);
            session.forget_old_repeats(&self.settings);
        }
    }

    /// Records that content shared by all sessions answered the call, which no record answers. It
    /// counts as a hit; if the call is repeated at once, the result is
    /// [`LookupMiss::AskedAgain`].
    pub fn record_external_answer(
        &mut self,
        session: &str,
        query: &CallQuery,
        bytes_saved: u64,
        now: Timestamp,
    ) {
        let counts = &mut self.history.statistics;
        counts.misses = counts.misses.saturating_sub(1);
        self.session_entry(session, now);
        self.confirm_hit(session, query, bytes_saved);
        self.forget_idle_sessions(Some(session));
    }

    /// Replaces the dependencies of a record after the caller found them unchanged.
    pub fn update_dependencies(&mut self, session: &str, id: RecordedCallId, dependencies: D) {
        let known = self.history.sessions.get_mut(session);
        let mut records = known.into_iter().flat_map(|session| &mut session.records);
        if let Some(record) = records.find(|record| record.id == id) {
            record.dependencies = dependencies;
        }
    }

    /// Removes the record that was found, because its dependencies changed; the call must be
    /// carried out.
    pub fn reject_hit(&mut self, session: &str, id: RecordedCallId) {
        self.history.statistics.refused += 1;
        if let Some(session) = self.history.sessions.get_mut(session) {
            session.records.retain(|record| record.id != id);
        }
    }

    /// Records a call that was carried out at `now`, in place of an earlier equal one. Returns
    /// `None` without recording it if detection is disabled for the session or the tool, if the
    /// tool is never answered from records, or if the arguments are very long.
    pub fn record(
        &mut self,
        session: &str,
        query: CallQuery,
        result: R,
        dependencies: D,
        now: Timestamp,
    ) -> Option<RecordedCallId> {
        if !self.is_detecting_tool(session, &query.tool) || query.key == ComparisonKey::Never {
            return None;
        }
        let Self { settings, rules, history } = self;
        let known = history.sessions.entry(session.to_owned());
        let known = known.or_insert_with(|| SessionCalls::new(now));
        known.last_used = now;
        history.statistics.expired += known.remove_expired(settings, now) as u64;
        let likeness = CallMatcher::new(&query, rules);
        known.records.retain(|earlier| {
            likeness.match_extent(&earlier.tool, &earlier.arguments, &earlier.key)
                != Some(MatchExtent::Same)
        });
        if text_byte_count(&query.arguments) > settings.arguments_bytes_max {
            return None;
        }
        let id = RecordedCallId(history.next);
        history.next += 1;
        let CallQuery { tool, arguments, key, .. } = query;
        known.records.push_back(RecordedCall {
            id,
            tool,
            arguments,
            time: now,
            result,
            dependencies,
            key,
        });
        known.enforce_limits(settings);
        self.forget_idle_sessions(Some(session));
        Some(id)
    }

    /// Returns the ids of the remembered sessions.
    pub fn sessions(&self) -> impl Iterator<Item = &str> {
        self.history.sessions.keys().map(String::as_str)
    }

    /// Returns the remembered calls of a session, oldest first.
    pub fn records(&self, session: &str) -> impl Iterator<Item = &RecordedCall<R, D>> {
        self.history.sessions.get(session).into_iter().flat_map(|session| &session.records)
    }

    /// Returns the counters, and the number of remembered sessions and calls.
    pub fn statistics(&self) -> CallStatistics {
        let sessions = &self.history.sessions;
        let calls = sessions.values().map(|session| session.records.len()).sum();
        CallStatistics { sessions: sessions.len(), calls, ..self.history.statistics }
    }

    /// Forgets the calls of one session. Keeps its detection setting.
    pub fn clear_session(&mut self, session: &str) {
        if let Some(known) = self.history.sessions.get_mut(session) {
            known.records.clear();
            known.answered.clear();
            if known.detect.is_none() {
                self.history.sessions.remove(session);
            }
        }
    }

    /// Forgets all sessions and resets the counters.
    pub fn reset(&mut self) {
        self.history.sessions.clear();
        self.history.statistics = CallStatistics::default();
    }

    /// Removes expired calls, and sessions without calls. Returns the number of calls removed.
    pub fn remove_expired(&mut self, now: Timestamp) -> usize {
        let Self { settings, history, .. } = self;
        let mut forgotten = 0;
        history.sessions.retain(|_, session| {
            forgotten += session.remove_expired(settings, now);
            let is_idle = now.since_ms(session.last_used) > settings.limits.age_ms_max;
            !session.records.is_empty() || session.detect.is_some() || !is_idle
        });
        history.statistics.expired += forgotten as u64;
        forgotten
    }

    fn session_entry(&mut self, session: &str, now: Timestamp) -> &mut SessionCalls<R, D> {
        let known = self.history.sessions.entry(session.to_owned());
        known.or_insert_with(|| SessionCalls::new(now))
    }

    /// Enforces the limit on sessions; does not forget `but`.
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
