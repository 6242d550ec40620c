//! What is to be kept as messages of the store.

use foveal_agent::{Keep, ToolAnswer};
use foveal_store::{Message, Sealed, SessionId, Store, StoreError};
use foveal_transcript::{Block, Call, Entry, Handle, Timestamp, ToolResult};
use serde_json::Value;

use super::kept::{Arguments, Kept, KeptBlock, KeptEntry, Run, Text};

/// Longer texts are contents of their own: what a tool answered is one already.
const TEXT_BYTES_MAX: usize = 4 << 10;

/// Bytes of texts of one message that stand in it; further ones are contents of their own.
const MESSAGE_BYTES_MAX: usize = 1 << 20;

/// Bytes of what is sealed in one message. What is longer is left out of it.
const SEALED_BYTES_MAX: usize = 2 << 20;

/// Lists and objects in arguments that stand in a message.
const BRACKETS_MAX: usize = 60;

/// Fields of parts that only the provider can read, whichever it is.
const CLOSED: [&str; 4] = ["signature", "data", "encrypted_content", "id"];

/// Makes messages of what is to be kept.
pub(super) struct Encoder<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) session: &'a SessionId,
    pub(super) now: Timestamp,
}

/// A message on its way.
#[derive(Default)]
struct Draft {
    ids: Vec<String>,
    sealed: Vec<Option<Sealed>>,
    bytes: usize,
    sealed_bytes: usize,
}

impl Encoder<'_> {
    /// What a run begins with.
    pub(super) fn run(&self, run: &Run) -> Result<Message, StoreError> {
        finish(&Kept::Run(run.clone()), Draft::default())
    }

    /// Something that is to be kept of a run; `None` where it is a content and no message, which is
    /// kept then.
    ///
    /// # Errors
    /// Those of the store, where a long text cannot be kept.
    pub(super) fn keep(&self, keep: &Keep) -> Result<Option<Message>, StoreError> {
        let mut draft = Draft::default();
        let kept = match keep {
            Keep::Entry(entry) => Kept::Entry(self.entry(entry, &mut draft)?),
            Keep::Content(text) => {
                self.put(text)?;
                return Ok(None);
            }
            Keep::Begun { id } => Kept::Begun { id: draft.id(id) },
            Keep::Answered { id, answer: ToolAnswer { text, is_error, cached } } => {
                let text = self.text(text, &mut draft)?;
                Kept::Answered { id: draft.id(id), text, is_error: *is_error, cached: *cached }
            }
        };
        finish(&kept, draft).map(Some)
    }

    fn entry(&self, entry: &Entry, draft: &mut Draft) -> Result<KeptEntry, StoreError> {
        let blocks: Result<Vec<KeptBlock>, _> =
            entry.blocks.iter().map(|block| self.block(block, draft)).collect();
        Ok(KeptEntry {
            source: entry.source,
            role: entry.role,
            time: entry.time,
            mark: entry.mark,
            model: entry.model.as_deref().map(str::to_owned),
            usage: entry.usage,
            blocks: blocks?,
        })
    }

    fn block(&self, block: &Block, draft: &mut Draft) -> Result<KeptBlock, StoreError> {
        Ok(match block {
            Block::Text(text) => KeptBlock::Text(self.text(text, draft)?),
            Block::Reasoning(text) => KeptBlock::Reasoning(self.text(text, draft)?),
            Block::Call(Call { id, name, arguments }) => {
                let (id, name) = (draft.id(id), short(name));
                KeptBlock::Call { id, name, arguments: self.arguments(arguments, draft)? }
            }
            Block::Result(ToolResult { call, content, is_error }) => {
                let (call, content) = (draft.id(call), self.text(content, draft)?);
                KeptBlock::Result { call, content, is_error: *is_error }
            }
            Block::Opaque { kind, raw } => {
                KeptBlock::Opaque { kind: short(kind), sealed: draft.seal(raw) }
            }
        })
    }

    fn text(&self, text: &str, draft: &mut Draft) -> Result<Text, StoreError> {
        if text.len() <= TEXT_BYTES_MAX && draft.has_room(text.len()) {
            return Ok(Text::Here(text.to_owned()));
        }
        Ok(Text::Behind(self.put(text)?))
    }

    fn arguments(&self, arguments: &Value, draft: &mut Draft) -> Result<Arguments, StoreError> {
        let spelled = arguments.to_string();
        // More than enough for all calls but those that nobody would make.
        let is_flat = spelled.matches(['[', '{']).count() <= BRACKETS_MAX;
        if is_flat && draft.has_room(spelled.len()) {
            return Ok(Arguments::Here(arguments.clone()));
        }
        // Secrets are told by the names of their fields, too.
        let plain = foveal_secrets::without_in(arguments);
        Ok(Arguments::Behind(self.put(&plain.to_string())?))
    }

    fn put(&self, text: &str) -> Result<Handle, StoreError> {
        Ok(self.store.put(Some(self.session), text.as_bytes(), self.now)?.handle)
    }
}

impl Draft {
    /// The place of an id.
    fn id(&mut self, id: &str) -> usize {
        self.ids.push(id.to_owned());
        self.ids.len() - 1
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        let has_room = self.bytes + bytes <= MESSAGE_BYTES_MAX;
        self.bytes += if has_room { bytes } else { 0 };
        has_room
    }

    /// The place of a part that goes back to its provider as it came.
    fn seal(&mut self, raw: &str) -> usize {
        self.sealed_bytes += raw.len();
        let sealed = (self.sealed_bytes <= SEALED_BYTES_MAX).then(|| {
            let mut closed = Vec::new();
            if let Ok(value) = serde_json::from_str(raw) {
                close(&value, &mut closed);
            }
            Sealed { json: raw.to_owned(), closed }
        });
        self.sealed.push(sealed);
        self.sealed.len() - 1
    }
}

/// Adds the values that only the provider can read.
fn close(value: &Value, closed: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| close(value, closed)),
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if CLOSED.contains(&key.as_str()) => {
                        closed.push(text.clone());
                    }
                    value => close(value, closed),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The message: the ids stand last among what is sealed.
fn finish(kept: &Kept, draft: Draft) -> Result<Message, StoreError> {
    let Draft { ids, mut sealed, .. } = draft;
    if !ids.is_empty() {
        let json = serde_json::to_string(&ids)?;
        sealed.push(Some(Sealed { json, closed: ids }));
    }
    Ok(Message { payload: serde_json::to_value(kept)?, sealed, is_whole: true })
}

/// Bytes of a name that are kept. No tool has a longer one.
const NAME_BYTES_MAX: usize = 256;

/// A name as it is kept: what somebody else made up may be of any length. Secrets go first, since
/// a part of one would not be recognised any more.
fn short(name: &str) -> String {
    let name = foveal_secrets::without(name);
    name[..name.floor_char_boundary(NAME_BYTES_MAX)].to_owned()
}
