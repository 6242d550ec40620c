//! The sessions that calls belong to, and their eviction.

use std::sync::atomic::Ordering;

use foveal_mcp::RESET_NOTIFICATION;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_store::ReaderNoteStore as _;
use foveal_tools::session::announce_reader;
use foveal_tools::tool_table::ToolSet;
use foveal_transcript::Timestamp;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientRequest, CustomNotification, MetaObject, NumberOrString, RequestMetaObject,
};
use rmcp::service::PeerRequestOptions;
use serde_json::{Value, json};

use crate::world::{Desk, Running, World, call, lines, params, text};

/// Reads the file and returns whether all of it was sent.
async fn is_whole(client: &Running) -> bool {
    call(client, "read_file", json!({"path": "a.txt"})).await.contains("line number 45")
}

fn of_session(params: CallToolRequestParams, name: &str) -> CallToolRequestParams {
    with_meta(params, "foveal/session", name)
}

fn with_meta(params: CallToolRequestParams, key: &str, value: &str) -> CallToolRequestParams {
    let named = [(key.to_owned(), Value::from(value))];
    let mut params = params;
    params.meta = Some(RequestMetaObject(MetaObject(named.into_iter().collect())));
    params
}

pub(crate) async fn is_whole_in(client: &Running, name: &str) -> bool {
    let read = of_session(params("read_file", json!({"path": "a.txt"})), name);
    text(&client.call_tool(read).await.unwrap()).contains("line number 45")
}

#[tokio::test]
async fn clients_are_not_mixed() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let (one, two) = (world.connect(Desk::default()).await, world.connect(Desk::default()).await);
    assert!(is_whole(&one).await);
    assert!(!is_whole(&one).await);
    // What one was shown is nothing to the other.
    assert!(is_whole(&two).await);
    assert!(!is_whole(&two).await);
    assert_eq!(world.opened.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_client_may_have_several_conversations() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let client = world.connect(Desk::default()).await;
    assert!(is_whole(&client).await);
    assert!(is_whole_in(&client, "agent 1").await);
    assert!(!is_whole_in(&client, "agent 1").await);
    assert!(is_whole_in(&client, "agent 2").await);
    assert!(!is_whole(&client).await);
}

/// Reads the file in a call with this id, as Claude Code does.
async fn is_whole_for(client: &Running, call: &str) -> bool {
    let read = params("read_file", json!({"path": "a.txt"}));
    let read = with_meta(read, "claudecode/toolUseId", call);
    text(&client.call_tool(read).await.unwrap()).contains("line number 45")
}

/// Old notes of callers are removed.
fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Timestamp(i64::try_from(since.as_millis()).unwrap())
}

fn claude_code() -> Desk {
    Desk { name: Some("claude-code"), ..Desk::default() }
}

#[tokio::test]
async fn no_answer_is_larger_than_claude_code_was_told_to_show() {
    let long: String =
        (0..3_000).map(|n| format!("pub fn step_{n}() -> u64 {{ {n} }}\n")).collect();
    for most in [200, 2_000, 60_000] {
        let world = World::with(ToolSet::Full, |settings, folder| {
            settings.roots.push(folder.to_owned());
            settings.claude_code_tokens = Some(most);
        });
        world.write("long.rs", &long);
        let client = world.connect(claude_code()).await;
        for (tool, arguments) in [
            ("read_file", json!({"path": "long.rs", "mode": "full"})),
            ("read_lines", json!({"path": "long.rs", "start": 1, "end": 3_000})),
            ("grep", json!({"pattern": "step", "limit": 2_000})),
            ("bash", json!({"command": "cat long.rs"})),
        ] {
            let text = call(&client, tool, arguments).await;
            let count = Tokenizer::Claude.count(&text);
            assert!(count <= Tokens(u64::from(most).min(9_600)), "{count:?} of {most}: {tool}");
        }
    }
}

#[tokio::test]
async fn agents_of_claude_code_are_told_apart_by_their_calls() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let client = world.connect(claude_code()).await;
    for (call, reader, whole) in [
        ("1", "session/", true),
        ("2", "session/", false),
        ("3", "session/one", true),
        ("4", "session/two", true),
        // What the others were shown meanwhile takes nothing from the first.
        ("5", "session/one", false),
        ("6", "another/", true),
    ] {
        world.store.note_call_reader(call, reader, now()).unwrap();
        assert_eq!(is_whole_for(&client, call).await, whole, "{call}");
    }
}

#[tokio::test]
async fn agents_of_claude_code_work_at_the_same_time() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let client = world.connect(claude_code()).await;
    let calls: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    for call in &calls {
        world.store.note_call_reader(call, &format!("session/{call}"), now()).unwrap();
    }
    let all = futures_of(calls.iter().map(|call| is_whole_for(&client, call))).await;
    assert!(all.into_iter().all(|is_whole| is_whole));
}

/// Awaits all of these futures concurrently.
pub(crate) async fn futures_of<T>(
    futures: impl Iterator<Item = impl Future<Output = T>>,
) -> Vec<T> {
    let mut left: Vec<_> = futures.map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(|context| {
        for (future, done) in left.iter_mut().filter(|(_, done)| done.is_none()) {
            if let std::task::Poll::Ready(value) = future.as_mut().poll(context) {
                *done = Some(value);
            }
        }
        match left.iter().all(|(_, done)| done.is_some()) {
            true => std::task::Poll::Ready(()),
            false => std::task::Poll::Pending,
        }
    })
    .await;
    left.into_iter().filter_map(|(_, done)| done).collect()
}

#[tokio::test]
async fn agents_that_are_not_known_are_pointed_at_nothing() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let client = world.connect(claude_code()).await;
    for call in ["1", "2", "3"] {
        assert!(is_whole_for(&client, call).await, "{call}");
    }
    // Nor where the client does not say of which call a request is.
    assert!(is_whole(&client).await && is_whole(&client).await);
    // What any of them saw of a file may be changed all the same.
    let edit = json!({"path": "a.txt", "old_str": "line number 45", "new_str": "line 45",
        "intent": "shorten"});
    call(&client, "edit_file", edit).await;
    let grep = || call(&client, "grep", json!({"pattern": "number 4", "path": "a.txt"}));
    assert!(grep().await.contains("line number 46") && grep().await.contains("line number 46"));
}

#[tokio::test]
async fn a_cut_prompt_is_forgotten_by_each_of_its_agents() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let client = world.connect(claude_code()).await;
    let folder = world.folder.path().canonicalize().unwrap();
    for call in ["1", "2", "3"] {
        world.store.note_call_reader(call, "session/", now()).unwrap();
    }
    assert!(is_whole_for(&client, "1").await);
    // That another asks in the folder is nothing to a session of one reader.
    announce_reader(&*world.store, &folder, Some("session/one"), now()).unwrap();
    assert!(!is_whole_for(&client, "2").await);
    announce_reader(&*world.store, &folder, None, now()).unwrap();
    assert!(is_whole_for(&client, "3").await);
}

#[tokio::test]
async fn a_reset_forgets_what_was_shown() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let client = world.connect(Desk::default()).await;
    assert!(is_whole(&client).await);
    assert!(!is_whole(&client).await);
    call(&client, "reset", json!({})).await;
    assert!(is_whole(&client).await);
    assert!(!is_whole(&client).await);

    let reset = |params| CustomNotification::new(RESET_NOTIFICATION, params);
    client.send_notification(reset(None).into()).await.unwrap();
    assert!(is_whole(&client).await);

    // Of several conversations, the one that is named.
    assert!(is_whole_in(&client, "one").await);
    assert!(is_whole_in(&client, "two").await);
    let one = reset(Some(json!({"session": "one"})));
    client.send_notification(one.into()).await.unwrap();
    assert!(is_whole_in(&client, "one").await);
    assert!(!is_whole_in(&client, "two").await);
}

#[tokio::test]
async fn a_call_that_is_cancelled_leaves_what_was_shown_before() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let client = world.connect(Desk::default()).await;
    assert!(is_whole(&client).await);
    let run = CallToolRequest::new(params("bash", json!({"command": "cat a.txt; sleep 60"})));
    let run = ClientRequest::CallToolRequest(run);
    let options = PeerRequestOptions::no_options();
    let handle = client.send_cancellable_request(run, options).await.unwrap();
    handle.cancel(None).await.unwrap();
    assert!(!is_whole(&client).await);
}

#[tokio::test]
async fn what_a_cancelled_call_found_does_not_count_as_shown() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let client = world.connect(Desk::default()).await;
    let run = CallToolRequest::new(params("bash", json!({"command": "cat a.txt; sleep 60"})));
    let run = ClientRequest::CallToolRequest(run);
    let options = PeerRequestOptions::no_options();
    let handle = client.send_cancellable_request(run, options).await.unwrap();
    handle.cancel(None).await.unwrap();
    assert!(is_whole(&client).await);
}

/// Some clients cancel every request shortly after its answer arrived.
#[tokio::test]
async fn a_cancellation_after_the_answer_changes_nothing() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let client = world.connect(Desk::default()).await;
    assert!(is_whole(&client).await);
    for request in 0..10 {
        let late = CancelledNotification::new(CancelledNotificationParam::new(
            Some(NumberOrString::Number(request)),
            None,
        ));
        client.send_notification(late.into()).await.unwrap();
    }
    assert!(!is_whole(&client).await);
}

#[tokio::test]
async fn sessions_that_are_too_many_are_forgotten() {
    let world = World::with(ToolSet::Full, |settings, folder| {
        settings.roots.push(folder.to_owned());
        settings.sessions_max = 2;
    });
    world.write("a.txt", lines());
    let client = world.connect(Desk::default()).await;
    assert!(is_whole_in(&client, "one").await);
    assert!(is_whole_in(&client, "two").await);
    assert!(!is_whole_in(&client, "one").await);
    // The second was not used for longest.
    assert!(is_whole_in(&client, "three").await);
    assert!(is_whole_in(&client, "two").await);
}

#[tokio::test]
async fn sessions_that_are_not_used_are_forgotten() {
    let world = World::with(ToolSet::Full, |settings, folder| {
        settings.roots.push(folder.to_owned());
        settings.session_idle = std::time::Duration::ZERO;
    });
    world.write("a.txt", lines());
    let client = world.connect(Desk::default()).await;
    assert!(is_whole(&client).await);
    assert!(is_whole(&client).await);
}

#[tokio::test]
async fn the_client_names_the_roots_and_changes_them() {
    let world = World::with(ToolSet::Full, |_, _| {});
    let other = tempfile::tempdir().unwrap();
    world.write("a.txt", lines());
    std::fs::write(other.path().join("a.txt"), "of the other\n").unwrap();
    let roots = vec![world.folder.path().to_owned()].into();
    let client = world.connect(Desk { has_roots: true, roots, ..Desk::default() }).await;
    assert!(is_whole(&client).await);

    // The same roots again: nothing is forgotten.
    client.notify_roots_list_changed().await.unwrap();
    assert!(!is_whole(&client).await);
    assert_eq!(world.opened.load(Ordering::Relaxed), 1);

    *client.service().0.roots.lock().unwrap() = vec![other.path().to_owned()];
    client.notify_roots_list_changed().await.unwrap();
    let read = call(&client, "read_file", json!({"path": "a.txt"})).await;
    assert!(read.contains("of the other"), "{read}");
    let outside = world.folder.path().join("a.txt").display().to_string();
    let refused = client.call_tool(params("read_file", json!({"path": outside}))).await.unwrap();
    assert_eq!(refused.is_error, Some(true), "{refused:?}");

    *client.service().0.roots.lock().unwrap() = vec![world.folder.path().to_owned()];
    client.notify_roots_list_changed().await.unwrap();
    assert!(is_whole(&client).await);
    assert_eq!(world.opened.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn where_the_client_does_not_say_what_its_roots_changed_to_nothing_is_done() {
    let world = World::with(ToolSet::Full, |_, _| {});
    let other = tempfile::tempdir().unwrap();
    world.write("a.txt", lines());
    let roots = vec![world.folder.path().to_owned()].into();
    let client = world.connect(Desk { has_roots: true, roots, ..Desk::default() }).await;
    assert!(is_whole(&client).await);

    let desk = &client.service().0;
    *desk.roots.lock().unwrap() = vec![other.path().to_owned()];
    desk.is_silent.store(true, Ordering::Relaxed);
    client.notify_roots_list_changed().await.unwrap();
    let write = || params("write_file", json!({"path": "b.txt", "content": "b\n"}));
    for _ in 0..2 {
        let refused = client.call_tool(write()).await.unwrap();
        assert_eq!(refused.is_error, Some(true), "{refused:?}");
        assert!(text(&refused).contains("did not list them"), "{refused:?}");
    }
    desk.is_silent.store(false, Ordering::Relaxed);
    let written = client.call_tool(write()).await.unwrap();
    assert_ne!(written.is_error, Some(true), "{written:?}");
    assert!(!world.folder.path().join("b.txt").exists());
    assert!(other.path().join("b.txt").exists());
}

#[tokio::test]
async fn roots_that_are_not_here_are_not_taken_for_none() {
    let world = World::with(ToolSet::Full, |_, _| {});
    world.write("a.txt", lines());
    let roots = vec!["/no/such/folder".into()].into();
    let client = world.connect(Desk { has_roots: true, roots, ..Desk::default() }).await;
    for _ in 0..2 {
        let answer = client.call_tool(params("read_file", json!({"path": "a.txt"}))).await.unwrap();
        assert_eq!(answer.is_error, Some(true), "{answer:?}");
        assert!(text(&answer).contains("file:///no/such/folder"), "{answer:?}");
    }
    // One that is here is enough.
    client.service().0.roots.lock().unwrap().push(world.folder.path().to_owned());
    client.notify_roots_list_changed().await.unwrap();
    assert!(is_whole(&client).await);
}

#[tokio::test]
async fn without_roots_the_current_folder_is_worked_in() {
    for has_roots in [false, true] {
        let world = World::with(ToolSet::Full, |_, _| {});
        world.write("a.txt", lines());
        let client = world.connect(Desk { has_roots, ..Desk::default() }).await;
        assert!(is_whole(&client).await);
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_opened_is_said() {
    let world = World::with(ToolSet::Full, |settings, _| {
        settings.roots.push("/no/such/folder".into());
    });
    let client = world.connect(Desk::default()).await;
    let answer = client.call_tool(params("read_file", json!({"path": "a"}))).await.unwrap();
    assert_eq!(answer.is_error, Some(true));
    assert!(text(&answer).starts_with("the folders cannot be worked in: "), "{answer:?}");
    assert!(text(&answer).contains("/no/such/folder"), "{answer:?}");
}
