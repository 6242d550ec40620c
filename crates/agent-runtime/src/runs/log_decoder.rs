//! Decodes the records of a run from messages of the store.

use foveal_agent::{RunLogEntry, ToolAnswer};
use foveal_store::{ContentStore, SealedJson, StoreError, StoredMessage};
use foveal_transcript::{ContentBlock, Handle, ToolCall, ToolResult, TranscriptEntry};
use serde_json::Value;

use super::log_record::{
    RunLogRecord, RunSettings, StoredArguments, StoredBlock, StoredEntry, StoredText,
};

/// Replaces a text that the store no longer has.
const MISSING_TEXT: &str = "[this text is no longer kept]";

/// One record of a run's log.
pub(super) enum DecodedLogRecord {
    Run(RunSettings),
    Keep(RunLogEntry),
}

/// Decodes messages, and counts the missing texts.
pub(super) struct RunLogDecoder<'a> {
    pub(super) store: &'a dyn ContentStore,
    /// Whether secrets were removed from a message.
    pub(super) has_secrets: bool,
    /// The number of texts that the store no longer has.
    pub(super) lost_texts: u64,
}

/// The sealed parts of a message.
struct SealedParts {
    ids: Vec<String>,
    sealed: Vec<Option<SealedJson>>,
}

impl RunLogDecoder<'_> {
    /// Decodes a message; `None` if it is no record of a run, or one of a later version.
    ///
    /// # Errors
    /// Returns errors of the store.
    pub(super) fn decode_message(
        &mut self,
        message: StoredMessage,
    ) -> Result<Option<DecodedLogRecord>, StoreError> {
        let StoredMessage { payload, mut sealed, is_unredacted: is_whole } = message;
        self.has_secrets |= !is_whole;
        let Ok(kept) = serde_json::from_value(payload) else { return Ok(None) };
        let ids = match has_call_ids(&kept) {
            true => sealed.pop().flatten().map(|ids| ids.json).unwrap_or_default(),
            false => "[]".to_owned(),
        };
        let Ok(ids) = serde_json::from_str(&ids) else { return Ok(None) };
        let beside = SealedParts { ids, sealed };
        Ok(match kept {
            RunLogRecord::Run(run) => Some(DecodedLogRecord::Run(run)),
            RunLogRecord::Entry(entry) => {
                let entry = self.decode_entry(entry, &beside)?;
                entry.map(|entry| DecodedLogRecord::Keep(RunLogEntry::Message(Box::new(entry))))
            }
            RunLogRecord::Begun { id } => {
                beside.call_id(id).map(|id| DecodedLogRecord::Keep(RunLogEntry::CallBegun { id }))
            }
            RunLogRecord::Answered { id, text, is_error, cached } => {
                let answer = ToolAnswer { text: self.load_text(text)?, is_error, cached };
                beside
                    .call_id(id)
                    .map(|id| DecodedLogRecord::Keep(RunLogEntry::CallAnswered { id, answer }))
            }
        })
    }

    fn decode_entry(
        &mut self,
        kept: StoredEntry,
        beside: &SealedParts,
    ) -> Result<Option<TranscriptEntry>, StoreError> {
        let StoredEntry { source, role, time, mark, model, usage, blocks } = kept;
        let mut known = Vec::with_capacity(blocks.len());
        for block in blocks {
            match self.decode_block(block, beside)? {
                Some(block) => known.push(block),
                None => return Ok(None),
            }
        }
        // A sealed part that held a secret was left out whole.
        known.retain(|block| !matches!(block, ContentBlock::Opaque { raw, .. } if raw.is_empty()));
        let model = model.map(Into::into);
        Ok(Some(TranscriptEntry { source, role, time, mark, model, usage, blocks: known }))
    }

    fn decode_block(
        &mut self,
        kept: StoredBlock,
        beside: &SealedParts,
    ) -> Result<Option<ContentBlock>, StoreError> {
        Ok(match kept {
            StoredBlock::Text(text) => Some(ContentBlock::Text(self.load_text(text)?)),
            StoredBlock::Reasoning(text) => Some(ContentBlock::Reasoning(self.load_text(text)?)),
            StoredBlock::Call { id, name, arguments } => {
                let arguments = self.load_arguments(arguments)?;
                beside.call_id(id).map(|id| ContentBlock::Call(ToolCall { id, name, arguments }))
            }
            StoredBlock::Result { call, content, is_error } => {
                let content = self.load_text(content)?;
                beside
                    .call_id(call)
                    .map(|call| ContentBlock::Result(ToolResult { call, content, is_error }))
            }
            StoredBlock::Opaque { kind, sealed } => {
                let raw = beside.sealed.get(sealed).cloned().flatten().map(|it| it.json);
                self.has_secrets |= raw.is_none();
                Some(ContentBlock::Opaque { kind, raw: raw.unwrap_or_default() })
            }
        })
    }

    fn load_text(&mut self, text: StoredText) -> Result<String, StoreError> {
        match text {
            StoredText::Here(text) => Ok(text),
            StoredText::Behind(handle) => {
                Ok(self.load_content(handle)?.unwrap_or_else(|| MISSING_TEXT.to_owned()))
            }
        }
    }

    fn load_arguments(&mut self, arguments: StoredArguments) -> Result<Value, StoreError> {
        match arguments {
            StoredArguments::Here(arguments) => Ok(arguments),
            StoredArguments::Behind(handle) => {
                let text = self.load_content(handle)?.unwrap_or_else(|| MISSING_TEXT.to_owned());
                Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
            }
        }
    }

    fn load_content(&mut self, handle: Handle) -> Result<Option<String>, StoreError> {
        let content = self.store.content(handle)?;
        self.has_secrets |= content.as_ref().is_some_and(|content| content.secrets > 0);
        self.lost_texts += u64::from(content.is_none());
        Ok(content.map(|content| String::from_utf8_lossy(&content.bytes).into_owned()))
    }
}

impl SealedParts {
    fn call_id(&self, place: usize) -> Option<String> {
        self.ids.get(place).cloned()
    }
}

/// Returns whether sealed call ids belong to a record.
fn has_call_ids(kept: &RunLogRecord) -> bool {
    match kept {
        RunLogRecord::Run(_) => false,
        RunLogRecord::Begun { .. } | RunLogRecord::Answered { .. } => true,
        RunLogRecord::Entry(entry) => entry
            .blocks
            .iter()
            .any(|block| matches!(block, StoredBlock::Call { .. } | StoredBlock::Result { .. })),
    }
}
