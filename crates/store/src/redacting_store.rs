//! A wrapper that keeps secrets out of any store.

use std::borrow::Cow;
use std::collections::HashSet;

use foveal_redaction as secrets;
use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde_json::Value;

use crate::error::StoreError;
use crate::json::check_depth;
use crate::keys::{
    CurationKey, NoteTime, PageKey, ReaderNoteKey, RecordNumber, RootsKey, SessionId,
};
use crate::parallel_map;
use crate::records::{
    CachedPage, CallChanges, CallHistory, ClientEdit, ClientEditNote, CollectionTotals,
    ContentReceipt, EditAuthor, FileWrite, Grant, MessageRecord, NewContent, OmittedContents,
    ReaderNotes, RecentCall, RetentionLimits, SealedJson, SessionMetadata, SessionRecord,
    StoredContent, StoredMessage, StoredSession, TurnRecord,
};
use crate::store::{
    CacheStore, CallStore, ClientEditStore, ContentStore, DecisionStore, FileWriteStore,
    GarbageCollection, GrantStore, ReaderNoteStore, SESSION_ID_BYTES_MAX, SessionLogStore,
    SessionStore,
};

/// A store that removes secrets from everything that is stored in `S`.
///
/// Contents keep the handle of the original, so that it equals the handle that the model was given.
/// The stored content has a note in place of each secret. Names of sessions and readers that differ
/// only in a secret stay different: a hash of the whole name follows the redacted one.
#[derive(Debug)]
pub struct RedactingStore<S> {
    pub(crate) store: S,
}

impl<S> RedactingStore<S> {
    /// Creates a redacting store over `store`.
    pub fn new(store: S) -> Self {
        Self { store }
    }
}

/// Returns `name` without secrets. Names that differ only in a secret stay different.
fn redact_name(name: &str) -> Cow<'_, str> {
    match secrets::redact_text(name) {
        Cow::Owned(shown) => format!("{shown} {}", Handle::from_content(name.as_bytes())).into(),
        plain @ Cow::Borrowed(_) => plain,
    }
}

/// Returns the session id without secrets. Shortens it where the notes in place of secrets make it
/// too long.
fn redact_session_id(session: &SessionId) -> Cow<'_, SessionId> {
    let Cow::Owned(mut shown) = redact_name(&session.0) else { return Cow::Borrowed(session) };
    if shown.len() > SESSION_ID_BYTES_MAX && session.0.len() <= SESSION_ID_BYTES_MAX {
        let handle = Handle::from_content(session.0.as_bytes()).to_string();
        let end = shown.floor_char_boundary(SESSION_ID_BYTES_MAX - handle.len());
        shown.truncate(end);
        shown.push_str(&handle);
    }
    Cow::Owned(SessionId(shown))
}

/// Returns the value without the secrets in its strings.
fn redact_json(value: &Value) -> Result<Cow<'_, Value>, StoreError> {
    check_depth(value)?;
    Ok(secrets::redact_json(value))
}

/// Returns the content without its secrets.
fn redact_content(content: NewContent<'_>) -> NewContent<'_> {
    let NewContent { hash, bytes, secrets } = content;
    match secrets::redact(&bytes) {
        Some(redacted) => {
            let secrets = secrets.saturating_add(redacted.secrets);
            NewContent { hash, bytes: redacted.bytes.into(), secrets }
        }
        None => NewContent { hash, bytes, secrets },
    }
}

/// Returns the header, unless it contains a secret. Entity tags look like random secrets and are
/// none.
fn header_without_secrets(text: &Option<String>) -> Option<String> {
    text.clone().filter(|text| {
        secrets::find_secrets(text.as_bytes()).iter().all(secrets::Secret::is_random_word)
    })
}

/// Returns the message without its secrets. A sealed part is kept whole or dropped: the provider
/// accepts nothing else.
fn redact_message(message: &StoredMessage) -> Result<StoredMessage, StoreError> {
    let payload = redact_json(&message.payload)?;
    let is_whole = message.is_unredacted && *payload == message.payload;
    let sealed = message.sealed.iter().map(|sealed| sealed.clone().filter(is_free_of_secrets));
    Ok(StoredMessage {
        sealed: sealed.collect(),
        payload: payload.into_owned(),
        is_unredacted: is_whole,
    })
}

/// Returns whether the part contains no secret outside of the values that only the provider can
/// read.
fn is_free_of_secrets(sealed: &SealedJson) -> bool {
    let open = sealed.opaque_values.iter().fold(sealed.json.clone(), |json, value| {
        // Only complete JSON strings are replaced: a short value may occur inside of other text.
        json.replace(&Value::String(value.clone()).to_string(), "\"\"")
    });
    match serde_json::from_str::<Value>(&open) {
        Ok(json) => redact_json(&json).is_ok_and(|plain| *plain == json),
        Err(_) => false,
    }
}

impl<S: SessionStore> SessionStore for RedactingStore<S> {
    fn open_session(
        &self,
        session: &SessionId,
        facts: &SessionMetadata,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let SessionMetadata { roots, transcript } = facts;
        let plain = |text: &String| secrets::redact_text(text).into_owned();
        let roots = roots.iter().map(plain).collect();
        let transcript = transcript.as_ref().map(plain);
        self.store.open_session(
            &redact_session_id(session),
            &SessionMetadata { roots, transcript },
            now,
        )
    }

    fn sessions(&self) -> Result<Vec<StoredSession>, StoreError> {
        self.store.sessions()
    }

    fn set_pinned(&self, session: &SessionId, pinned: bool) -> Result<(), StoreError> {
        self.store.set_pinned(&redact_session_id(session), pinned)
    }

    fn delete_session(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.store.delete_session(&redact_session_id(session))
    }
}

impl<S: ContentStore> ContentStore for RedactingStore<S> {
    fn reference_content(
        &self,
        session: Option<&SessionId>,
        hash: ContentHash,
        now: Timestamp,
    ) -> Result<Option<ContentReceipt>, StoreError> {
        self.store.reference_content(session.map(redact_session_id).as_deref(), hash, now)
    }

    fn put_new_content(
        &self,
        session: Option<&SessionId>,
        content: NewContent<'_>,
        now: Timestamp,
    ) -> Result<ContentReceipt, StoreError> {
        let content = redact_content(content);
        self.store.put_new_content(session.map(redact_session_id).as_deref(), content, now)
    }

    fn content(&self, handle: Handle) -> Result<Option<StoredContent>, StoreError> {
        self.store.content(handle)
    }
}

impl<S: SessionLogStore> SessionLogStore for RedactingStore<S> {
    fn append_record(
        &self,
        session: &SessionId,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError> {
        self.store.append_record(&redact_session_id(session), &*redact_json(payload)?, now)
    }

    fn records(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        self.store.records(&redact_session_id(session), from, most)
    }

    fn append_messages(
        &self,
        session: &SessionId,
        messages: &[StoredMessage],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let plain: Result<Vec<StoredMessage>, _> = messages.iter().map(redact_message).collect();
        self.store.append_messages(&redact_session_id(session), &plain?, now)
    }

    fn messages(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<MessageRecord>, StoreError> {
        self.store.messages(&redact_session_id(session), from, most)
    }
}

impl<S: CallStore> CallStore for RedactingStore<S> {
    fn update_calls(
        &self,
        session: &SessionId,
        changes: &CallChanges,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let CallChanges { state, calls, remaining } = changes;
        let call = |call: &RecentCall| {
            Ok(RecentCall {
                number: call.number,
                payload: redact_json(&call.payload)?.into_owned(),
            })
        };
        let plain = CallChanges {
            state: state.as_ref().map(redact_json).transpose()?.map(Cow::into_owned),
            calls: calls.iter().map(call).collect::<Result<_, StoreError>>()?,
            remaining: remaining.clone(),
        };
        self.store.update_calls(&redact_session_id(session), &plain, now)
    }

    fn call_history(&self, session: &SessionId) -> Result<Option<CallHistory>, StoreError> {
        self.store.call_history(&redact_session_id(session))
    }
}

impl<S: CacheStore> CacheStore for RedactingStore<S> {
    fn put_curation(
        &self,
        key: CurationKey,
        curation: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.put_curation(key, &*redact_json(curation)?, now)
    }

    fn curation(&self, key: CurationKey, now: Timestamp) -> Result<Option<Value>, StoreError> {
        self.store.curation(key, now)
    }

    fn put_page(&self, key: PageKey, fetch: &CachedPage) -> Result<(), StoreError> {
        let plain = CachedPage {
            url: secrets::redact_text(&fetch.url).into_owned(),
            final_url: secrets::redact_text(&fetch.final_url).into_owned(),
            content_type: header_without_secrets(&fetch.content_type),
            // A redacted header would never match the server's, so the page would always look
            // changed.
            etag: header_without_secrets(&fetch.etag),
            last_modified: header_without_secrets(&fetch.last_modified),
            ..*fetch
        };
        self.store.put_page(key, &plain)
    }

    fn page(&self, key: PageKey) -> Result<Option<CachedPage>, StoreError> {
        self.store.page(key)
    }
}

impl<S: FileWriteStore> FileWriteStore for RedactingStore<S> {
    fn put_file_write(&self, session: &SessionId, write: &FileWrite) -> Result<(), StoreError> {
        let path = secrets::redact_text(&write.path).into_owned();
        self.store.put_file_write(&redact_session_id(session), &FileWrite { path, ..*write })
    }

    fn session_writes(&self, session: &SessionId) -> Result<Vec<FileWrite>, StoreError> {
        self.store.session_writes(&redact_session_id(session))
    }

    fn file_writes(&self, session: &SessionId, path: &str) -> Result<Vec<FileWrite>, StoreError> {
        self.store.file_writes(&redact_session_id(session), &secrets::redact_text(path))
    }
}

impl<S: DecisionStore> DecisionStore for RedactingStore<S> {
    fn known_contents(&self, contents: &[ContentHash]) -> Result<HashSet<ContentHash>, StoreError> {
        self.store.known_contents(contents)
    }

    fn prepare_contents(&self, contents: Vec<NewContent<'_>>) {
        self.store.prepare_contents(contents.into_iter().map(redact_content).collect());
    }

    fn put_turn(
        &self,
        session: &SessionId,
        turn: &TurnRecord,
        left_out: OmittedContents<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if secrets::redact(turn.decision.as_bytes()).is_some() {
            return Err(StoreError::ContainsSecret);
        }
        let new =
            parallel_map::map_contents(left_out.new, || (), |(), content| redact_content(content));
        let left_out = OmittedContents { new, ..left_out };
        self.store.put_turn(&redact_session_id(session), turn, left_out, now)
    }

    fn turns(&self, beginnings: &[ContentHash]) -> Result<Vec<TurnRecord>, StoreError> {
        self.store.turns(beginnings)
    }

    fn session_turns(&self, session: &SessionId) -> Result<Vec<TurnRecord>, StoreError> {
        self.store.session_turns(&redact_session_id(session))
    }

    fn has_turn(&self, ends: &[ContentHash]) -> Result<bool, StoreError> {
        self.store.has_turn(ends)
    }
}

impl<S: GrantStore> GrantStore for RedactingStore<S> {
    fn put_grant(&self, roots: RootsKey, grant: &Grant, now: Timestamp) -> Result<(), StoreError> {
        let Grant { tool, subject } = grant;
        let subject = secrets::redact_text(subject).into_owned();
        self.store.put_grant(roots, &Grant { tool: tool.clone(), subject }, now)
    }

    fn remove_grant(&self, roots: RootsKey, grant: &Grant) -> Result<bool, StoreError> {
        self.store.remove_grant(roots, grant)
    }

    fn grants(&self, roots: RootsKey) -> Result<Vec<Grant>, StoreError> {
        self.store.grants(roots)
    }
}

impl<S: ReaderNoteStore> ReaderNoteStore for RedactingStore<S> {
    fn note_reader(
        &self,
        places: &[ReaderNoteKey],
        reader: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.note_reader(places, reader.map(redact_name).as_deref(), now)
    }

    fn reader_notes(&self, places: &[ReaderNoteKey]) -> Result<ReaderNotes, StoreError> {
        self.store.reader_notes(places)
    }

    fn last_reader_note(&self) -> Result<NoteTime, StoreError> {
        self.store.last_reader_note()
    }

    fn note_call_reader(&self, call: &str, reader: &str, now: Timestamp) -> Result<(), StoreError> {
        self.store.note_call_reader(&redact_name(call), &redact_name(reader), now)
    }

    fn call_reader(&self, call: &str) -> Result<Option<String>, StoreError> {
        self.store.call_reader(&redact_name(call))
    }
}

impl<S: ClientEditStore> ClientEditStore for RedactingStore<S> {
    fn note_client_edit(
        &self,
        author: EditAuthor<'_>,
        path: &str,
        edit: &ClientEdit,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (session, reader) = (redact_name(author.session), redact_name(author.reader));
        let author = EditAuthor { session: &session, reader: &reader };
        self.store.note_client_edit(author, &secrets::redact_text(path), edit, now)
    }

    fn client_edits(
        &self,
        reader: &str,
        since: NoteTime,
    ) -> Result<Vec<ClientEditNote>, StoreError> {
        self.store.client_edits(&redact_name(reader), since)
    }

    fn forget_client_edits(&self, session: &str) -> Result<(), StoreError> {
        self.store.forget_client_edits(&redact_name(session))
    }
}

impl<S: GarbageCollection> GarbageCollection for RedactingStore<S> {
    fn collect_garbage(
        &self,
        limits: RetentionLimits,
        now: Timestamp,
    ) -> Result<CollectionTotals, StoreError> {
        self.store.collect_garbage(limits, now)
    }

    fn last_collection(&self) -> Result<Option<Timestamp>, StoreError> {
        self.store.last_collection()
    }
}
