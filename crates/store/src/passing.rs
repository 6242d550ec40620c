//! A store whose contents pass with the process.

use std::collections::HashSet;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde_json::Value;

use crate::error::StoreError;
use crate::keys::{CurationKey, FetchKey, Moment, ReaderPlace, RecordNumber, RootsKey, SessionId};
use crate::records::{
    CallChanges, CallHistory, Collected, Content, Fetch, Grant, LeftOut, Limits, Message,
    NewContent, NotedEdit, OwnEdit, Readers, Record, Said, Session, SessionFacts, Stored, Turn,
    Write,
};
use crate::store::Store;

/// Bytes of contents and records that pass, at most; the oldest go first.
pub const PASSING_BYTES_MAX: u64 = 512 << 20;

/// Keeps in `kept` what other processes must know and what a person decided: grants, and notes
/// on readers, on askers and on edits (paths, hashes and line numbers). All else, everything
/// that files, pages and outputs hold among it, is in `passing` alone, which is to be in memory.
///
/// Handles resolve as long as this value lives. Those that `kept` has from before resolve too.
#[derive(Debug)]
pub struct PassingContents<K, P> {
    kept: K,
    passing: P,
}

impl<K, P> PassingContents<K, P> {
    /// A store over two.
    pub fn new(kept: K, passing: P) -> Self {
        Self { kept, passing }
    }
}

impl<K: Store, P: Store> Store for PassingContents<K, P> {
    fn open_session(
        &self,
        session: &SessionId,
        facts: &SessionFacts,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.passing.open_session(session, facts, now)
    }

    fn sessions(&self) -> Result<Vec<Session>, StoreError> {
        self.passing.sessions()
    }

    fn set_pinned(&self, session: &SessionId, pinned: bool) -> Result<(), StoreError> {
        self.passing.set_pinned(session, pinned)
    }

    fn delete_session(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.passing.delete_session(session)
    }

    fn refer(
        &self,
        session: Option<&SessionId>,
        hash: ContentHash,
        now: Timestamp,
    ) -> Result<Option<Stored>, StoreError> {
        self.passing.refer(session, hash, now)
    }

    fn put_new(
        &self,
        session: Option<&SessionId>,
        content: NewContent<'_>,
        now: Timestamp,
    ) -> Result<Stored, StoreError> {
        self.passing.put_new(session, content, now)
    }

    fn get(&self, handle: Handle) -> Result<Option<Content>, StoreError> {
        match self.passing.get(handle)? {
            Some(content) => Ok(Some(content)),
            None => self.kept.get(handle),
        }
    }

    fn append(
        &self,
        session: &SessionId,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError> {
        self.passing.append(session, payload, now)
    }

    fn records(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<Record>, StoreError> {
        self.passing.records(session, from, most)
    }

    fn append_messages(
        &self,
        session: &SessionId,
        messages: &[Message],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.passing.append_messages(session, messages, now)
    }

    fn messages(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<Said>, StoreError> {
        self.passing.messages(session, from, most)
    }

    fn change_calls(
        &self,
        session: &SessionId,
        changes: &CallChanges,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.passing.change_calls(session, changes, now)
    }

    fn calls(&self, session: &SessionId) -> Result<Option<CallHistory>, StoreError> {
        self.passing.calls(session)
    }

    fn put_curation(
        &self,
        key: CurationKey,
        curation: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.passing.put_curation(key, curation, now)
    }

    fn curation(&self, key: CurationKey, now: Timestamp) -> Result<Option<Value>, StoreError> {
        self.passing.curation(key, now)
    }

    fn put_fetch(&self, key: FetchKey, fetch: &Fetch) -> Result<(), StoreError> {
        self.passing.put_fetch(key, fetch)
    }

    fn fetch(&self, key: FetchKey) -> Result<Option<Fetch>, StoreError> {
        self.passing.fetch(key)
    }

    fn put_write(&self, session: &SessionId, write: &Write) -> Result<(), StoreError> {
        self.passing.put_write(session, write)
    }

    fn session_writes(&self, session: &SessionId) -> Result<Vec<Write>, StoreError> {
        self.passing.session_writes(session)
    }

    fn writes(&self, session: &SessionId, path: &str) -> Result<Vec<Write>, StoreError> {
        self.passing.writes(session, path)
    }

    fn contents_known(&self, contents: &[ContentHash]) -> Result<HashSet<ContentHash>, StoreError> {
        self.passing.contents_known(contents)
    }

    fn get_ready(&self, contents: Vec<NewContent<'_>>) {
        self.passing.get_ready(contents);
    }

    fn put_turn(
        &self,
        session: &SessionId,
        turn: &Turn,
        left_out: LeftOut<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.passing.put_turn(session, turn, left_out, now)
    }

    fn turns(&self, beginnings: &[ContentHash]) -> Result<Vec<Turn>, StoreError> {
        self.passing.turns(beginnings)
    }

    fn knows_turn(&self, ends: &[ContentHash]) -> Result<bool, StoreError> {
        self.passing.knows_turn(ends)
    }

    fn put_grant(&self, roots: RootsKey, grant: &Grant, now: Timestamp) -> Result<(), StoreError> {
        self.kept.put_grant(roots, grant, now)
    }

    fn remove_grant(&self, roots: RootsKey, grant: &Grant) -> Result<bool, StoreError> {
        self.kept.remove_grant(roots, grant)
    }

    fn grants(&self, roots: RootsKey) -> Result<Vec<Grant>, StoreError> {
        self.kept.grants(roots)
    }

    fn note_reader(
        &self,
        places: &[ReaderPlace],
        reader: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.kept.note_reader(places, reader, now)
    }

    fn readers(&self, places: &[ReaderPlace]) -> Result<Readers, StoreError> {
        self.kept.readers(places)
    }

    fn note_asker(&self, call: &str, reader: &str, now: Timestamp) -> Result<(), StoreError> {
        self.kept.note_asker(call, reader, now)
    }

    fn asker(&self, call: &str) -> Result<Option<String>, StoreError> {
        self.kept.asker(call)
    }

    fn note_edit(
        &self,
        reader: (&str, &str),
        path: &str,
        edit: &OwnEdit,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.kept.note_edit(reader, path, edit, now)
    }

    fn edits_by(&self, reader: &str, since: Moment) -> Result<Vec<NotedEdit>, StoreError> {
        self.kept.edits_by(reader, since)
    }

    fn forget_edits(&self, session: &str) -> Result<(), StoreError> {
        self.kept.forget_edits(session)
    }

    fn last_reader_note(&self) -> Result<Moment, StoreError> {
        self.kept.last_reader_note()
    }

    fn collect(&self, limits: Limits, now: Timestamp) -> Result<Collected, StoreError> {
        let bytes_max = limits.bytes_max.min(PASSING_BYTES_MAX);
        let passing = self.passing.collect(Limits { bytes_max, ..limits }, now)?;
        // What is on disk is of the time before.
        let kept = self.kept.collect(limits, now)?;
        Ok(Collected {
            sessions: passing.sessions + kept.sessions,
            contents: passing.contents + kept.contents,
            cached: passing.cached + kept.cached,
            bytes_left: passing.bytes_left + kept.bytes_left,
        })
    }

    fn last_collection(&self) -> Result<Option<Timestamp>, StoreError> {
        self.passing.last_collection()
    }
}
