use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::super::line::LineStream;
use super::*;

/// A connection to ourselves: our end, and the client's.
async fn line() -> (Line, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (near, far) = tokio::join!(listener.accept(), TcpStream::connect(address));
    (Line::new(near.expect("a client").0), far.expect("a server"))
}

fn peer(address: &str) -> Peer {
    Peer::from_address(address.parse().expect("an address"))
}

const QUICK: Patience = Patience {
    head: Duration::ZERO,
    body: Duration::ZERO,
    body_crowded: Duration::ZERO,
    stuck: Duration::from_millis(50),
};

#[tokio::test]
async fn one_that_waits_goes_for_another_and_none_that_works() {
    let connections = Arc::new(Connections::new(3, Patience::default()));
    let here = peer("127.0.0.1:1");
    let mut held = Vec::new();
    for stage in [Stage::Working, Stage::Listening, Stage::Idle] {
        assert_eq!(connections.make_room(here), Vacancy::Free);
        let (line, client) = line().await;
        let slot = connections.enter(here, &line);
        line.enter(stage);
        held.push((slot, line, client));
    }
    for at in [2, 1] {
        assert_eq!(connections.make_room(here), Vacancy::Soon);
        assert!(held[at].0.is_to_close(), "{at}");
        // Until it is gone, no other goes for the same.
        assert_eq!(connections.make_room(here), Vacancy::Soon);
        drop(held.remove(at));
        assert_eq!(connections.make_room(here), Vacancy::Free);
        let (line, client) = line().await;
        let slot = connections.enter(here, &line);
        line.enter(Stage::Working);
        held.push((slot, line, client));
    }
    assert_eq!(connections.make_room(here), Vacancy::None);
    assert!(!held[0].0.is_to_close());
    // A body that has just begun is waited for, and goes if it takes long.
    held[0].1.enter(Stage::Body);
    assert_eq!(connections.make_room(here), Vacancy::Soon);
    assert!(!held[0].0.is_to_close());
}

#[tokio::test]
async fn one_whose_answer_is_not_written_yet_does_not_go_for_another() {
    let connections = Arc::new(Connections::new(1, Patience::default()));
    let here = peer("127.0.0.1:1");
    let (line, _client) = line().await;
    let slot = connections.enter(here, &line);
    line.enter(Stage::Working);
    line.answer_ends();
    assert_eq!(connections.make_room(here), Vacancy::None);
    let mut stream = LineStream(line);
    stream.flush().await.expect("it is open");
    assert_eq!(connections.make_room(here), Vacancy::Soon);
    assert!(slot.is_to_close());
}

#[tokio::test]
async fn a_connection_that_panics_leaves_its_place() {
    let connections = Arc::new(Connections::new(1, Patience::default()));
    let here = peer("127.0.0.1:1");
    for _ in 0..3 {
        assert_eq!(connections.make_room(here), Vacancy::Free);
        let (line, _client) = line().await;
        let slot = connections.enter(here, &line);
        line.enter(Stage::Working);
        let task = tokio::spawn(slot.serve(async { panic!("in a connection, on purpose") }));
        assert!(task.await.expect_err("it panics").is_panic());
    }
    assert_eq!(connections.make_room(here), Vacancy::Free);
}

#[tokio::test]
async fn one_peer_does_not_take_all() {
    let connections = Arc::new(Connections::new(8, Patience::default()));
    let (many, one) = (peer("10.0.0.1:1"), peer("10.0.0.2:1"));
    let mut held = Vec::new();
    while connections.make_room(many) == Vacancy::Free {
        let (line, client) = line().await;
        line.enter(Stage::Working);
        held.push((connections.enter(many, &line), client));
    }
    assert_eq!(held.len(), 6);
    assert_eq!(connections.make_room(many), Vacancy::None);
    assert_eq!(connections.make_room(one), Vacancy::Free);
    // All addresses of one customer are one peer.
    assert_eq!(peer("[2001:db8:1:2::1]:1"), peer("[2001:db8:1:2:3::9]:7"));
    assert_eq!(peer("[::ffff:10.0.0.1]:1"), many);
}

#[tokio::test]
async fn who_takes_too_long_is_closed() {
    let connections = Arc::new(Connections::new(3, QUICK));
    let here = peer("127.0.0.1:1");
    let (late, _late_client) = line().await;
    let slot = connections.enter(here, &late);
    connections.sweep();
    assert!(!slot.is_to_close());
    late.enter(Stage::Body);
    connections.sweep();
    assert!(slot.is_to_close());
    // A client that takes nothing of what it is sent.
    let (stuck, _stuck_client) = line().await;
    let slot = connections.enter(here, &stuck);
    stuck.enter(Stage::Working);
    let mut stream = LineStream(stuck);
    let part = [0; 1 << 16];
    while std::future::poll_fn(|context| {
        let written = std::pin::Pin::new(&mut stream).poll_write(context, &part);
        std::task::Poll::Ready(written.is_ready())
    })
    .await
    {}
    connections.sweep();
    assert!(!slot.is_to_close());
    tokio::time::sleep(QUICK.stuck).await;
    connections.sweep();
    assert!(slot.is_to_close());
}
