//! Sessions as the store keeps them, told after they ended.

use foveal_store::{Record, RecordNumber, Session, Store, StoreError};
use foveal_transcript::{
    Block, Call, Conversation, Entry, Mark, Role, Source, Timestamp, ToolResult,
};
use serde_json::Value;

use super::journal::Event;

/// Records read at once.
const RECORDS: usize = 256;

/// Stands for what was answered, where the store no longer has it.
const NOT_KEPT: &str = "[the answer is no longer kept]";

/// Stands for an answer that said only that nothing has changed.
const UNCHANGED: &str = "[answered with a note that nothing has changed]";

/// A call of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// What the model wanted to know, where it said so.
    pub question: Option<String>,
    /// Bytes found, and bytes sent, where that is told.
    pub bytes: Option<(u64, u64)>,
}

/// The call that a record of a session tells of; `None` if it tells of something else, or is
/// not of a session of the tools.
pub fn kept_call(record: &Record) -> Option<KeptCall> {
    match serde_json::from_value(record.payload.clone()).ok()? {
        Event::Answered { tool, arguments, question, bytes, .. } => {
            Some(KeptCall { tool, arguments, question, bytes: Some(bytes) })
        }
        Event::Pointed { tool, arguments, .. } => {
            Some(KeptCall { tool, arguments, question: None, bytes: None })
        }
        Event::Delivered { .. } | Event::Forgot | Event::Saw { .. } => None,
    }
}

/// The calls of a session with what each found, shortened or not, as a conversation. Questions
/// are what its user said. Empty if the session is not of the tools.
///
/// # Errors
/// If the store cannot be read.
pub fn kept_conversation(store: &dyn Store, session: &Session) -> Result<Conversation, StoreError> {
    let mut conversation = Conversation::default();
    conversation.id = session.id.0.clone();
    conversation.directory = session.facts.roots.first().cloned();
    let mut from = RecordNumber(1);
    loop {
        let records = store.records(&session.id, from, RECORDS)?;
        let Some(last) = records.last() else { return Ok(conversation) };
        from = RecordNumber(last.number.0 + 1);
        for record in records {
            let Some(call) = kept_call(&record) else { continue };
            let (answer, is_error) = answer(store, record.payload)?;
            push(
                &mut conversation,
                call,
                ToolResult { call: String::new(), content: answer, is_error },
                record.time,
            );
        }
    }
}

/// What a call found, and whether that was an error.
fn answer(store: &dyn Store, payload: Value) -> Result<(String, bool), StoreError> {
    let Ok(Event::Answered { handle, text, is_error, .. }) = serde_json::from_value(payload) else {
        return Ok((UNCHANGED.to_owned(), false));
    };
    let kept = handle.map(|handle| store.get(handle)).transpose()?.flatten();
    let kept = kept.map(|kept| String::from_utf8_lossy(&kept.bytes).into_owned());
    Ok((kept.or(text).unwrap_or_else(|| NOT_KEPT.to_owned()), is_error))
}

fn push(conversation: &mut Conversation, call: KeptCall, result: ToolResult, time: Timestamp) {
    let step = conversation.entries().len() as u32;
    let mut push = |role: Role, block: Block| {
        conversation.push(Entry {
            source: Source { step, result: (role == Role::Tool).then_some(0) },
            role,
            time: Some(time),
            mark: Mark::None,
            model: None,
            usage: None,
            blocks: vec![block],
        });
    };
    let KeptCall { tool, arguments, question, .. } = call;
    if let Some(question) = question {
        push(Role::User, Block::Text(question));
    }
    let id = step.to_string();
    push(Role::Assistant, Block::Call(Call { id: id.clone(), name: tool, arguments }));
    push(Role::Tool, Block::Result(ToolResult { call: id, ..result }));
}
