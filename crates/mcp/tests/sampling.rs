//! The model of a client, asked what is shown of files.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rmcp::model::{ClientRequest, NumberOrString, ProgressToken, RequestMetaObject};
use rmcp::service::PeerRequestOptions;
use serde_json::json;

use crate::world::{Answers, Client, Desk, Running, World, call, params};

/// Longer than any test waits.
const LONG: Duration = Duration::from_secs(600);

/// A world with long files, and a client that lends its model.
async fn world(time: Duration, lends: fn(usize) -> Answers) -> (World, Running) {
    let world = World::with_lent(time);
    for name in ["a.txt", "b.txt", "c.txt"] {
        world.write(name, (1..=400).map(|n| format!("row {n} of it\n")).collect::<String>());
    }
    let client = world.connect(Desk { lends: Some(lends), ..Desk::default() }).await;
    (world, client)
}

fn desk(client: &Running) -> &Desk {
    let Client(desk) = client.service();
    desk
}

fn samples(client: &Running) -> usize {
    desk(client).samples.lock().unwrap().len()
}

/// Waits for what soon holds.
async fn until(holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
}

fn is_forgotten(client: &Running) -> bool {
    desk(client).forgotten.load(Ordering::Relaxed) > 0
}

async fn read(client: &Running, path: &str) -> String {
    call(client, "read_file", json!({"path": path})).await
}

#[tokio::test]
async fn the_model_of_a_client_says_what_is_shown() {
    let (_world, client) = world(LONG, |_| Answers::Text("200")).await;
    let text = read(&client, "a.txt").await;
    assert!(text.contains("row 200 of") && text.contains("row 209 of"), "{text}");
    assert!(!text.contains("row 1 of") && !text.contains("row 210 of"), "{text}");
    let asked = desk(&client).samples.lock().unwrap()[0].clone();
    assert_eq!((&asked["systemPrompt"], &asked["maxTokens"]), (&json!("where?"), &json!(10)));
    let text = asked["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.ends_with("a.txt"), "{text}");
    assert_eq!(asked["temperature"], 0.25);
}

#[tokio::test]
async fn a_client_that_lends_nothing_is_not_asked() {
    let (world, _lending) = world(LONG, |_| Answers::Text("200")).await;
    let client = world.connect(Desk::default()).await;
    assert!(read(&client, "a.txt").await.contains("row 1 of"));
}

#[tokio::test]
async fn after_a_no_it_is_not_asked_again() {
    for code in [-1, -32_000, -32_601] {
        let no: fn(usize) -> Answers = match code {
            -1 => |_| Answers::Error(-1),
            -32_000 => |_| Answers::Error(-32_000),
            _ => |_| Answers::Error(-32_601),
        };
        let (world, client) = world(LONG, no).await;
        for path in ["a.txt", "b.txt", "c.txt"] {
            assert!(read(&client, path).await.contains("row 1 of"), "{code} {path}");
        }
        assert_eq!(samples(&client), 1, "{code}");
        // Another client has not said no.
        let lends: fn(usize) -> Answers = |_| Answers::Text("300");
        let other = world.connect(Desk { lends: Some(lends), ..Desk::default() }).await;
        assert!(read(&other, "a.txt").await.contains("row 300 of"));
    }
}

/// What comes too late, or is no answer, costs the time that was set, once.
#[tokio::test]
async fn a_client_that_does_not_answer_costs_the_time_once() {
    let time = Duration::from_millis(300);
    let (_world, client) = world(time, |_| Answers::Late(60_000, "200")).await;
    let begun = Instant::now();
    assert!(read(&client, "a.txt").await.contains("row 1 of"));
    assert!(begun.elapsed() >= time && begun.elapsed() < Duration::from_secs(20));
    // It was told that nobody waits any longer; what it says then is passed over.
    until(|| is_forgotten(&client)).await;
    assert!(read(&client, "b.txt").await.contains("row 1 of"));
    assert_eq!(samples(&client), 1);
}

#[tokio::test]
async fn a_read_that_is_cancelled_waits_for_no_model() {
    let (_world, client) = world(LONG, |_| Answers::Late(60_000, "200")).await;
    let request = ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(params(
        "read_file",
        json!({"path": "a.txt"}),
    )));
    let handle = client.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    until(|| samples(&client) > 0).await;
    handle.unwrap().cancel(None).await.unwrap();
    until(|| is_forgotten(&client)).await;
    // That was nothing that the client did wrong, and other calls go on.
    assert!(call(&client, "list", json!({"path": "."})).await.contains("a.txt"));
    assert_eq!(samples(&client), 1);
}

/// A person has one question at a time before them, and who waits is told so.
#[tokio::test]
async fn questions_of_calls_at_once_come_one_after_the_other() {
    let (_world, client) = world(LONG, |before| match before {
        0 => Answers::Late(1_500, "200"),
        _ => Answers::Error(-1),
    })
    .await;
    let client = Arc::new(client);
    let mut calls = tokio::task::JoinSet::new();
    for (n, path) in ["a.txt", "b.txt", "c.txt"].into_iter().enumerate() {
        let client = Arc::clone(&client);
        calls.spawn(async move {
            let mut request = params("read_file", json!({"path": path}));
            let mut meta = RequestMetaObject::default();
            meta.set_progress_token(ProgressToken(NumberOrString::Number(n as i64)));
            meta.insert("foveal/session".to_owned(), json!(path));
            request.meta = Some(meta);
            crate::world::text(&client.call_tool(request).await.unwrap())
        });
    }
    let texts = calls.join_all().await;
    assert_eq!(texts.iter().filter(|text| text.contains("row 200 of")).count(), 1, "{texts:?}");
    assert_eq!(texts.iter().filter(|text| text.contains("row 1 of")).count(), 2, "{texts:?}");
    // One was refused; the third was not sent at all.
    assert_eq!(samples(&client), 2);
    let told = desk(&client).progress.lock().unwrap().clone();
    let told = |words: &str| {
        told.iter().any(|news| news.message.as_deref().is_some_and(|said| said.contains(words)))
    };
    assert!(told("the model is waited for"));
}
