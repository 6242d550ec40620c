//! Tests that a run is loaded as it was stored, byte for byte.

use std::sync::Arc;

use foveal_agent::{RunLogEntry, ToolAnswer};
use foveal_store::{SessionId, SessionLogStore, SessionStore, SqliteStore, Store};
use foveal_tools::user_notifier::UserNotifier;
use foveal_transcript::{
    ContentBlock, EntryMark, MessageRole, RecordingPosition, Timestamp, ToolCall, ToolResult,
    TranscriptEntry, Usage,
};
use serde_json::{Value, json};

use super::{RunLog, RunSettings, StoredRun, first_user_text, load_stored_run};

/// Ids as providers make them. One looks like a key to the redactor, but is an id.
const IDS: [&str; 3] =
    ["toolu_01A09q90qw90lq917835lq9f", "AKIAQYLPMN5HFIQR7XYA", "functions.read_file:0"];

const SIGNATURE: &str =
    "4NJBdMmVMLnwULo9AVWsfOj2V4kTz/WwBE2JA+6N7dhDHUWws3f8zcrAu1oQGkTSvumVoROVaUi6lDGbReTJMQ==";

fn entry(role: MessageRole, blocks: Vec<ContentBlock>) -> RunLogEntry {
    RunLogEntry::Message(Box::new(TranscriptEntry {
        source: RecordingPosition { step: 1, result: (role == MessageRole::Tool).then_some(0) },
        role,
        time: Some(Timestamp(1_764_000_000_123)),
        mark: EntryMark::None,
        model: (role == MessageRole::Assistant).then(|| "claude-sonnet-4-5-20250929".into()),
        usage: Some(Usage { input: 1, cache_read: 2, output: 3, ..Usage::default() }),
        blocks,
    }))
}

fn opaque(kind: &str, raw: &Value) -> ContentBlock {
    ContentBlock::Opaque { kind: kind.to_owned(), raw: raw.to_string() }
}

fn call(id: &str, arguments: Value) -> ContentBlock {
    ContentBlock::Call(ToolCall { id: id.to_owned(), name: "bash".to_owned(), arguments })
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!("inside"), |value, _| json!([value]))
}

/// A conversation with all parts that a provider needs to continue it.
fn conversation() -> Vec<RunLogEntry> {
    let long = "a line that is long enough to be kept apart\n".repeat(400);
    let content = long.clone();
    let thinking = json!({"type": "thinking", "thinking": "I look.\n", "signature": SIGNATURE});
    let item = json!({"type": "reasoning", "id": "rs_68af4030baa48193b0b43b4c2a176a1a0e69675",
        "summary": [], "encrypted_content": SIGNATURE});
    let details = json!([{"type": "reasoning.encrypted", "data": SIGNATURE, "index": 0}]);
    let answer = ToolAnswer { text: "done".to_owned(), is_error: false, cached: true };
    let result = |id: &str, content: &str| ToolResult {
        call: id.to_owned(),
        content: content.to_owned(),
        is_error: true,
    };
    vec![
        entry(MessageRole::System, vec![ContentBlock::Text(long)]),
        entry(
            MessageRole::User,
            vec![ContentBlock::Text("do it \u{0}\u{1f980}\u{2028}".to_owned())],
        ),
        entry(
            MessageRole::Assistant,
            vec![
                ContentBlock::Reasoning("I look.".to_owned()),
                opaque("thinking", &thinking),
                opaque("reasoning", &item),
                opaque("reasoning_details", &details),
                call(
                    IDS[0],
                    json!({"z": 1.5, "a": [true, null], "n": 18_446_744_073_709_551_615_u64}),
                ),
                call(IDS[1], nested(100)),
                call(IDS[2], json!("{\"not\": an object")),
            ],
        ),
        RunLogEntry::CallBegun { id: IDS[0].to_owned() },
        RunLogEntry::CallAnswered { id: IDS[0].to_owned(), answer },
        entry(MessageRole::Tool, vec![ContentBlock::Result(result(IDS[0], &content))]),
        entry(MessageRole::Tool, vec![ContentBlock::Result(result(IDS[1], ""))]),
        entry(MessageRole::Tool, vec![ContentBlock::Result(result(IDS[2], "\n"))]),
        entry(MessageRole::Assistant, vec![]),
    ]
}

fn run(model: &str) -> RunSettings {
    let (protocol, profile) = ("messages".to_owned(), "balanced".to_owned());
    RunSettings {
        model: model.to_owned(),
        protocol,
        profile,
        rules: None,
        settings_key: None,
        of: None,
    }
}

/// Stores records one by one, and loads the run.
fn kept(keeps: &[RunLogEntry], store: &Arc<dyn Store>) -> StoredRun {
    let session = SessionId("run a".to_owned());
    let mut log = RunLog::new(
        store,
        &session,
        vec!["/w".to_owned()],
        run("anthropic:m"),
        UserNotifier::default(),
    );
    for keep in keeps {
        log.append_records(vec![keep.clone()]);
    }
    load_stored_run(&**store, &session).expect("it is read")
}

fn store() -> Arc<dyn Store> {
    Arc::new(SqliteStore::in_memory().expect("memory"))
}

#[test]
fn what_is_kept_is_what_is_read() {
    let store = store();
    let keeps = conversation();
    let loaded = kept(&keeps, &store);
    let entries: Vec<&TranscriptEntry> = keeps
        .iter()
        .filter_map(|keep| match keep {
            RunLogEntry::Message(entry) => Some(&**entry),
            _ => None,
        })
        .collect();
    assert_eq!(loaded.resume_state.entries().len(), entries.len());
    for (read, kept) in loaded.resume_state.entries().iter().zip(entries) {
        // Keys keep their order, too.
        assert_eq!(
            serde_json::to_string(read).expect("JSON"),
            serde_json::to_string(kept).expect("JSON")
        );
    }
    assert_eq!((loaded.has_secrets, loaded.lost_texts, loaded.first_damaged), (false, 0, None));
    assert_eq!(loaded.run_settings, [run("anthropic:m")]);
    let session = SessionId("run a".to_owned());
    assert!(first_user_text(&*store, &session).is_some_and(|said| said.starts_with("do it ")));
    // Signatures belong to one model.
    let opaque = |run: &RunSettings| {
        let (past, is_less) = loaded.resume_state_for(run);
        let blocks = past.entries().iter().flat_map(|entry| &entry.blocks);
        (blocks.filter(|it| matches!(it, ContentBlock::Opaque { .. })).count(), is_less)
    };
    assert_eq!(opaque(&run("anthropic:m")), (3, false));
    assert_eq!(opaque(&run("anthropic:other")), (0, true));
}

#[test]
fn what_cannot_be_read_is_said() {
    let store = store();
    let session = SessionId("run a".to_owned());
    kept(&conversation()[..2], &store);
    let strange = foveal_store::StoredMessage {
        payload: json!({"of_a_later_version": 1}),
        sealed: Vec::new(),
        is_unredacted: true,
    };
    store.append_messages(&session, &[strange], Timestamp(1)).expect("kept");
    let loaded = load_stored_run(&*store, &session).expect("it is read");
    assert_eq!((loaded.resume_state.entries().len(), loaded.first_damaged), (2, Some(4)));
}

#[test]
fn texts_that_are_gone_are_counted() {
    let store = store();
    // The stored messages hold no secrets any more.
    let other = foveal_store::SqliteBackend::in_memory().expect("memory");
    kept(&conversation(), &store);
    let session = SessionId("run a".to_owned());
    let facts = foveal_store::SessionMetadata::default();
    other.open_session(&session, &facts, Timestamp(1)).expect("opened");
    for said in store.messages(&session, foveal_store::RecordNumber(1), 99).expect("read") {
        let message = said.message.expect("it can be read");
        other.append_messages(&session, &[message], Timestamp(1)).expect("kept");
    }
    let loaded = load_stored_run(&other, &session).expect("it is read");
    // The system prompt, the result of the tool, and the deeply nested arguments.
    assert_eq!((loaded.lost_texts, loaded.first_damaged), (3, None));
    assert!(loaded.resume_state.entries()[0].text().contains("no longer kept"));
}
