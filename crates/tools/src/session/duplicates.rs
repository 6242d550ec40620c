//! The calls of one session that may answer later ones.

use std::sync::Arc;

use serde_json::Value;

use foveal_calls::{Declared, Hit, Miss, Query, Record, RecordId, Session};
use foveal_store::{Call, CallChanges, CallHistory, CallNumber};
use foveal_transcript::Timestamp;

use crate::answer::Dependency;
use crate::toolbox::Toolbox;

use super::journal::Journal;
use super::recorded::Recorded;

/// Texts of a call that are longer are remembered by their hash.
const TEXT_BYTES_MAX: usize = 256;

/// The remembered calls of a session; the toolbox holds those of all.
#[derive(Debug)]
pub struct Duplicates {
    session: String,
    toolbox: Arc<Toolbox>,
    journal: Arc<Journal>,
}

/// An earlier call that is like the one asked about.
pub(crate) struct EarlierRecord {
    pub(crate) id: RecordId,
    pub(crate) time: Timestamp,
    pub(crate) recorded: Recorded,
    pub(crate) depends: Vec<Dependency>,
}

impl Duplicates {
    /// Those of the session called `session`.
    pub(crate) fn new(toolbox: &Arc<Toolbox>, session: &str, journal: &Arc<Journal>) -> Self {
        let (toolbox, journal) = (Arc::clone(toolbox), Arc::clone(journal));
        Self { session: session.to_owned(), toolbox, journal }
    }

    /// Takes over what an earlier process remembered.
    pub(crate) fn recall(&self) {
        let Ok(Some(history)) = self.toolbox.store.calls(self.journal.id()) else { return };
        let CallHistory { state, calls } = history;
        let Ok(state) = serde_json::from_value(state) else { return };
        let records =
            calls.into_iter().filter_map(|call| serde_json::from_value(call.payload).ok());
        self.toolbox.calls().restore(&self.session, Session::kept(state, records));
    }

    /// Switches answers from earlier calls on or off; `None`: as for all.
    pub fn set_detection(&self, detect: Option<bool>) {
        self.toolbox.calls().set_detection(&self.session, detect, self.toolbox.clock.now());
        self.save(None);
    }

    /// Forgets the calls, so that each is carried out again.
    pub fn clear(&self) {
        self.toolbox.calls().clear_session(&self.session);
        self.save(None);
    }

    /// How many are remembered.
    pub fn count(&self) -> usize {
        self.toolbox.calls().records(&self.session).count()
    }

    /// Whether calls of a tool may be answered by earlier ones.
    pub(crate) fn detects(&self, tool: &str) -> bool {
        self.toolbox.calls().detects_tool(&self.session, tool)
    }

    /// A call is made that no earlier one can answer.
    pub(crate) fn pass(&self) {
        self.toolbox.calls().pass(&self.session, self.toolbox.clock.now());
    }

    /// A call as it is looked up; `key` tells which paths are the same file.
    pub(crate) fn key(
        &self,
        (tool, declared): (&str, Declared),
        arguments: Value,
        key: &dyn Fn(&str) -> String,
    ) -> Query {
        self.toolbox.calls().query(tool, declared, arguments, key)
    }

    /// The latest call like this one that is usable.
    pub(crate) fn look_up(
        &self,
        asked: &Query,
        is_usable: impl Fn(&Hit<'_, Recorded, Vec<Dependency>>) -> bool,
    ) -> Result<EarlierRecord, Miss> {
        let now = self.toolbox.clock.now();
        let mut calls = self.toolbox.calls();
        let record = calls.look_up(&self.session, asked, now, is_usable)?.record;
        Ok(EarlierRecord {
            id: record.id,
            time: record.time,
            recorded: record.result.clone(),
            depends: record.dependencies.clone(),
        })
    }

    /// What an earlier call found does not hold any more.
    pub(crate) fn refuse(&self, id: RecordId) {
        self.toolbox.calls().refuse(&self.session, id);
    }

    /// What an earlier call found answers this one, and still rests on `depends`.
    pub(crate) fn confirm(&self, asked: &Query, earlier: &EarlierRecord, depends: Vec<Dependency>) {
        let mut calls = self.toolbox.calls();
        calls.renew(&self.session, earlier.id, depends);
        calls.confirm(&self.session, asked, earlier.recorded.bytes);
        drop(calls);
        self.save(Some(earlier.id));
    }

    /// The tool itself answered by what is kept for all sessions.
    pub(crate) fn note_shared(&self, asked: &Query, bytes: u64) {
        let now = self.toolbox.clock.now();
        self.toolbox.calls().answer_from_elsewhere(&self.session, asked, bytes, now);
        self.save(None);
    }

    /// Remembers what a call found.
    pub(crate) fn record(&self, asked: Query, recorded: Recorded, depends: Vec<Dependency>) {
        let now = self.toolbox.clock.now();
        let id = self.toolbox.calls().record(&self.session, asked, recorded, depends, now);
        if id.is_some() {
            self.save(id);
        }
    }

    /// Keeps what is remembered across a restart: all but the calls, which of them are
    /// remembered, and the one that is new or changed.
    fn save(&self, changed: Option<RecordId>) {
        let changes = {
            let calls = self.toolbox.calls();
            let history = calls.session_history(&self.session);
            history
                .map_or_else(|| Some(CallChanges::default()), |history| changes(history, changed))
        };
        if let Some(changes) = changes {
            self.journal.change_calls(&changes);
        }
    }
}

/// What is to be kept of a session's calls, of which one changed; `None` if that cannot be.
fn changes(
    history: &Session<Recorded, Vec<Dependency>>,
    changed: Option<RecordId>,
) -> Option<CallChanges> {
    let number = |record: &Record<_, _>| CallNumber(record.id.0);
    let is_changed = |record: &&Record<_, _>| Some(record.id) == changed;
    let call = |record: &Record<Recorded, Vec<Dependency>>| {
        Some(Call { number: number(record), payload: serde_json::to_value(record).ok()? })
    };
    Some(CallChanges {
        state: Some(serde_json::to_value(history.state()).ok()?),
        calls: history.records().filter(is_changed).map(call).collect::<Option<_>>()?,
        remaining: history.records().map(number).collect(),
    })
}

/// The arguments with a hash in place of each long text: equal ones stay equal, others others.
pub(crate) fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX => {
            format!("blake3 {}", blake3::hash(text.as_bytes()).to_hex()).into()
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(properties) => {
            let short = |(name, value): (&String, &Value)| (name.clone(), shortened(value));
            Value::Object(properties.iter().map(short).collect())
        }
        other => other.clone(),
    }
}
