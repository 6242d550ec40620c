//! Sessions of the tools as the store keeps them, for reports after they end.

use foveal_store::{ContentStore, RecordNumber, SessionRecord, Store, StoreError, StoredSession};
use foveal_transcript::{
    ContentBlock, Conversation, EntryMark, MessageRole, RecordingPosition, Timestamp, ToolCall,
    ToolResult, TranscriptEntry,
};
use serde_json::Value;

use super::session_recorder::SessionEvent;

/// Records read from the store at once.
const RECORDS_PER_READ: usize = 256;

/// Replaces an answer that the store no longer has.
const MISSING_ANSWER: &str = "[the answer is no longer kept]";

/// Replaces an answer that was only a note that nothing has changed.
const UNCHANGED_ANSWER: &str = "[answered with a note that nothing has changed]";

/// A call of a stored session.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The model's question, if it gave one.
    pub question: Option<String>,
    /// Bytes found, and bytes sent, if they are recorded.
    pub bytes: Option<(u64, u64)>,
}

/// Parses the call in a session's record. `None` if the record holds another event, or is not of a
/// session of the tools.
pub fn parse_call_record(record: &SessionRecord) -> Option<StoredCall> {
    match serde_json::from_value(record.payload.clone()).ok()? {
        SessionEvent::Answered { tool, arguments, question, bytes, .. } => {
            Some(StoredCall { tool, arguments, question, bytes: Some(bytes) })
        }
        SessionEvent::Pointed { tool, arguments, .. } => {
            Some(StoredCall { tool, arguments, question: None, bytes: None })
        }
        SessionEvent::Delivered { .. } | SessionEvent::Forgot | SessionEvent::Saw { .. } => None,
    }
}

/// Loads the calls of a session, with the whole content of each answer, as a conversation.
/// Questions become messages of the user. Empty if the session is not of the tools.
///
/// # Errors
/// If the store cannot be read.
pub fn load_conversation(
    store: &dyn Store,
    session: &StoredSession,
) -> Result<Conversation, StoreError> {
    let mut conversation = Conversation::default();
    conversation.id = session.id.0.clone();
    conversation.directory = session.metadata.roots.first().cloned();
    let mut from = RecordNumber(1);
    loop {
        let records = store.records(&session.id, from, RECORDS_PER_READ)?;
        let Some(last) = records.last() else { return Ok(conversation) };
        from = RecordNumber(last.number.0 + 1);
        for record in records {
            let Some(call) = parse_call_record(&record) else { continue };
            let (answer, is_error) = load_answer(store, record.payload)?;
            push_call(
                &mut conversation,
                call,
                ToolResult { call: String::new(), content: answer, is_error },
                record.time,
            );
        }
    }
}

/// Loads the content of an answer, and whether the call failed.
fn load_answer(store: &dyn ContentStore, payload: Value) -> Result<(String, bool), StoreError> {
    let Ok(SessionEvent::Answered { handle, text, is_error, .. }) = serde_json::from_value(payload)
    else {
        return Ok((UNCHANGED_ANSWER.to_owned(), false));
    };
    let kept = handle.map(|handle| store.content(handle)).transpose()?.flatten();
    let kept = kept.map(|kept| String::from_utf8_lossy(&kept.bytes).into_owned());
    Ok((kept.or(text).unwrap_or_else(|| MISSING_ANSWER.to_owned()), is_error))
}

fn push_call(
    conversation: &mut Conversation,
    call: StoredCall,
    result: ToolResult,
    time: Timestamp,
) {
    let step = conversation.entries().len() as u32;
    let mut push = |role: MessageRole, block: ContentBlock| {
        conversation.push(TranscriptEntry {
            source: RecordingPosition { step, result: (role == MessageRole::Tool).then_some(0) },
            role,
            time: Some(time),
            mark: EntryMark::None,
            model: None,
            usage: None,
            blocks: vec![block],
        });
    };
    let StoredCall { tool, arguments, question, .. } = call;
    if let Some(question) = question {
        push(MessageRole::User, ContentBlock::Text(question));
    }
    let id = step.to_string();
    push(
        MessageRole::Assistant,
        ContentBlock::Call(ToolCall { id: id.clone(), name: tool, arguments }),
    );
    push(MessageRole::Tool, ContentBlock::Result(ToolResult { call: id, ..result }));
}
