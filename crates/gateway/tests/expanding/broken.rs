//! Answers that do not come to their end.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use foveal_gateway::exchange::End;
use foveal_live::recorder::{InMemory, Recorder};
use foveal_upstream::{Fault, Play};

use super::client::{MessagesClient, post};
use super::world::{Giving, conversations, says, script};
use crate::support::{Act, Scripted, World};

#[tokio::test]
async fn what_breaks_off_in_its_encoding_is_seen_to() {
    let event = b"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(event).expect("memory");
    let bytes = gzip.finish().expect("memory");
    for (kind, is_whole) in
        [("text/event-stream", false), ("application/json", false), ("text/event-stream", true)]
    {
        let part = &bytes[..bytes.len() - if is_whole { 0 } else { 9 }];
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Encoding: gzip\r\n\
             Content-Length: {}\r\n\r\n",
            part.len()
        );
        let write = Act::Write([head.as_bytes(), part].concat());
        let upstream = Scripted::start(vec![vec![Act::Read, write, Act::Wait]]).await;
        let recorder: Arc<dyn Recorder> = Arc::new(InMemory::default());
        let shaper = Arc::new(conversations(&recorder, true));
        let world = World::start(upstream.address, |settings| settings.shaper = shaper).await;
        let mut asking = MessagesClient::new(true);
        asking.messages.push(serde_json::json!({"role": "user", "content": "hi"}));
        let mut client = world.client().await;
        client.send("/v1/messages", &["Connection: close"], &asking.body()).await;
        let (Ok(read) | Err(read)) = client.read_to_end().await;
        let read = String::from_utf8_lossy(&read).into_owned();
        let ends_well = read.starts_with("HTTP/1.1 200") && read.ends_with("0\r\n\r\n");
        assert_eq!(ends_well, is_whole, "{kind}: {read}");
        let end = world.told(1).await[0].end;
        assert_eq!(end == End::Whole, is_whole, "{kind}: {end:?}");
    }
}

#[tokio::test]
async fn answers_that_come_slowly_keep_no_request_out() {
    let giving = Giving::start(script(|number, _| match number {
        0 => Play { fault: Fault::Silent(2), ..says("Fine.", Vec::new()) },
        _ => says("Fine.", Vec::new()),
    }))
    .await;
    let mut client = MessagesClient::new(true);
    client.messages.push(serde_json::json!({"role": "user", "content": "x".repeat(50_000)}));
    let recorder = Arc::clone(&giving.recorder);
    let world = World::start(giving.upstream.address(), |settings| {
        settings.shaper = Arc::new(conversations(&recorder, true));
        settings.limits.all_bodies_bytes = 80_000;
    })
    .await;
    let mut slow = world.client().await;
    slow.send("/v1/messages", &[], &client.body()).await;
    slow.read_until("message_start").await;
    let body = client.body();
    let said = post(&world, "/v1/messages", &body);
    let said = tokio::time::timeout(Duration::from_secs(20), said).await.expect("an answer");
    assert!(said.contains("message_stop"), "{said}");
}
