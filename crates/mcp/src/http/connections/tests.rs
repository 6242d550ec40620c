use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::super::tracked_connection::TrackedStream;
use super::*;

/// A loopback connection: the server's end and the client's.
async fn line() -> (TrackedConnection, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (near, far) = tokio::join!(listener.accept(), TcpStream::connect(address));
    (TrackedConnection::new(near.expect("a client").0), far.expect("a server"))
}

fn peer(address: &str) -> Peer {
    Peer::from_address(address.parse().expect("an address"))
}

const QUICK: HttpTimeouts = HttpTimeouts {
    head: Duration::ZERO,
    body: Duration::ZERO,
    body_crowded: Duration::ZERO,
    write_stall: Duration::from_millis(50),
};

#[tokio::test]
async fn one_that_waits_goes_for_another_and_none_that_works() {
    let connections = Arc::new(HttpConnections::new(3, HttpTimeouts::default()));
    let here = peer("127.0.0.1:1");
    let mut held = Vec::new();
    for stage in [ConnectionStage::Working, ConnectionStage::Listening, ConnectionStage::Idle] {
        assert_eq!(connections.admit(here), Admission::Accepted);
        let (line, client) = line().await;
        let slot = connections.add(here, &line);
        line.set_stage(stage);
        held.push((slot, line, client));
    }
    for at in [2, 1] {
        assert_eq!(connections.admit(here), Admission::RetrySoon);
        assert!(held[at].0.is_to_close(), "{at}");
        // Until it is gone, no other goes for the same.
        assert_eq!(connections.admit(here), Admission::RetrySoon);
        drop(held.remove(at));
        assert_eq!(connections.admit(here), Admission::Accepted);
        let (line, client) = line().await;
        let slot = connections.add(here, &line);
        line.set_stage(ConnectionStage::Working);
        held.push((slot, line, client));
    }
    assert_eq!(connections.admit(here), Admission::Full);
    assert!(!held[0].0.is_to_close());
    // A body that has just begun is waited for, and goes if it takes long.
    held[0].1.set_stage(ConnectionStage::Body);
    assert_eq!(connections.admit(here), Admission::RetrySoon);
    assert!(!held[0].0.is_to_close());
}

#[tokio::test]
async fn one_whose_answer_is_not_written_yet_does_not_go_for_another() {
    let connections = Arc::new(HttpConnections::new(1, HttpTimeouts::default()));
    let here = peer("127.0.0.1:1");
    let (line, _client) = line().await;
    let slot = connections.add(here, &line);
    line.set_stage(ConnectionStage::Working);
    line.complete_answer();
    assert_eq!(connections.admit(here), Admission::Full);
    let mut stream = TrackedStream(line);
    stream.flush().await.expect("it is open");
    assert_eq!(connections.admit(here), Admission::RetrySoon);
    assert!(slot.is_to_close());
}

#[tokio::test]
async fn a_connection_that_panics_leaves_its_place() {
    let connections = Arc::new(HttpConnections::new(1, HttpTimeouts::default()));
    let here = peer("127.0.0.1:1");
    for _ in 0..3 {
        assert_eq!(connections.admit(here), Admission::Accepted);
        let (line, _client) = line().await;
        let slot = connections.add(here, &line);
        line.set_stage(ConnectionStage::Working);
        let task = tokio::spawn(slot.serve(async { panic!("in a connection, on purpose") }));
        assert!(task.await.expect_err("it panics").is_panic());
    }
    assert_eq!(connections.admit(here), Admission::Accepted);
}

#[tokio::test]
async fn one_peer_does_not_take_all() {
    let connections = Arc::new(HttpConnections::new(8, HttpTimeouts::default()));
    let (many, one) = (peer("10.0.0.1:1"), peer("10.0.0.2:1"));
    let mut held = Vec::new();
    while connections.admit(many) == Admission::Accepted {
        let (line, client) = line().await;
        line.set_stage(ConnectionStage::Working);
        held.push((connections.add(many, &line), client));
    }
    assert_eq!(held.len(), 6);
    assert_eq!(connections.admit(many), Admission::Full);
    assert_eq!(connections.admit(one), Admission::Accepted);
    // All addresses of one customer are one peer.
    assert_eq!(peer("[2001:db8:1:2::1]:1"), peer("[2001:db8:1:2:3::9]:7"));
    assert_eq!(peer("[::ffff:10.0.0.1]:1"), many);
}

#[tokio::test]
async fn who_takes_too_long_is_closed() {
    let connections = Arc::new(HttpConnections::new(3, QUICK));
    let here = peer("127.0.0.1:1");
    let (late, _late_client) = line().await;
    let slot = connections.add(here, &late);
    connections.close_slow();
    assert!(!slot.is_to_close());
    late.set_stage(ConnectionStage::Body);
    connections.close_slow();
    assert!(slot.is_to_close());
    // A client that takes nothing of what it is sent.
    let (stuck, _stuck_client) = line().await;
    let slot = connections.add(here, &stuck);
    stuck.set_stage(ConnectionStage::Working);
    let mut stream = TrackedStream(stuck);
    let part = [0; 1 << 16];
    while std::future::poll_fn(|context| {
        let written = std::pin::Pin::new(&mut stream).poll_write(context, &part);
        std::task::Poll::Ready(written.is_ready())
    })
    .await
    {}
    connections.close_slow();
    assert!(!slot.is_to_close());
    tokio::time::sleep(QUICK.write_stall).await;
    connections.close_slow();
    assert!(slot.is_to_close());
}
