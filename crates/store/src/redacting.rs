//! A store that keeps no secrets, over any other.

use std::borrow::Cow;
use std::collections::HashSet;

use foveal_secrets as secrets;
use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde_json::Value;

use crate::error::StoreError;
use crate::json::check_depth;
use crate::keys::{CurationKey, FetchKey, Moment, ReaderPlace, RecordNumber, RootsKey, SessionId};
use crate::records::{
    Call, CallChanges, CallHistory, Collected, Content, Fetch, Grant, LeftOut, Limits, Message,
    NewContent, NotedEdit, OwnEdit, Readers, Record, Said, Sealed, Session, SessionFacts, Stored,
    Turn, Write,
};
use crate::spread;
use crate::store::{SESSION_ID_BYTES_MAX, Store};

/// Removes secrets from everything that is stored in `S`.
///
/// Contents keep the handle of the original, so that it equals what a model was told before;
/// what is stored has a note in place of each secret. Names of sessions and readers that differ
/// in a secret stay different: a hash of the whole name follows what is left of it.
#[derive(Debug)]
pub struct Redacting<S> {
    pub(crate) store: S,
}

impl<S> Redacting<S> {
    /// A store that keeps in `store` what is no secret.
    pub fn new(store: S) -> Self {
        Self { store }
    }
}

/// A name without secrets; names that differ in a secret stay different.
fn name(name: &str) -> Cow<'_, str> {
    match secrets::without(name) {
        Cow::Owned(shown) => format!("{shown} {}", Handle::of(name.as_bytes())).into(),
        plain @ Cow::Borrowed(_) => plain,
    }
}

/// The session as it is stored. A note in place of a secret may be longer than that is.
fn stored(session: &SessionId) -> Cow<'_, SessionId> {
    let Cow::Owned(mut shown) = name(&session.0) else { return Cow::Borrowed(session) };
    if shown.len() > SESSION_ID_BYTES_MAX && session.0.len() <= SESSION_ID_BYTES_MAX {
        let handle = Handle::of(session.0.as_bytes()).to_string();
        let end = shown.floor_char_boundary(SESSION_ID_BYTES_MAX - handle.len());
        shown.truncate(end);
        shown.push_str(&handle);
    }
    Cow::Owned(SessionId(shown))
}

/// The value without the secrets in its strings.
fn value(value: &Value) -> Result<Cow<'_, Value>, StoreError> {
    check_depth(value)?;
    Ok(secrets::without_in(value))
}

/// The content without its secrets.
fn redacted(content: NewContent<'_>) -> NewContent<'_> {
    let NewContent { hash, bytes, secrets } = content;
    match secrets::redact(&bytes) {
        Some(redacted) => {
            let secrets = secrets.saturating_add(redacted.secrets);
            NewContent { hash, bytes: redacted.bytes.into(), secrets }
        }
        None => NewContent { hash, bytes, secrets },
    }
}

/// The text, unless there are secrets in it. Tags of pages look like chance and are none.
fn if_plain(text: &Option<String>) -> Option<String> {
    text.clone().filter(|text| secrets::find(text.as_bytes()).iter().all(secrets::Secret::is_guess))
}

/// The message without its secrets. What is sealed goes whole or not at all: its provider takes
/// nothing else back.
fn message(message: &Message) -> Result<Message, StoreError> {
    let payload = value(&message.payload)?;
    let is_whole = message.is_whole && *payload == message.payload;
    let sealed = message.sealed.iter().map(|sealed| sealed.clone().filter(has_no_secret));
    Ok(Message { sealed: sealed.collect(), payload: payload.into_owned(), is_whole })
}

/// Whether there is no secret in what others than the provider can read.
fn has_no_secret(sealed: &Sealed) -> bool {
    let open = sealed.closed.iter().fold(sealed.json.clone(), |json, value| {
        // As a whole value alone: a short one may stand in words.
        json.replace(&Value::String(value.clone()).to_string(), "\"\"")
    });
    match serde_json::from_str::<Value>(&open) {
        Ok(json) => value(&json).is_ok_and(|plain| *plain == json),
        Err(_) => false,
    }
}

impl<S: Store> Store for Redacting<S> {
    fn open_session(
        &self,
        session: &SessionId,
        facts: &SessionFacts,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let SessionFacts { roots, transcript } = facts;
        let plain = |text: &String| secrets::without(text).into_owned();
        let roots = roots.iter().map(plain).collect();
        let transcript = transcript.as_ref().map(plain);
        self.store.open_session(&stored(session), &SessionFacts { roots, transcript }, now)
    }

    fn sessions(&self) -> Result<Vec<Session>, StoreError> {
        self.store.sessions()
    }

    fn set_pinned(&self, session: &SessionId, pinned: bool) -> Result<(), StoreError> {
        self.store.set_pinned(&stored(session), pinned)
    }

    fn delete_session(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.store.delete_session(&stored(session))
    }

    fn refer(
        &self,
        session: Option<&SessionId>,
        hash: ContentHash,
        now: Timestamp,
    ) -> Result<Option<Stored>, StoreError> {
        self.store.refer(session.map(stored).as_deref(), hash, now)
    }

    fn put_new(
        &self,
        session: Option<&SessionId>,
        content: NewContent<'_>,
        now: Timestamp,
    ) -> Result<Stored, StoreError> {
        let content = redacted(content);
        self.store.put_new(session.map(stored).as_deref(), content, now)
    }

    fn get(&self, handle: Handle) -> Result<Option<Content>, StoreError> {
        self.store.get(handle)
    }

    fn append(
        &self,
        session: &SessionId,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError> {
        self.store.append(&stored(session), &*value(payload)?, now)
    }

    fn records(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<Record>, StoreError> {
        self.store.records(&stored(session), from, most)
    }

    fn append_messages(
        &self,
        session: &SessionId,
        messages: &[Message],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let plain: Result<Vec<Message>, _> = messages.iter().map(message).collect();
        self.store.append_messages(&stored(session), &plain?, now)
    }

    fn messages(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<Said>, StoreError> {
        self.store.messages(&stored(session), from, most)
    }

    fn change_calls(
        &self,
        session: &SessionId,
        changes: &CallChanges,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let CallChanges { state, calls, remaining } = changes;
        let call = |call: &Call| {
            Ok(Call { number: call.number, payload: value(&call.payload)?.into_owned() })
        };
        let plain = CallChanges {
            state: state.as_ref().map(value).transpose()?.map(Cow::into_owned),
            calls: calls.iter().map(call).collect::<Result<_, StoreError>>()?,
            remaining: remaining.clone(),
        };
        self.store.change_calls(&stored(session), &plain, now)
    }

    fn calls(&self, session: &SessionId) -> Result<Option<CallHistory>, StoreError> {
        self.store.calls(&stored(session))
    }

    fn put_curation(
        &self,
        key: CurationKey,
        curation: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.put_curation(key, &*value(curation)?, now)
    }

    fn curation(&self, key: CurationKey, now: Timestamp) -> Result<Option<Value>, StoreError> {
        self.store.curation(key, now)
    }

    fn put_fetch(&self, key: FetchKey, fetch: &Fetch) -> Result<(), StoreError> {
        let plain = Fetch {
            url: secrets::without(&fetch.url).into_owned(),
            final_url: secrets::without(&fetch.final_url).into_owned(),
            content_type: if_plain(&fetch.content_type),
            // With another one the page would not be found unchanged.
            etag: if_plain(&fetch.etag),
            last_modified: if_plain(&fetch.last_modified),
            ..*fetch
        };
        self.store.put_fetch(key, &plain)
    }

    fn fetch(&self, key: FetchKey) -> Result<Option<Fetch>, StoreError> {
        self.store.fetch(key)
    }

    fn put_write(&self, session: &SessionId, write: &Write) -> Result<(), StoreError> {
        let path = secrets::without(&write.path).into_owned();
        self.store.put_write(&stored(session), &Write { path, ..*write })
    }

    fn session_writes(&self, session: &SessionId) -> Result<Vec<Write>, StoreError> {
        self.store.session_writes(&stored(session))
    }

    fn writes(&self, session: &SessionId, path: &str) -> Result<Vec<Write>, StoreError> {
        self.store.writes(&stored(session), &secrets::without(path))
    }

    fn contents_known(&self, contents: &[ContentHash]) -> Result<HashSet<ContentHash>, StoreError> {
        self.store.contents_known(contents)
    }

    fn get_ready(&self, contents: Vec<NewContent<'_>>) {
        self.store.get_ready(contents.into_iter().map(redacted).collect());
    }

    fn put_turn(
        &self,
        session: &SessionId,
        turn: &Turn,
        left_out: LeftOut<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if secrets::redact(turn.decided.as_bytes()).is_some() {
            return Err(StoreError::Secret);
        }
        let new = spread::each(left_out.new, || (), |(), content| redacted(content));
        let left_out = LeftOut { new, ..left_out };
        self.store.put_turn(&stored(session), turn, left_out, now)
    }

    fn turns(&self, beginnings: &[ContentHash]) -> Result<Vec<Turn>, StoreError> {
        self.store.turns(beginnings)
    }

    fn knows_turn(&self, ends: &[ContentHash]) -> Result<bool, StoreError> {
        self.store.knows_turn(ends)
    }

    fn put_grant(&self, roots: RootsKey, grant: &Grant, now: Timestamp) -> Result<(), StoreError> {
        let Grant { tool, subject } = grant;
        let subject = secrets::without(subject).into_owned();
        self.store.put_grant(roots, &Grant { tool: tool.clone(), subject }, now)
    }

    fn remove_grant(&self, roots: RootsKey, grant: &Grant) -> Result<bool, StoreError> {
        self.store.remove_grant(roots, grant)
    }

    fn grants(&self, roots: RootsKey) -> Result<Vec<Grant>, StoreError> {
        self.store.grants(roots)
    }

    fn note_reader(
        &self,
        places: &[ReaderPlace],
        reader: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.note_reader(places, reader.map(name).as_deref(), now)
    }

    fn readers(&self, places: &[ReaderPlace]) -> Result<Readers, StoreError> {
        self.store.readers(places)
    }

    fn note_asker(&self, call: &str, reader: &str, now: Timestamp) -> Result<(), StoreError> {
        self.store.note_asker(&name(call), &name(reader), now)
    }

    fn asker(&self, call: &str) -> Result<Option<String>, StoreError> {
        self.store.asker(&name(call))
    }

    fn note_edit(
        &self,
        (session, reader): (&str, &str),
        path: &str,
        edit: &OwnEdit,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (session, reader) = (name(session), name(reader));
        self.store.note_edit((&session, &reader), &secrets::without(path), edit, now)
    }

    fn edits_by(&self, reader: &str, since: Moment) -> Result<Vec<NotedEdit>, StoreError> {
        self.store.edits_by(&name(reader), since)
    }

    fn forget_edits(&self, session: &str) -> Result<(), StoreError> {
        self.store.forget_edits(&name(session))
    }

    fn last_reader_note(&self) -> Result<Moment, StoreError> {
        self.store.last_reader_note()
    }

    fn collect(&self, limits: Limits, now: Timestamp) -> Result<Collected, StoreError> {
        self.store.collect(limits, now)
    }

    fn last_collection(&self) -> Result<Option<Timestamp>, StoreError> {
        self.store.last_collection()
    }
}
