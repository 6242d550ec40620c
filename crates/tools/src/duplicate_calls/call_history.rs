//! The recent calls of each session, in a form that is stored across restarts.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::key::{CallQuery, ComparisonKey};
use super::settings::CallSettings;
use foveal_transcript::Timestamp;

/// The number of a record, unique within a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordedCallId(pub u64);

/// A call that was carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedCall<R, D> {
    /// The number of the record.
    pub id: RecordedCallId,
    /// The tool's name.
    pub tool: Box<str>,
    /// The arguments.
    pub arguments: Value,
    /// The time at which it was carried out.
    pub time: Timestamp,
    /// The answer: its content or a handle of it.
    pub result: R,
    /// The state that must be unchanged for the answer to hold (files with their state, a
    /// generation of the tree, a freshness). The caller checks it.
    pub dependencies: D,
    pub(crate) key: ComparisonKey,
}

/// A call that was answered from a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RepeatedCall {
    pub(crate) tool: Box<str>,
    pub(crate) arguments: Value,
    pub(crate) key: ComparisonKey,
    /// The number of calls of the session until then.
    pub(crate) calls: u64,
}

/// One session's recent calls, in a form that is stored across restarts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionCalls<R, D> {
    /// Whether detection is enabled, if set for the session.
    pub(crate) detect: Option<bool>,
    /// The calls that were carried out, oldest first.
    pub(crate) records: VecDeque<RecordedCall<R, D>>,
    /// The calls that were recently answered from a record, oldest first.
    pub(crate) answered: VecDeque<RepeatedCall>,
    /// The number of calls looked up so far.
    pub(crate) calls: u64,
    pub(crate) last_used: Timestamp,
}

/// The state of a session apart from its records: small, and changed by most calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionCallState {
    detect: Option<bool>,
    answered: VecDeque<RepeatedCall>,
    calls: u64,
    last_used: Timestamp,
}

impl<R, D> SessionCalls<R, D> {
    /// Restores a session from its stored state and records, oldest first.
    pub fn from_state(
        state: SessionCallState,
        records: impl IntoIterator<Item = RecordedCall<R, D>>,
    ) -> Self {
        let SessionCallState { detect, answered, calls, last_used } = state;
        Self { detect, records: records.into_iter().collect(), answered, calls, last_used }
    }

    /// Returns the state to store beside the records.
    pub fn state(&self) -> SessionCallState {
        let Self { detect, answered, calls, last_used, .. } = self;
        let (detect, calls, last_used) = (*detect, *calls, *last_used);
        SessionCallState { detect, answered: answered.clone(), calls, last_used }
    }

    /// Returns the calls that were carried out, oldest first.
    pub fn records(&self) -> impl Iterator<Item = &RecordedCall<R, D>> {
        self.records.iter()
    }

    pub(crate) fn new(now: Timestamp) -> Self {
        Self {
            detect: None,
            records: VecDeque::new(),
            answered: VecDeque::new(),
            calls: 0,
            last_used: now,
        }
    }

    /// Records that a call was answered from a record.
    pub(crate) fn record_repeat(&mut self, query: &CallQuery) {
        self.answered.push_back(RepeatedCall {
            tool: query.tool.clone(),
            arguments: query.arguments.clone(),
            key: query.key.clone(),
            calls: self.calls,
        });
    }

    /// Forgets the repeated calls that were not answered just before.
    pub(crate) fn forget_old_repeats(&mut self, settings: &CallSettings) {
        // One call may confirm many answers.
        let too_many = self.answered.len().saturating_sub(settings.limits.calls_max);
        self.answered.drain(..too_many);
        while let Some(oldest) = self.answered.front() {
            let between = self.calls.saturating_sub(oldest.calls.saturating_add(1));
            if between <= settings.calls_between_max {
                break;
            }
            self.answered.pop_front();
        }
    }

    /// Removes the calls that are too old, and returns their number.
    pub(crate) fn remove_expired(&mut self, settings: &CallSettings, now: Timestamp) -> usize {
        let before = self.records.len();
        self.records.retain(|record| {
            now.since_ms(record.time) <= settings.limits_for(&record.tool).age_ms_max
        });
        before - self.records.len()
    }

    /// Removes the oldest calls beyond the limits, of each tool and in total.
    pub(crate) fn enforce_limits(&mut self, settings: &CallSettings) {
        for (tool, own) in &settings.tools {
            let Some(calls_max) = own.calls_max else { continue };
            let of_tool = self.records.iter().filter(|record| *record.tool == **tool).count();
            let mut too_many = of_tool.saturating_sub(calls_max);
            self.records.retain(|record| {
                let goes = too_many > 0 && *record.tool == **tool;
                too_many -= usize::from(goes);
                !goes
            });
        }
        let too_many = self.records.len().saturating_sub(settings.limits.calls_max);
        self.records.drain(..too_many);
    }
}

/// Counters since the start, or since the last clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CallStatistics {
    /// Sessions remembered now.
    pub sessions: usize,
    /// Calls remembered now.
    pub calls: usize,
    /// Calls that repeated an earlier one: its answer was reused, or the answer only points at it.
    pub repeats: u64,
    /// Calls that were looked up.
    pub looked_up: u64,
    /// Looked-up calls that were answered from a record.
    pub hits: u64,
    /// Looked-up calls without an answer, including those below.
    pub misses: u64,
    /// Misses because the call was repeated right after an answer from a record.
    pub asked_again: u64,
    /// Misses because the only answer was too old.
    pub too_old: u64,
    /// Looked-up calls whose answer was rejected because something had changed.
    pub refused: u64,
    /// Calls that were not looked up: the tool is never answered from records, or detection is
    /// disabled.
    pub skipped: u64,
    /// Records removed because they were too old.
    pub expired: u64,
    /// Bytes that need not be produced again, as callers counted them.
    pub bytes_saved: u64,
}

/// The whole state of a tracker, in a form that is stored across restarts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrackerHistory<R, D> {
    pub(crate) sessions: BTreeMap<String, SessionCalls<R, D>>,
    pub(crate) statistics: CallStatistics,
    pub(crate) next: u64,
}

impl<R, D> Default for TrackerHistory<R, D> {
    fn default() -> Self {
        Self { sessions: BTreeMap::new(), statistics: CallStatistics::default(), next: 0 }
    }
}
