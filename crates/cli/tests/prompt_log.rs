//! The prompt log says exactly what the engine would send.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::profile::Profile;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_replay::conversation_replay::request_time;
use foveal_transcript::{Conversation, MessageRole, RecordedSession};
use serde_json::Value;

use crate::world::{World, session};

/// Role, source step, source result and content of each message.
type Prompt = Vec<(String, u64, Option<u64>, String)>;

/// The prompts of one conversation, from scratch, with the messages that
/// [`foveal_engine::step::Step`] says are kept.
fn rendered(conversation: &Conversation, profile: &str) -> Vec<(Prompt, usize)> {
    let prices = PriceCard::anthropic_5m();
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
    let mut projector = Profile::find(profile).expect("a profile").new_projector(&prices);
    projector = projector.with_view_source(Arc::new(CuratedViewSource::default()));
    let mut prompts = Vec::new();
    for answer in conversation.response_indices() {
        let time = request_time(conversation, answer);
        let step = projector.advance(&record, answer, time);
        let message = |index: &foveal_transcript::EntryIndex| {
            let entry = conversation.entry(*index);
            let shape = projector.entry_state(*index).decision.shape();
            let content = match (shape, entry.tool_result()) {
                (Some(shape), Some(result)) => shape.render(&result.content),
                _ => entry.prompt_text(),
            };
            let role = match entry.role {
                MessageRole::System => "system",
                MessageRole::User => "user",
                MessageRole::Assistant => "assistant",
                MessageRole::Tool => "tool",
            };
            let result = entry.source.result.map(u64::from);
            (role.to_owned(), u64::from(entry.source.step), result, content)
        };
        prompts.push((projector.window().iter().map(message).collect(), step.kept));
    }
    prompts
}

/// The prompts of each conversation, rebuilt from the log, with each request's `keep`.
fn rebuilt(log: &str) -> HashMap<String, Vec<(Prompt, usize)>> {
    let mut all: HashMap<String, Vec<(Prompt, usize)>> = HashMap::new();
    for line in log.lines() {
        let record: Value = serde_json::from_str(line).expect("JSON");
        let keys: Vec<&String> = record.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["session", "request", "before", "keep", "append", "tokens"]);
        let prompts = all.entry(record["session"].as_str().expect("an id").to_owned()).or_default();
        assert_eq!(record["request"], prompts.len() + 1);
        let keep = record["keep"].as_u64().expect("a count") as usize;
        let mut prompt = prompts.last().map(|(last, _)| last.clone()).unwrap_or_default();
        assert!(keep <= prompt.len());
        prompt.truncate(keep);
        for message in record["append"].as_array().expect("messages") {
            prompt.push((
                message["role"].as_str().expect("a role").to_owned(),
                message["source"][0].as_u64().expect("a step"),
                message["source"][1].as_u64(),
                message["content"].as_str().expect("text").to_owned(),
            ));
        }
        prompts.push((prompt, keep));
    }
    all
}

fn check(sessions: &[RecordedSession], log: &str, profile: &str) {
    let mut rebuilt = rebuilt(log);
    for session in sessions {
        for (at, conversation) in session.conversations.iter().enumerate() {
            let name = match at {
                0 => session.id.clone(),
                _ => format!("{}/{}", session.id, conversation.id),
            };
            let logged = rebuilt.remove(&name).unwrap_or_default();
            let rendered = rendered(conversation, profile);
            assert_eq!(logged.len(), rendered.len(), "{name}");
            let mut before: &Prompt = &Vec::new();
            for ((logged, keep), (rendered, kept)) in logged.iter().zip(&rendered) {
                assert_eq!(logged, rendered, "{name}");
                let same = before.iter().zip(rendered).take_while(|(a, b)| a == b).count();
                assert_eq!(*keep, same, "{name}: the whole common start is kept");
                assert!(*kept <= same, "{name}: the step keeps what changed");
                before = logged;
            }
        }
    }
    assert!(rebuilt.is_empty(), "the log holds only these sessions");
}

fn sessions_of(path: &Path) -> Vec<RecordedSession> {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("the file opens"));
    let mut sessions = Vec::new();
    foveal_session_readers::detect_and_read_sessions("test", file, &mut |session| {
        sessions.push(session);
    })
    .expect("reads");
    sessions
}

#[test]
fn rebuilding_gives_every_prompt() {
    let world = World::new("prompt_log");
    world.write("a.json", session("a"));
    world.write("b.json", session("b"));
    for profile in ["lossless", "balanced", "max", "curated"] {
        world.output(&format!("replay a.json b.json --profile {profile} --prompt-log log"));
        let log = world.read("log");
        let mut sessions = sessions_of(&world.folder.join("a.json"));
        sessions.extend(sessions_of(&world.folder.join("b.json")));
        check(&sessions, &log, profile);
        let names: Vec<&str> = log.lines().filter_map(|line| line.split('"').nth(3)).collect();
        let expected = [("a", 6), ("a/helper", 2), ("b", 6), ("b/helper", 2)];
        let expected: Vec<&str> =
            expected.iter().flat_map(|(name, count)| vec![*name; *count]).collect();
        assert_eq!(names, expected);
        let printed =
            world.output(&format!("replay a.json b.json --profile {profile} --prompt-log -"));
        assert_eq!(printed, log);
    }
}

#[test]
fn raw_is_what_was_recorded() {
    let world = World::new("prompt_log_raw");
    world.write("a.json", session("a"));
    let log = world.output("replay a.json --profile raw --prompt-log -");
    let sessions = sessions_of(&world.folder.join("a.json"));
    let prompts = rebuilt(&log);
    let (last, _) = prompts["a"].last().expect("requests");
    let logged: Vec<&str> = last.iter().filter(|it| it.0 == "tool").map(|it| &*it.3).collect();
    let entries = sessions[0].conversations[0].entries().iter();
    let recorded: Vec<&str> = entries.filter_map(|it| Some(&*it.tool_result()?.content)).collect();
    assert!(logged.len() > 2);
    assert_eq!(logged, recorded[..logged.len()]);
}

#[test]
fn the_first_request_starts_from_nothing() {
    let world = World::new("prompt_log_first");
    world.write("a.json", session("a"));
    let log = world.output("replay a.json --prompt-log -");
    let first: Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    assert_eq!(
        (&first["before"], &first["keep"], &first["append"][0]["source"]),
        (&serde_json::json!([2, null]), &serde_json::json!(0), &serde_json::json!([1, null]))
    );
    assert_eq!(first["append"][0]["content"], "make the third value larger");
    let third: Value = serde_json::from_str(log.lines().nth(1).expect("a line")).expect("JSON");
    assert_eq!(third["append"][1]["source"], serde_json::json!([2, 0]));
    assert_eq!(third["append"][0]["content"], "Read {\"file_path\":\"/r/a.rs\"}");
}

#[test]
fn recorded_sessions_are_rebuilt_too() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/sessions/atif");
    let folder = folder.join("gruckion+mini-swe-agent");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: no recorded sessions at {}", folder.display());
        return;
    };
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let world = World::new("prompt_log_recorded");
    for path in files.iter().take(4) {
        world.output(&format!("replay {} --profile max --prompt-log log", path.display()));
        check(&sessions_of(path), &world.read("log"), "max");
    }
}

#[test]
fn secrets_are_kept_only_where_the_user_says_so() {
    let world = World::new("prompt_log_secrets");
    let secret = "q8Zx61LmP0vTr7Ws";
    let text = session("s1").replace("make the third value", &format!("DB_PASS={secret} is set"));
    world.write("s1.json", text);
    for (arguments, is_kept) in [("", false), (" --keep-secrets", true)] {
        let ran =
            world.run(&format!("replay s1.json --profile balanced --prompt-log log{arguments}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let log = world.read("log");
        assert_eq!(log.contains(secret), is_kept, "{arguments}");
        assert_eq!(log.contains("DB_PASS=[secret removed: password]"), !is_kept, "{arguments}");
    }
    let printed = world.run("replay s1.json --profile balanced --prompt-log -").out;
    assert!(printed.contains(secret), "a pipe gets every byte");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = std::fs::metadata(world.folder.join("log")).expect("it is there");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
}
