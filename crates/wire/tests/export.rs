//! Sessions as ATIF documents, read back.

use foveal_transcript::{
    Block, Conversation, Entry, Mark, Role, SUB_AGENT_REFERENCE, Session, Source, Timestamp,
    ToolResult, Usage,
};
use foveal_wire::{Format, read_all, to_atif};
use proptest::prelude::*;
use serde_json::Value;

use crate::prompt::generated::any_entries;
use crate::recorded::{files, read_file, sessions_folder};

/// The session of a document.
fn read_back(document: &Value) -> Session {
    let bytes = document.to_string();
    let (mut sessions, problems) =
        read_all(Format::Atif, "exported", bytes.as_bytes()).expect("it is ATIF");
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(sessions.len(), 1);
    sessions.remove(0)
}

/// A message as the format can say it: reasoning first, then texts, then calls, and nothing that
/// only a provider can read. Empty texts say nothing.
fn sayable(entry: &Entry) -> Entry {
    let place = |block: &Block| match block {
        Block::Reasoning(_) => 0,
        Block::Text(_) => 1,
        Block::Call(_) | Block::Result(_) | Block::Opaque { .. } => 2,
    };
    let mut blocks = entry.blocks.clone();
    blocks.retain(|block| match block {
        Block::Opaque { .. } => false,
        Block::Text(text) => !text.is_empty(),
        _ => true,
    });
    blocks.sort_by_key(place);
    let usage = entry.usage.map(|usage| Usage { cache_write_hour: 0, ..usage });
    Entry { blocks, usage, ..entry.clone() }
}

fn session(entries: Vec<Entry>) -> Session {
    let mut conversation: Conversation = entries.into_iter().collect();
    conversation.id = "run abc".to_owned();
    conversation.agent = Some("foveal".to_owned());
    conversation.directory = Some("/work/app".to_owned());
    Session { id: "run abc".to_owned(), conversations: vec![conversation] }
}

fn sayable_session(session: &Session) -> Session {
    let sayable = |conversation: &Conversation| {
        let entries = conversation.entries().iter().map(sayable);
        let mut all: Conversation = entries.collect();
        all.id.clone_from(&conversation.id);
        all.parent.clone_from(&conversation.parent);
        all.agent.clone_from(&conversation.agent);
        all.directory.clone_from(&conversation.directory);
        all
    };
    Session {
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
            let is_result = entry.role == Role::Tool;
            step += u32::from(!is_result);
            place = if is_result { place + 1 } else { 0 };
            entry.source = Source { step, result: is_result.then(|| place - 1) };
            entry.time = Some(Timestamp(ms + at as i64));
            if entry.role == Role::Assistant {
                entry.model = Some("some-model".into());
                let (input, cache_read, cache_write, output) = (3, 5, 7, 11);
                entry.usage =
                    Some(Usage { input, cache_read, cache_write, cache_write_hour: 0, output });
                let kind = "thinking".to_owned();
                entry.blocks.insert(0, Block::Opaque { kind, raw: "{}".to_owned() });
                entry.blocks.insert(0, Block::Reasoning("Hm.".to_owned()));
            }
        }
        let session = session(entries);
        let exported = to_atif(&session, "1");
        prop_assert_eq!(read_back(&exported.document), sayable_session(&session));
    }
}

/// What others recorded is the same after a way out and back, sub-agents and compactions too.
#[test]
fn recorded_sessions_are_read_as_the_same() {
    let Some(folder) = sessions_folder() else { return };
    for path in files(&folder.join("atif")) {
        let (_, sessions, _) = read_file(&path);
        for session in sessions {
            let exported = to_atif(&session, "1");
            let again = read_back(&exported.document);
            assert_eq!(again, read_back(&to_atif(&again, "1").document), "{}", path.display());
            let count = |session: &Session| -> Vec<(String, usize)> {
                let each = session.conversations.iter();
                each.map(|it| (it.id.clone(), it.entries().len())).collect()
            };
            assert_eq!(count(&again), count(&session), "{}", path.display());
            let texts = |session: &Session| -> Vec<String> {
                let entries = session.conversations.iter().flat_map(Conversation::entries);
                entries.map(Entry::prompt_text).collect()
            };
            assert_eq!(texts(&again), texts(&session), "{}", path.display());
        }
    }
}

#[test]
fn what_has_no_place_is_counted() {
    let opaque = Block::Opaque { kind: "thinking".to_owned(), raw: "{}".to_owned() };
    let entry = |role, blocks| Entry {
        source: Source { step: 1, result: None },
        role,
        time: None,
        mark: Mark::None,
        model: None,
        usage: None,
        blocks,
    };
    let entries = vec![entry(Role::Assistant, vec![Block::Text("a".to_owned()), opaque])];
    let exported = to_atif(&session(entries), "1.2");
    assert_eq!(exported.left_out, 1);
    assert_eq!(exported.document["schema_version"], "ATIF-v1.8");
    assert_eq!(exported.document["agent"]["version"], "1.2");
    assert_eq!(exported.document["agent"]["extra"]["working_directory"], "/work/app");
    assert_eq!(to_atif(&session(Vec::new()), "1").left_out, 0);
}

/// The result of a call names the sub-agent that carried it out, where that stands in the document.
#[test]
fn sub_agents_are_named_where_they_are_found() {
    let result = |raw: &str| {
        let call = ToolResult { call: "c".to_owned(), content: "a".to_owned(), is_error: false };
        let kind = SUB_AGENT_REFERENCE.to_owned();
        Entry {
            source: Source { step: 1, result: Some(0) },
            role: Role::Tool,
            time: None,
            mark: Mark::None,
            model: None,
            usage: None,
            blocks: vec![Block::Result(call), Block::Opaque { kind, raw: raw.to_owned() }],
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
        let mut other = session.conversations[0].emptied();
        other.id = "1".to_owned();
        session.conversations.push(other);
        let exported = to_atif(&session, "1");
        let told = &exported.document["steps"][0]["observation"]["results"][0];
        assert_eq!(told.get(SUB_AGENT_REFERENCE).is_some(), is_named, "{raw}");
        assert_eq!(exported.left_out, u64::from(!is_named), "{raw}");
    }
}
