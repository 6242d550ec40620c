//! Encodes the records of a run as messages of the store.

use foveal_agent::{RunLogEntry, ToolAnswer};
use foveal_store::{ContentStore, SealedJson, SessionId, StoreError, StoredMessage};
use foveal_transcript::{ContentBlock, Handle, Timestamp, ToolCall, ToolResult, TranscriptEntry};
use serde_json::Value;

use super::log_record::{
    RunLogRecord, RunSettings, StoredArguments, StoredBlock, StoredEntry, StoredText,
};

/// The longest text in a message, in bytes. A longer one is stored as a content of its own, as
/// results of tools already are.
const INLINE_TEXT_BYTES_MAX: usize = 4 << 10;

/// The most bytes of all texts in one message; further texts are contents of their own.
const INLINE_BYTES_MAX: usize = 1 << 20;

/// The most sealed bytes in one message. Parts beyond it are left out.
const SEALED_BYTES_MAX: usize = 2 << 20;

/// The most lists and objects in the arguments of a call that stand in a message.
const BRACKETS_MAX: usize = 60;

/// The fields of opaque parts, of any provider, whose values only the provider can read.
const PROVIDER_ONLY_FIELDS: [&str; 4] = ["signature", "data", "encrypted_content", "id"];

/// Encodes records as messages.
pub(super) struct RunLogEncoder<'a> {
    pub(super) store: &'a dyn ContentStore,
    pub(super) session: &'a SessionId,
    pub(super) now: Timestamp,
}

/// A message that is being built.
#[derive(Default)]
struct MessageDraft {
    ids: Vec<String>,
    sealed: Vec<Option<SealedJson>>,
    inline_bytes: usize,
    sealed_bytes: usize,
}

impl RunLogEncoder<'_> {
    /// Encodes the settings that a run begins with.
    pub(super) fn encode_run_settings(
        &self,
        run: &RunSettings,
    ) -> Result<StoredMessage, StoreError> {
        build_message(&RunLogRecord::Run(run.clone()), MessageDraft::default())
    }

    /// Encodes a record of a run; `None` if it is a content without a message, which is stored at
    /// once.
    ///
    /// # Errors
    /// Returns errors of the store, if a long text cannot be stored.
    pub(super) fn encode_record(
        &self,
        keep: &RunLogEntry,
    ) -> Result<Option<StoredMessage>, StoreError> {
        let mut draft = MessageDraft::default();
        let kept = match keep {
            RunLogEntry::Message(entry) => {
                RunLogRecord::Entry(self.encode_entry(entry, &mut draft)?)
            }
            RunLogEntry::Content(text) => {
                self.put_content(text)?;
                return Ok(None);
            }
            RunLogEntry::CallBegun { id } => RunLogRecord::Begun { id: draft.add_id(id) },
            RunLogEntry::CallAnswered { id, answer: ToolAnswer { text, is_error, cached } } => {
                let text = self.store_text(text, &mut draft)?;
                RunLogRecord::Answered {
                    id: draft.add_id(id),
                    text,
                    is_error: *is_error,
                    cached: *cached,
                }
            }
        };
        build_message(&kept, draft).map(Some)
    }

    fn encode_entry(
        &self,
        entry: &TranscriptEntry,
        draft: &mut MessageDraft,
    ) -> Result<StoredEntry, StoreError> {
        let blocks: Result<Vec<StoredBlock>, _> =
            entry.blocks.iter().map(|block| self.encode_block(block, draft)).collect();
        Ok(StoredEntry {
            source: entry.source,
            role: entry.role,
            time: entry.time,
            mark: entry.mark,
            model: entry.model.as_deref().map(str::to_owned),
            usage: entry.usage,
            blocks: blocks?,
        })
    }

    fn encode_block(
        &self,
        block: &ContentBlock,
        draft: &mut MessageDraft,
    ) -> Result<StoredBlock, StoreError> {
        Ok(match block {
            ContentBlock::Text(text) => StoredBlock::Text(self.store_text(text, draft)?),
            ContentBlock::Reasoning(text) => StoredBlock::Reasoning(self.store_text(text, draft)?),
            ContentBlock::Call(ToolCall { id, name, arguments }) => {
                let (id, name) = (draft.add_id(id), redacted_short_name(name));
                StoredBlock::Call { id, name, arguments: self.store_arguments(arguments, draft)? }
            }
            ContentBlock::Result(ToolResult { call, content, is_error }) => {
                let (call, content) = (draft.add_id(call), self.store_text(content, draft)?);
                StoredBlock::Result { call, content, is_error: *is_error }
            }
            ContentBlock::Opaque { kind, raw } => {
                StoredBlock::Opaque { kind: redacted_short_name(kind), sealed: draft.seal(raw) }
            }
        })
    }

    fn store_text(&self, text: &str, draft: &mut MessageDraft) -> Result<StoredText, StoreError> {
        if text.len() <= INLINE_TEXT_BYTES_MAX && draft.reserve_bytes(text.len()) {
            return Ok(StoredText::Here(text.to_owned()));
        }
        Ok(StoredText::Behind(self.put_content(text)?))
    }

    fn store_arguments(
        &self,
        arguments: &Value,
        draft: &mut MessageDraft,
    ) -> Result<StoredArguments, StoreError> {
        let spelled = arguments.to_string();
        // The limit is above the arguments of any real call.
        let is_flat = spelled.matches(['[', '{']).count() <= BRACKETS_MAX;
        if is_flat && draft.reserve_bytes(spelled.len()) {
            return Ok(StoredArguments::Here(arguments.clone()));
        }
        // The redactor needs the value with its field names, which hint at secrets.
        let plain = foveal_redaction::redact_json(arguments);
        Ok(StoredArguments::Behind(self.put_content(&plain.to_string())?))
    }

    fn put_content(&self, text: &str) -> Result<Handle, StoreError> {
        Ok(self.store.put_content(Some(self.session), text.as_bytes(), self.now)?.handle)
    }
}

impl MessageDraft {
    /// Adds an id, and returns its index.
    fn add_id(&mut self, id: &str) -> usize {
        self.ids.push(id.to_owned());
        self.ids.len() - 1
    }

    fn reserve_bytes(&mut self, bytes: usize) -> bool {
        let has_room = self.inline_bytes + bytes <= INLINE_BYTES_MAX;
        self.inline_bytes += if has_room { bytes } else { 0 };
        has_room
    }

    /// Adds an opaque part, which its provider gets back unchanged, and returns its index.
    fn seal(&mut self, raw: &str) -> usize {
        self.sealed_bytes += raw.len();
        let sealed = (self.sealed_bytes <= SEALED_BYTES_MAX).then(|| {
            let mut closed = Vec::new();
            if let Ok(value) = serde_json::from_str(raw) {
                collect_provider_only_values(&value, &mut closed);
            }
            SealedJson { json: raw.to_owned(), opaque_values: closed }
        });
        self.sealed.push(sealed);
        self.sealed.len() - 1
    }
}

/// Collects the values that only the provider can read.
fn collect_provider_only_values(value: &Value, closed: &mut Vec<String>) {
    match value {
        Value::Array(values) => {
            values.iter().for_each(|value| collect_provider_only_values(value, closed));
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if PROVIDER_ONLY_FIELDS.contains(&key.as_str()) => {
                        closed.push(text.clone());
                    }
                    value => collect_provider_only_values(value, closed),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Builds the message. The ids are the last sealed part.
fn build_message(kept: &RunLogRecord, draft: MessageDraft) -> Result<StoredMessage, StoreError> {
    let MessageDraft { ids, mut sealed, .. } = draft;
    if !ids.is_empty() {
        let json = serde_json::to_string(&ids)?;
        sealed.push(Some(SealedJson { json, opaque_values: ids }));
    }
    Ok(StoredMessage { payload: serde_json::to_value(kept)?, sealed, is_unredacted: true })
}

/// The longest stored name, in bytes. Real tool names are shorter.
const NAME_BYTES_MAX: usize = 256;

/// Redacts and shortens a name, since models may invent names of any length. Secrets are removed
/// first: a part of one would not be recognised.
fn redacted_short_name(name: &str) -> String {
    let name = foveal_redaction::redact_text(name);
    name[..name.floor_char_boundary(NAME_BYTES_MAX)].to_owned()
}
