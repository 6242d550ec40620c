//! WebSockets: refused at once, or passed through.

use foveal_gateway::WebSockets;

use crate::support::{Act, Scripted, World, world};

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
        settings.websockets = WebSockets::Passed;
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
