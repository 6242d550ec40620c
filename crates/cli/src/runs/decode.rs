//! Messages of the store as what was kept.

use foveal_agent::{Keep, ToolAnswer};
use foveal_store::{Message, Sealed, Store, StoreError};
use foveal_transcript::{Block, Call, Entry, Handle, ToolResult};
use serde_json::Value;

use super::kept::{Arguments, Kept, KeptBlock, KeptEntry, Run, Text};

/// Stands for a text that the store no longer has.
const NOT_KEPT: &str = "[this text is no longer kept]";

/// One message of a run.
pub(super) enum Decoded {
    Run(Run),
    Keep(Keep),
}

/// Makes of messages what was kept, and counts what is missing.
pub(super) struct Decoder<'a> {
    pub(super) store: &'a dyn Store,
    /// Whether secrets were left out.
    pub(super) has_secrets: bool,
    /// Texts that the store no longer has.
    pub(super) lost: u64,
}

/// What stands beside a message.
struct Beside {
    ids: Vec<String>,
    sealed: Vec<Option<Sealed>>,
}

impl Decoder<'_> {
    /// What a message says; `None` where it is no message of a run, or of a later version.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn message(&mut self, message: Message) -> Result<Option<Decoded>, StoreError> {
        let Message { payload, mut sealed, is_whole } = message;
        self.has_secrets |= !is_whole;
        let Ok(kept) = serde_json::from_value(payload) else { return Ok(None) };
        let ids = match has_ids(&kept) {
            true => sealed.pop().flatten().map(|ids| ids.json).unwrap_or_default(),
            false => "[]".to_owned(),
        };
        let Ok(ids) = serde_json::from_str(&ids) else { return Ok(None) };
        let beside = Beside { ids, sealed };
        Ok(match kept {
            Kept::Run(run) => Some(Decoded::Run(run)),
            Kept::Entry(entry) => {
                let entry = self.entry(entry, &beside)?;
                entry.map(|entry| Decoded::Keep(Keep::Entry(Box::new(entry))))
            }
            Kept::Begun { id } => beside.id(id).map(|id| Decoded::Keep(Keep::Begun { id })),
            Kept::Answered { id, text, is_error, cached } => {
                let answer = ToolAnswer { text: self.text(text)?, is_error, cached };
                beside.id(id).map(|id| Decoded::Keep(Keep::Answered { id, answer }))
            }
        })
    }

    fn entry(&mut self, kept: KeptEntry, beside: &Beside) -> Result<Option<Entry>, StoreError> {
        let KeptEntry { source, role, time, mark, model, usage, blocks } = kept;
        let mut known = Vec::with_capacity(blocks.len());
        for block in blocks {
            match self.block(block, beside)? {
                Some(block) => known.push(block),
                None => return Ok(None),
            }
        }
        // A part with a secret in it was left out as a whole.
        known.retain(|block| !matches!(block, Block::Opaque { raw, .. } if raw.is_empty()));
        let model = model.map(Into::into);
        Ok(Some(Entry { source, role, time, mark, model, usage, blocks: known }))
    }

    fn block(&mut self, kept: KeptBlock, beside: &Beside) -> Result<Option<Block>, StoreError> {
        Ok(match kept {
            KeptBlock::Text(text) => Some(Block::Text(self.text(text)?)),
            KeptBlock::Reasoning(text) => Some(Block::Reasoning(self.text(text)?)),
            KeptBlock::Call { id, name, arguments } => {
                let arguments = self.arguments(arguments)?;
                beside.id(id).map(|id| Block::Call(Call { id, name, arguments }))
            }
            KeptBlock::Result { call, content, is_error } => {
                let content = self.text(content)?;
                beside.id(call).map(|call| Block::Result(ToolResult { call, content, is_error }))
            }
            KeptBlock::Opaque { kind, sealed } => {
                let raw = beside.sealed.get(sealed).cloned().flatten().map(|it| it.json);
                self.has_secrets |= raw.is_none();
                Some(Block::Opaque { kind, raw: raw.unwrap_or_default() })
            }
        })
    }

    fn text(&mut self, text: Text) -> Result<String, StoreError> {
        match text {
            Text::Here(text) => Ok(text),
            Text::Behind(handle) => Ok(self.behind(handle)?.unwrap_or_else(|| NOT_KEPT.to_owned())),
        }
    }

    fn arguments(&mut self, arguments: Arguments) -> Result<Value, StoreError> {
        match arguments {
            Arguments::Here(arguments) => Ok(arguments),
            Arguments::Behind(handle) => {
                let text = self.behind(handle)?.unwrap_or_else(|| NOT_KEPT.to_owned());
                Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
            }
        }
    }

    fn behind(&mut self, handle: Handle) -> Result<Option<String>, StoreError> {
        let content = self.store.get(handle)?;
        self.has_secrets |= content.as_ref().is_some_and(|content| content.secrets > 0);
        self.lost += u64::from(content.is_none());
        Ok(content.map(|content| String::from_utf8_lossy(&content.bytes).into_owned()))
    }
}

impl Beside {
    fn id(&self, place: usize) -> Option<String> {
        self.ids.get(place).cloned()
    }
}

/// Whether ids stand beside what is kept.
fn has_ids(kept: &Kept) -> bool {
    match kept {
        Kept::Run(_) => false,
        Kept::Begun { .. } | Kept::Answered { .. } => true,
        Kept::Entry(entry) => entry
            .blocks
            .iter()
            .any(|block| matches!(block, KeptBlock::Call { .. } | KeptBlock::Result { .. })),
    }
}
