//! WebSockets: refused at once, or forwarded.

use foveal_gateway::{Gateway, WebSocketPolicy};
use tokio_util::sync::CancellationToken;

use crate::support::{Act, Client, Scripted, World, world};

const UPGRADE: &str = "GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n\
                       Upgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n";

#[tokio::test]
async fn they_are_refused_so_that_clients_speak_http() {
    let upstream = Scripted::start(vec![vec![Act::Read]]).await;
    let world = world(upstream.address).await;
    let mut client = world.client().await;
    client.write(UPGRADE.as_bytes()).await;
    let answer = client.answer().await;
    assert_eq!(answer.status(), 426);
    assert!(upstream.seen()[0].requests.is_empty());
}

#[tokio::test]
async fn they_are_passed_through_where_that_is_wanted() {
    let agreed = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\
                  Upgrade: websocket\r\nSec-WebSocket-Accept: y\r\n\r\n";
    let script =
        vec![Act::Read, Act::write(agreed), Act::Wait, Act::write("\u{1}down"), Act::AwaitClose];
    let mut upstream = Scripted::start(vec![script]).await;
    let world = World::start(upstream.address, |settings| {
        settings.websockets = WebSocketPolicy::Forwarded;
    })
    .await;
    let mut client = world.client().await;
    client.write(UPGRADE.as_bytes()).await;
    let head = client.read_until("\r\n\r\n").await.to_lowercase();
    assert!(head.starts_with("http/1.1 101") && head.contains("sec-websocket-accept: y"), "{head}");
    assert!(head.contains("upgrade: websocket"), "{head}");
    client.write(b"\x01up").await;
    upstream.go_on();
    client.read_until("\u{1}down").await;
    drop(client);
    upstream.closed().await;
    let request = String::from_utf8_lossy(&upstream.seen()[0].requests[0]).to_lowercase();
    assert!(request.contains("upgrade: websocket"), "{request}");
    assert!(request.contains("sec-websocket-key: x"), "{request}");
}

const AGREED: &str = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\
                      Upgrade: websocket\r\nSec-WebSocket-Accept: y\r\n\r\n";

/// An upgraded connection occupies a slot until it closes.
#[tokio::test]
async fn they_take_a_place() {
    let script = || vec![Act::Read, Act::write(AGREED), Act::AwaitClose];
    let mut upstream = Scripted::start(vec![script(), script()]).await;
    let world = World::start(upstream.address, |settings| {
        settings.websockets = WebSocketPolicy::Forwarded;
        settings.limits.connections = 1;
    })
    .await;
    let mut first = world.client().await;
    first.write(UPGRADE.as_bytes()).await;
    first.read_until("\r\n\r\n").await;
    let mut second = world.client().await;
    second.write(UPGRADE.as_bytes()).await;
    let early = second.read_until("\r\n\r\n");
    let early = tokio::time::timeout(std::time::Duration::from_millis(300), early).await;
    assert!(early.is_err(), "{early:?}");
    drop(first);
    upstream.closed().await;
    assert!(second.read_until("\r\n\r\n").await.starts_with("HTTP/1.1 101"));
}

/// Upgraded connections are cut on both sides some time after the gateway is told to end.
#[tokio::test]
async fn they_end_with_the_gateway() {
    let script = vec![Act::Read, Act::write(AGREED), Act::AwaitClose];
    let mut upstream = Scripted::start(vec![script]).await;
    let mut settings = None;
    let _world = World::start(upstream.address, |made| {
        made.websockets = WebSocketPolicy::Forwarded;
        settings = Some(made.clone());
    })
    .await;
    let gateway = Gateway::bind(settings.expect("settings")).await.expect("a free port");
    let address = gateway.address();
    let stop = CancellationToken::new();
    let serving = tokio::spawn(gateway.serve(stop.clone()));
    let mut client = Client::connect(address).await;
    client.write(UPGRADE.as_bytes()).await;
    client.read_until("\r\n\r\n").await;
    stop.cancel();
    serving.await.expect("it ends");
    upstream.closed().await;
    drop(client.read_to_end().await);
}
