//! What is remembered of each session, as it is kept across restarts.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::key::{Key, Query};
use crate::settings::CallSettings;
use foveal_transcript::Timestamp;

/// The number of a record, never given twice by one [`History`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordId(pub u64);

/// A call that was carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record<R, D> {
    /// Its number.
    pub id: RecordId,
    /// The tool's name.
    pub tool: Box<str>,
    /// The arguments.
    pub arguments: Value,
    /// When it was carried out.
    pub time: Timestamp,
    /// What it answered: the content or a handle of it.
    pub result: R,
    /// What must be as it was for the answer to hold (files with their state, a generation of
    /// the tree, a freshness), for the caller to look at.
    pub dependencies: D,
    pub(crate) key: Key,
}

/// A call that was answered from a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answered {
    pub(crate) tool: Box<str>,
    pub(crate) arguments: Value,
    pub(crate) key: Key,
    /// Calls of the session until then.
    pub(crate) calls: u64,
}

/// One session's recent calls, to be kept across a restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session<R, D> {
    /// Whether calls are looked up, where it was said.
    pub(crate) detect: Option<bool>,
    /// Carried out, the oldest first.
    pub(crate) records: VecDeque<Record<R, D>>,
    /// Answered from a record a short while ago, the oldest first.
    pub(crate) answered: VecDeque<Answered>,
    /// Calls ever looked up.
    pub(crate) calls: u64,
    pub(crate) last_used: Timestamp,
}

impl<R, D> Session<R, D> {
    pub(crate) fn new(now: Timestamp) -> Self {
        Self {
            detect: None,
            records: VecDeque::new(),
            answered: VecDeque::new(),
            calls: 0,
            last_used: now,
        }
    }

    /// Notes that a call was answered from a record.
    pub(crate) fn note_answer(&mut self, query: &Query) {
        self.answered.push_back(Answered {
            tool: query.tool.clone(),
            arguments: query.arguments.clone(),
            key: query.key.clone(),
            calls: self.calls,
        });
    }

    /// Forgets answers that were not given just before.
    pub(crate) fn forget_answers(&mut self, settings: &CallSettings) {
        // Many may be confirmed at the same call.
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

    /// Forgets calls that are too old, and says how many.
    pub(crate) fn expire(&mut self, settings: &CallSettings, now: Timestamp) -> usize {
        let before = self.records.len();
        self.records
            .retain(|record| now.since_ms(record.time) <= settings.of(&record.tool).age_ms_max);
        before - self.records.len()
    }

    /// Forgets the oldest calls beyond what is remembered, of one tool and of all.
    pub(crate) fn bound(&mut self, settings: &CallSettings) {
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

/// Counts since the start, or since everything was cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Statistics {
    /// Sessions remembered now.
    pub sessions: usize,
    /// Calls remembered now.
    pub calls: usize,
    /// Calls that were looked up.
    pub looked_up: u64,
    /// Of these, answered from a record.
    pub hits: u64,
    /// Of these, to be carried out since nothing answers them; those below included.
    pub misses: u64,
    /// Misses since they were asked again right after an answer from a record.
    pub asked_again: u64,
    /// Misses since the only answer was too old.
    pub too_old: u64,
    /// Of the calls looked up, those found but refused since something had changed.
    pub refused: u64,
    /// Calls not looked up: of tools that are never answered from records, or switched off.
    pub skipped: u64,
    /// Records forgotten since they were too old.
    pub expired: u64,
    /// Bytes that were not worked out anew, as callers counted them.
    pub bytes_saved: u64,
}

/// Everything a tracker remembers, to be kept across restarts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct History<R, D> {
    pub(crate) sessions: BTreeMap<String, Session<R, D>>,
    pub(crate) statistics: Statistics,
    pub(crate) next: u64,
}

impl<R, D> Default for History<R, D> {
    fn default() -> Self {
        Self { sessions: BTreeMap::new(), statistics: Statistics::default(), next: 0 }
    }
}
