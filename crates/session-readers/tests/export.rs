//! Sessions as ATIF documents, read back.

use foveal_session_readers::{SessionFormat, export_atif, read_all_sessions};
use foveal_transcript::{
    ContentBlock, Conversation, EntryMark, MessageRole, RecordedSession, RecordingPosition,
    SUB_AGENT_REFERENCE_KIND, Timestamp, ToolResult, TranscriptEntry, Usage,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::entries::any_entries;
use crate::session_files::{files, read_file, sessions_folder};

/// Reads the session of a document.
fn read_back(document: &Value) -> RecordedSession {
    let bytes = document.to_string();
    let (mut sessions, problems) =
        read_all_sessions(SessionFormat::Atif, "exported", bytes.as_bytes()).expect("it is ATIF");
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(sessions.len(), 1);
    sessions.remove(0)
}

/// Returns a message as the format can express it: reasoning first, then texts, then calls,
/// without provider-only content and empty texts.
fn sayable(entry: &TranscriptEntry) -> TranscriptEntry {
    let place = |block: &ContentBlock| match block {
        ContentBlock::Reasoning(_) => 0,
        ContentBlock::Text(_) => 1,
        ContentBlock::Call(_) | ContentBlock::Result(_) | ContentBlock::Opaque { .. } => 2,
    };
    let mut blocks = entry.blocks.clone();
    blocks.retain(|block| match block {
        ContentBlock::Opaque { .. } => false,
        ContentBlock::Text(text) => !text.is_empty(),
        _ => true,
    });
    blocks.sort_by_key(place);
    let usage = entry.usage.map(|usage| Usage { cache_write_hour: 0, ..usage });
    TranscriptEntry { blocks, usage, ..entry.clone() }
}

fn session(entries: Vec<TranscriptEntry>) -> RecordedSession {
    let mut conversation: Conversation = entries.into_iter().collect();
    conversation.id = "run abc".to_owned();
    conversation.agent = Some("foveal".to_owned());
    conversation.directory = Some("/work/app".to_owned());
    RecordedSession { id: "run abc".to_owned(), conversations: vec![conversation] }
}

fn sayable_session(session: &RecordedSession) -> RecordedSession {
    let sayable = |conversation: &Conversation| {
        let entries = conversation.entries().iter().map(sayable);
        let mut all: Conversation = entries.collect();
        all.id.clone_from(&conversation.id);
        all.parent.clone_from(&conversation.parent);
        all.agent.clone_from(&conversation.agent);
        all.directory.clone_from(&conversation.directory);
        all
    };
    RecordedSession {
        id: session.id.clone(),
        conversations: session.conversations.iter().map(sayable).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_exported_is_read_as_the_same(entries in any_entries(), ms in 0i64..4_000_000_000_000) {
        let mut entries = entries;
        let (mut step, mut place) = (0, 0);
        for (at, entry) in entries.iter_mut().enumerate() {
            let is_result = entry.role == MessageRole::Tool;
            step += u32::from(!is_result);
            place = if is_result { place + 1 } else { 0 };
            entry.source = RecordingPosition { step, result: is_result.then(|| place - 1) };
            entry.time = Some(Timestamp(ms + at as i64));
            if entry.role == MessageRole::Assistant {
                entry.model = Some("some-model".into());
                let (input, cache_read, cache_write, output) = (3, 5, 7, 11);
                entry.usage =
                    Some(Usage { input, cache_read, cache_write, cache_write_hour: 0, output });
                let kind = "thinking".to_owned();
                entry.blocks.insert(0, ContentBlock::Opaque { kind, raw: "{}".to_owned() });
                entry.blocks.insert(0, ContentBlock::Reasoning("Hm.".to_owned()));
            }
        }
        let session = session(entries);
        let exported = export_atif(&session, "1");
        prop_assert_eq!(read_back(&exported.document), sayable_session(&session));
    }
}

/// Recordings survive export and import, with sub-agents and compactions.
#[test]
fn recorded_sessions_are_read_as_the_same() {
    let Some(folder) = sessions_folder() else { return };
    for path in files(&folder.join("atif")) {
        let (_, sessions, _) = read_file(&path);
        for session in sessions {
            let exported = export_atif(&session, "1");
            let again = read_back(&exported.document);
            assert_eq!(again, read_back(&export_atif(&again, "1").document), "{}", path.display());
            let count = |session: &RecordedSession| -> Vec<(String, usize)> {
                let each = session.conversations.iter();
                each.map(|it| (it.id.clone(), it.entries().len())).collect()
            };
            assert_eq!(count(&again), count(&session), "{}", path.display());
            let texts = |session: &RecordedSession| -> Vec<String> {
                let entries = session.conversations.iter().flat_map(Conversation::entries);
                entries.map(TranscriptEntry::prompt_text).collect()
            };
            assert_eq!(texts(&again), texts(&session), "{}", path.display());
        }
    }
}

#[test]
fn what_has_no_place_is_counted() {
    let opaque = ContentBlock::Opaque { kind: "thinking".to_owned(), raw: "{}".to_owned() };
    let entry = |role, blocks| TranscriptEntry {
        source: RecordingPosition { step: 1, result: None },
        role,
        time: None,
        mark: EntryMark::None,
        model: None,
        usage: None,
        blocks,
    };
    let entries =
        vec![entry(MessageRole::Assistant, vec![ContentBlock::Text("a".to_owned()), opaque])];
    let exported = export_atif(&session(entries), "1.2");
    assert_eq!(exported.omitted_parts, 1);
    assert_eq!(exported.document["schema_version"], "ATIF-v1.8");
    assert_eq!(exported.document["agent"]["version"], "1.2");
    assert_eq!(exported.document["agent"]["extra"]["working_directory"], "/work/app");
    assert_eq!(export_atif(&session(Vec::new()), "1").omitted_parts, 0);
}

/// The result of a call names its sub-agent if that is embedded in the document.
#[test]
fn sub_agents_are_named_where_they_are_found() {
    let result = |raw: &str| {
        let call = ToolResult { call: "c".to_owned(), content: "a".to_owned(), is_error: false };
        let kind = SUB_AGENT_REFERENCE_KIND.to_owned();
        TranscriptEntry {
            source: RecordingPosition { step: 1, result: Some(0) },
            role: MessageRole::Tool,
            time: None,
            mark: EntryMark::None,
            model: None,
            usage: None,
            blocks: vec![
                ContentBlock::Result(call),
                ContentBlock::Opaque { kind, raw: raw.to_owned() },
            ],
        }
    };
    for (raw, is_named) in [
        (r#"[{"trajectory_id":"1"}]"#, true),
        (r#"[{"trajectory_path":"a.json"}]"#, true),
        (r#"[{"trajectory_id":"2"}]"#, false),
        ("[]", false),
        ("1", false),
    ] {
        let mut session = session(vec![result(raw)]);
        let mut other = session.conversations[0].without_entries();
        other.id = "1".to_owned();
        session.conversations.push(other);
        let exported = export_atif(&session, "1");
        let told = &exported.document["steps"][0]["observation"]["results"][0];
        assert_eq!(told.get(SUB_AGENT_REFERENCE_KIND).is_some(), is_named, "{raw}");
        assert_eq!(exported.omitted_parts, u64::from(!is_named), "{raw}");
    }
}
