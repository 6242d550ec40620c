//! A store whose contents live only as long as the process.

use std::collections::HashSet;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde_json::Value;

use crate::error::StoreError;
use crate::keys::{
    CurationKey, NoteTime, PageKey, ReaderNoteKey, RecordNumber, RootsKey, SessionId,
};
use crate::records::{
    CachedPage, CallChanges, CallHistory, ClientEdit, ClientEditNote, CollectionTotals,
    ContentReceipt, EditAuthor, FileWrite, Grant, MessageRecord, NewContent, OmittedContents,
    ReaderNotes, RetentionLimits, SessionMetadata, SessionRecord, StoredContent, StoredMessage,
    StoredSession, TurnRecord,
};
use crate::store::{
    CacheStore, CallStore, ClientEditStore, ContentStore, DecisionStore, FileWriteStore,
    GarbageCollection, GrantStore, ReaderNoteStore, SessionLogStore, SessionStore,
};

/// The size limit of ephemeral contents and records, in bytes. The oldest are removed first.
pub const EPHEMERAL_BYTES_MAX: u64 = 512 << 20;

/// A store over two others. `durable` holds the state that other processes need and the user's
/// decisions: grants, and notes on readers, on calls and on edits (paths, hashes and line numbers).
/// All other data, including the text of files, pages and outputs, is only in `ephemeral`, which
/// should be in memory.
///
/// Handles resolve as long as this value lives. Earlier handles in `durable` resolve too.
#[derive(Debug)]
pub struct EphemeralContentStore<D, E> {
    durable: D,
    ephemeral: E,
}

impl<D, E> EphemeralContentStore<D, E> {
    /// Creates a store over a durable and an ephemeral one.
    pub fn new(durable: D, ephemeral: E) -> Self {
        Self { durable, ephemeral }
    }
}

impl<D: Send + Sync, E: SessionStore> SessionStore for EphemeralContentStore<D, E> {
    fn open_session(
        &self,
        session: &SessionId,
        facts: &SessionMetadata,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.ephemeral.open_session(session, facts, now)
    }

    fn sessions(&self) -> Result<Vec<StoredSession>, StoreError> {
        self.ephemeral.sessions()
    }

    fn set_pinned(&self, session: &SessionId, pinned: bool) -> Result<(), StoreError> {
        self.ephemeral.set_pinned(session, pinned)
    }

    fn delete_session(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.ephemeral.delete_session(session)
    }
}

impl<D: ContentStore, E: ContentStore> ContentStore for EphemeralContentStore<D, E> {
    fn reference_content(
        &self,
        session: Option<&SessionId>,
        hash: ContentHash,
        now: Timestamp,
    ) -> Result<Option<ContentReceipt>, StoreError> {
        self.ephemeral.reference_content(session, hash, now)
    }

    fn put_new_content(
        &self,
        session: Option<&SessionId>,
        content: NewContent<'_>,
        now: Timestamp,
    ) -> Result<ContentReceipt, StoreError> {
        self.ephemeral.put_new_content(session, content, now)
    }

    fn content(&self, handle: Handle) -> Result<Option<StoredContent>, StoreError> {
        match self.ephemeral.content(handle)? {
            Some(content) => Ok(Some(content)),
            None => self.durable.content(handle),
        }
    }
}

impl<D: Send + Sync, E: SessionLogStore> SessionLogStore for EphemeralContentStore<D, E> {
    fn append_record(
        &self,
        session: &SessionId,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError> {
        self.ephemeral.append_record(session, payload, now)
    }

    fn records(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        self.ephemeral.records(session, from, most)
    }

    fn append_messages(
        &self,
        session: &SessionId,
        messages: &[StoredMessage],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.ephemeral.append_messages(session, messages, now)
    }

    fn messages(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<MessageRecord>, StoreError> {
        self.ephemeral.messages(session, from, most)
    }
}

impl<D: Send + Sync, E: CallStore> CallStore for EphemeralContentStore<D, E> {
    fn update_calls(
        &self,
        session: &SessionId,
        changes: &CallChanges,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.ephemeral.update_calls(session, changes, now)
    }

    fn call_history(&self, session: &SessionId) -> Result<Option<CallHistory>, StoreError> {
        self.ephemeral.call_history(session)
    }
}

impl<D: Send + Sync, E: CacheStore> CacheStore for EphemeralContentStore<D, E> {
    fn put_curation(
        &self,
        key: CurationKey,
        curation: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.ephemeral.put_curation(key, curation, now)
    }

    fn curation(&self, key: CurationKey, now: Timestamp) -> Result<Option<Value>, StoreError> {
        self.ephemeral.curation(key, now)
    }

    fn put_page(&self, key: PageKey, fetch: &CachedPage) -> Result<(), StoreError> {
        self.ephemeral.put_page(key, fetch)
    }

    fn page(&self, key: PageKey) -> Result<Option<CachedPage>, StoreError> {
        self.ephemeral.page(key)
    }
}

impl<D: Send + Sync, E: FileWriteStore> FileWriteStore for EphemeralContentStore<D, E> {
    fn put_file_write(&self, session: &SessionId, write: &FileWrite) -> Result<(), StoreError> {
        self.ephemeral.put_file_write(session, write)
    }

    fn session_writes(&self, session: &SessionId) -> Result<Vec<FileWrite>, StoreError> {
        self.ephemeral.session_writes(session)
    }

    fn file_writes(&self, session: &SessionId, path: &str) -> Result<Vec<FileWrite>, StoreError> {
        self.ephemeral.file_writes(session, path)
    }
}

impl<D: Send + Sync, E: DecisionStore> DecisionStore for EphemeralContentStore<D, E> {
    fn known_contents(&self, contents: &[ContentHash]) -> Result<HashSet<ContentHash>, StoreError> {
        self.ephemeral.known_contents(contents)
    }

    fn prepare_contents(&self, contents: Vec<NewContent<'_>>) {
        self.ephemeral.prepare_contents(contents);
    }

    fn put_turn(
        &self,
        session: &SessionId,
        turn: &TurnRecord,
        left_out: OmittedContents<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.ephemeral.put_turn(session, turn, left_out, now)
    }

    fn turns(&self, beginnings: &[ContentHash]) -> Result<Vec<TurnRecord>, StoreError> {
        self.ephemeral.turns(beginnings)
    }

    fn session_turns(&self, session: &SessionId) -> Result<Vec<TurnRecord>, StoreError> {
        self.ephemeral.session_turns(session)
    }

    fn has_turn(&self, ends: &[ContentHash]) -> Result<bool, StoreError> {
        self.ephemeral.has_turn(ends)
    }
}

impl<D: GrantStore, E: Send + Sync> GrantStore for EphemeralContentStore<D, E> {
    fn put_grant(&self, roots: RootsKey, grant: &Grant, now: Timestamp) -> Result<(), StoreError> {
        self.durable.put_grant(roots, grant, now)
    }

    fn remove_grant(&self, roots: RootsKey, grant: &Grant) -> Result<bool, StoreError> {
        self.durable.remove_grant(roots, grant)
    }

    fn grants(&self, roots: RootsKey) -> Result<Vec<Grant>, StoreError> {
        self.durable.grants(roots)
    }
}

impl<D: ReaderNoteStore, E: Send + Sync> ReaderNoteStore for EphemeralContentStore<D, E> {
    fn note_reader(
        &self,
        places: &[ReaderNoteKey],
        reader: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.durable.note_reader(places, reader, now)
    }

    fn reader_notes(&self, places: &[ReaderNoteKey]) -> Result<ReaderNotes, StoreError> {
        self.durable.reader_notes(places)
    }

    fn last_reader_note(&self) -> Result<NoteTime, StoreError> {
        self.durable.last_reader_note()
    }

    fn note_call_reader(&self, call: &str, reader: &str, now: Timestamp) -> Result<(), StoreError> {
        self.durable.note_call_reader(call, reader, now)
    }

    fn call_reader(&self, call: &str) -> Result<Option<String>, StoreError> {
        self.durable.call_reader(call)
    }
}

impl<D: ClientEditStore, E: Send + Sync> ClientEditStore for EphemeralContentStore<D, E> {
    fn note_client_edit(
        &self,
        author: EditAuthor<'_>,
        path: &str,
        edit: &ClientEdit,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.durable.note_client_edit(author, path, edit, now)
    }

    fn client_edits(
        &self,
        reader: &str,
        since: NoteTime,
    ) -> Result<Vec<ClientEditNote>, StoreError> {
        self.durable.client_edits(reader, since)
    }

    fn forget_client_edits(&self, session: &str) -> Result<(), StoreError> {
        self.durable.forget_client_edits(session)
    }
}

impl<D: GarbageCollection, E: GarbageCollection> GarbageCollection for EphemeralContentStore<D, E> {
    fn collect_garbage(
        &self,
        limits: RetentionLimits,
        now: Timestamp,
    ) -> Result<CollectionTotals, StoreError> {
        let bytes_max = limits.bytes_max.min(EPHEMERAL_BYTES_MAX);
        let passing =
            self.ephemeral.collect_garbage(RetentionLimits { bytes_max, ..limits }, now)?;
        // The durable store can hold contents of an earlier configuration.
        let kept = self.durable.collect_garbage(limits, now)?;
        Ok(CollectionTotals {
            sessions: passing.sessions + kept.sessions,
            contents: passing.contents + kept.contents,
            cached: passing.cached + kept.cached,
            bytes_left: passing.bytes_left + kept.bytes_left,
        })
    }

    fn last_collection(&self) -> Result<Option<Timestamp>, StoreError> {
        self.ephemeral.last_collection()
    }
}
