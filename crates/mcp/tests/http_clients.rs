//! HTTP clients that keep others out, or send ambiguous requests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use foveal_tools::tool_table::ToolSet;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::delivery::{post, run};
use crate::http::{Served, message, serve};
use crate::sessions::is_whole_in;
use crate::world::{Desk, World, ask, call, lines};

const LINE: &str = "line number 45";

fn world() -> World {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    world
}

/// The maximum number of sessions.
fn small_world(sessions_max: usize) -> World {
    let world = World::with(ToolSet::Full, |settings, folder| {
        settings.roots.push(folder.to_owned());
        settings.sessions_max = sessions_max;
    });
    world.write("a.txt", lines());
    world
}

/// Sends bytes and returns the response until the server closes.
async fn exchange(served: &Served, bytes: &str) -> String {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    // It may be closed before all is sent.
    drop(stream.write_all(bytes.as_bytes()).await);
    let mut reply = Vec::new();
    let read = stream.read_to_end(&mut reply);
    drop(tokio::time::timeout(Duration::from_secs(5), read).await.expect("an end"));
    String::from_utf8_lossy(&reply).into_owned()
}

/// Returns the head of a request with a body of this length.
fn head(served: &Served, more: &str, length: usize) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\nconnection: close\r\n{more}\
         content-length: {length}\r\n\r\n",
        served.address
    )
}

#[tokio::test]
async fn connections_that_only_wait_keep_nobody_out() {
    let world = world();
    for begun in ["", "POST /mcp HTTP/1.1\r\nhost: a", "BODY"] {
        let served = serve(&world, |settings| settings.connections_max = 8).await;
        let begun = match begun {
            "BODY" => head(&served, "", 500) + "{",
            begun => begun.to_owned(),
        };
        let mut held = Vec::new();
        for _ in 0..20 {
            let mut stream = TcpStream::connect(served.address).await.unwrap();
            stream.write_all(begun.as_bytes()).await.unwrap();
            held.push(stream);
        }
        let began = Instant::now();
        let session = served.begin().await;
        assert!(served.read_in(&session).await.text().contains(LINE));
        assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    }
}

#[tokio::test]
async fn a_call_that_runs_is_never_cut_off_for_others() {
    let world = world();
    let served = serve(&world, |settings| settings.connections_max = 4).await;
    let session = served.begin().await;
    let mut running = post(&served, &session, &run(5, "sleep 1; echo end")).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut held = Vec::new();
    for _ in 0..30 {
        held.push(TcpStream::connect(served.address).await.unwrap());
    }
    let mut reply = Vec::new();
    while !String::from_utf8_lossy(&reply).contains("end\\n") {
        let read = running.read_buf(&mut reply);
        let count = tokio::time::timeout(Duration::from_secs(5), read).await.unwrap().unwrap();
        assert_ne!(count, 0, "{}", String::from_utf8_lossy(&reply));
    }
    // Where all work, a new one is told so.
    let mut working = Vec::new();
    for id in 10..14 {
        working.push(post(&served, &session, &run(id, "sleep 3")).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let reply = exchange(&served, "").await;
    assert!(reply.starts_with("HTTP/1.1 503 "), "{reply}");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let world = world();
    let served = serve(&world, |settings| {
        settings.timeouts.body = Duration::from_millis(300);
    })
    .await;
    let began = Instant::now();
    exchange(&served, &(head(&served, "", 500) + "{")).await;
    assert!(began.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn who_takes_nothing_is_let_go_and_others_are_served() {
    const ASKED: usize = 2_000;
    let world = world();
    let served = serve(&world, |settings| {
        settings.connections_max = 4;
        settings.timeouts.write_stall = Duration::from_millis(700);
    })
    .await;
    let session = served.begin().await;
    // More than the system keeps for a client that does not read.
    let list = message(1, "tools/list", &json!({}));
    let own = format!("mcp-session-id: {session}\r\n");
    let request = head(&served, &own, list.len()).replace("connection: close\r\n", "") + &list;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let (mut taken, mut asked) = socket.connect(served.address).await.unwrap().into_split();
    let asking = tokio::spawn(async move {
        // The server stops reading long before the last one.
        drop(asked.write_all(request.repeat(ASKED).as_bytes()).await);
        asked
    });
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(3) {
        let other = served.begin().await;
        assert!(served.read_in(&other).await.text().contains(LINE));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let mut reply = Vec::new();
    let end = tokio::time::timeout(Duration::from_secs(5), taken.read_to_end(&mut reply)).await;
    drop(end.expect("the connection was closed"));
    let answers = String::from_utf8_lossy(&reply).matches("HTTP/1.1 200").count();
    assert!((1..ASKED).contains(&answers), "{answers}");
    drop(asking.await);
}

/// Requests arrive while their session is being evicted for a new one.
#[tokio::test]
async fn a_request_is_answered_or_told_that_its_session_is_gone() {
    let world = small_world(1);
    let served = Arc::new(serve(&world, |_| {}).await);
    let asking = (0..8).map(|_| {
        let served = Arc::clone(&served);
        tokio::spawn(async move {
            for _ in 0..25 {
                let session = served.try_begin().await;
                let Some(session) = session else { continue };
                let reply = served.read_in(&session).await;
                match reply.status {
                    200 => assert!(reply.text().contains(LINE), "{}", reply.body),
                    404 => {}
                    _ => panic!("{}: {}", reply.status, reply.body),
                }
            }
        })
    });
    for asking in asking.collect::<Vec<_>>() {
        asking.await.unwrap();
    }
}

#[tokio::test]
async fn new_sessions_throw_out_none_that_works() {
    let world = small_world(4);
    let served = serve(&world, |_| {}).await;
    let works = served.begin().await;
    served.read_in(&works).await;
    for _ in 0..20 {
        served.begin().await;
    }
    assert!(!served.read_in(&works).await.text().contains(LINE));
    // What begins no session makes no room for one.
    for method in ["GET", "POST", "DELETE"] {
        served.request(method, &[], "{}").await;
    }
    // Sessions in which calls run stay, and new ones are told to wait.
    let mut sessions = vec![works];
    while sessions.len() < 4 {
        let session = served.begin().await;
        served.read_in(&session).await;
        sessions.push(session);
    }
    let mut running = Vec::new();
    for session in &sessions {
        running.push(post(&served, session, &run(7, "sleep 2; echo end")).await);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let refused = served.request("POST", &[], &message(1, "initialize", &params)).await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    for session in &sessions {
        assert_eq!(served.read_in(session).await.status, 200);
    }
}

/// Clients that open a session per task and delete none fill the server with idle sessions.
#[tokio::test]
async fn a_session_that_has_just_begun_stays_for_idle_ones() {
    let world = small_world(4);
    let served = serve(&world, |_| {}).await;
    for _ in 0..6 {
        let left = served.begin().await;
        served.read_in(&left).await;
    }
    let just_begun = served.begin().await;
    let other = served.begin().await;
    assert_eq!(served.read_in(&just_begun).await.status, 200);
    assert_eq!(served.read_in(&other).await.status, 200);
}

#[tokio::test]
async fn conversations_of_one_client_throw_out_none_of_another() {
    let world = small_world(4);
    let one = world.connect(Desk::default()).await;
    let read = || call(&one, "read_file", json!({"path": "a.txt"}));
    read().await;
    let many = world.connect(Desk::default()).await;
    for name in 0..10 {
        assert!(is_whole_in(&many, &name.to_string()).await);
    }
    assert!(!read().await.contains(LINE));
}

#[tokio::test]
async fn what_can_be_read_in_two_ways_is_refused() {
    let world = world();
    let origin = "http://a.example:80".to_owned();
    let served = serve(&world, |settings| settings.origins.push(origin)).await;
    let own = format!("mcp-session-id: {}\r\n", served.begin().await);
    let list = message(1, "tools/list", &json!({}));
    let good = exchange(&served, &(head(&served, &own, list.len()) + &list)).await;
    assert!(good.starts_with("HTTP/1.1 200 "), "{good}");
    for more in [
        "host: 127.0.0.1\r\n",
        "host: evil.example\r\n",
        "origin: http://a.example\r\norigin: http://b.example\r\n",
        "origin: http://a.example\r\norigin: http://a.example\r\n",
        &own,
        "mcp-session-id: other\r\n",
        "authorization: Bearer a\r\nauthorization: Bearer b\r\n",
        "content-type: text/plain\r\n",
        "content-length: 3\r\n",
        "transfer-encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "origin: http://a.example, http://b.example\r\n",
        "origin: http://b.example@a.example:80\r\n",
    ] {
        let request = head(&served, &format!("{own}{more}"), list.len());
        let reply = exchange(&served, &(request + &list)).await;
        assert!(reply.starts_with("HTTP/1.1 400 "), "{more}: {reply}");
    }
    for (target, status) in [
        (format!("http://{}/mcp", served.address), 200),
        ("http://evil.example/mcp".to_owned(), 400),
        (format!("http://user@{}/mcp", served.address), 400),
    ] {
        let request = head(&served, &own, list.len());
        let request = request.replace("POST /mcp", &format!("POST {target}"));
        let reply = exchange(&served, &(request + &list)).await;
        assert!(reply.starts_with(&format!("HTTP/1.1 {status} ")), "{target}: {reply}");
    }
    let no_host = head(&served, &own, list.len()).replace("host: ", "x-host: ");
    let reply = exchange(&served, &(no_host + &list)).await;
    assert!(reply.starts_with("HTTP/1.1 400 "), "{reply}");
    // A body in pieces alone is clear.
    let pieces = format!("{:x}\r\n{list}\r\n0\r\n\r\n", list.len());
    let request = head(&served, &own, 0).replace("content-length: 0", "transfer-encoding: chunked");
    let reply = exchange(&served, &(request + &pieces)).await;
    assert!(reply.starts_with("HTTP/1.1 200 "), "{reply}");
}

#[tokio::test]
async fn a_host_is_one_name_or_address_with_a_port_of_ours() {
    let world = world();
    let served = serve(&world, |_| {}).await;
    let own = format!("mcp-session-id: {}\r\n", served.begin().await);
    let list = message(1, "tools/list", &json!({}));
    let port = served.address.port();
    for (host, status) in [
        (format!("127.0.0.1:{port}"), 200),
        (format!("LOCALHOST:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        ("localhost".to_owned(), 200),
        (format!("127.0.0.1:{port},evil.com"), 400),
        (format!("127.0.0.1:{port}, evil.com"), 400),
        ("127.0.0.1:evil.com".to_owned(), 400),
        (format!("evil.com@127.0.0.1:{port}"), 400),
        (format!("127.0.0.1:{port}@evil.com"), 400),
        ("localhost:x".to_owned(), 400),
        ("localhost:".to_owned(), 400),
        ("localhost:0".to_owned(), 400),
        ("localhost:99999999".to_owned(), 400),
        (format!("localhost:0{port}"), 400),
        (format!("[[::1]]:{port}"), 400),
        ("127.1".to_owned(), 400),
        (format!("localhost:{}", port ^ 1), 403),
        (format!("evil.com:{port}"), 403),
    ] {
        let request = head(&served, &own, list.len());
        let request = request.replace(&served.address.to_string(), &host);
        let reply = exchange(&served, &(request + &list)).await;
        assert!(reply.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {reply}");
    }
}

#[tokio::test]
async fn a_head_of_more_than_64_kib_is_refused() {
    let world = world();
    let served = serve(&world, |_| {}).await;
    let own = format!("mcp-session-id: {}\r\n", served.begin().await);
    let list = message(1, "tools/list", &json!({}));
    let padded = |bytes: usize| {
        let bare = head(&served, &format!("{own}x: \r\n"), list.len());
        let more = format!("{own}x: {}\r\n", "a".repeat(bytes - bare.len()));
        head(&served, &more, list.len()) + &list
    };
    let reply = exchange(&served, &padded(64 << 10)).await;
    assert!(reply.starts_with("HTTP/1.1 200 "), "{reply}");
    let blank = format!("{own}x: {}\r\n", " ".repeat(100_000));
    for long in [
        padded((64 << 10) + 1),
        padded(100_000),
        padded(1 << 20),
        head(&served, &blank, list.len()) + &list,
        head(&served, &"x: a\r\n".repeat(10_000), list.len()) + &list,
    ] {
        let reply = exchange(&served, &long).await;
        // What is sent behind the refusal may break the connection before it is read.
        let is_refused = reply.is_empty() || reply.starts_with("HTTP/1.1 431 ");
        assert!(is_refused, "{} bytes: {reply}", long.len());
    }
}

#[tokio::test]
async fn a_body_that_is_not_decoded_is_not_read() {
    let world = world();
    let served = serve(&world, |_| {}).await;
    let own = format!("mcp-session-id: {}\r\n", served.begin().await);
    let list = message(1, "tools/list", &json!({}));
    for (more, status) in [
        ("content-encoding: identity\r\n", 200),
        ("content-encoding: gzip\r\n", 415),
        ("Content-Encoding: identity\r\ncontent-encoding: br\r\n", 415),
    ] {
        let request = head(&served, &format!("{own}{more}"), list.len());
        let reply = exchange(&served, &(request + &list)).await;
        assert!(reply.starts_with(&format!("HTTP/1.1 {status} ")), "{more}: {reply}");
    }
    for (content, status) in
        [("application/json; charset=UTF-8", 200), ("application/json; charset=utf-7", 415)]
    {
        let request = head(&served, &own, list.len());
        let request =
            request.replace("content-type: application/json", &format!("content-type: {content}"));
        let reply = exchange(&served, &(request + &list)).await;
        assert!(reply.starts_with(&format!("HTTP/1.1 {status} ")), "{content}: {reply}");
    }
    let pieces = format!("{:x}\r\n{list}\r\n0\r\n\r\n", list.len());
    for coding in ["gzip, chunked", "chunked, chunked", "chunked\r\ntransfer-encoding: chunked"] {
        let request = head(&served, &own, 0);
        let request = request.replace("content-length: 0", &format!("transfer-encoding: {coding}"));
        let reply = exchange(&served, &(request + &pieces)).await;
        assert!(reply.starts_with("HTTP/1.1 400 "), "{coding}: {reply}");
    }
}

/// Servers may accept bare line feeds; the checks see the same lines as the parser.
#[tokio::test]
async fn lines_that_end_in_lf_alone_are_lines() {
    let world = world();
    let served = serve(&world, |_| {}).await;
    let own = format!("mcp-session-id: {}\r\n", served.begin().await);
    let list = message(1, "tools/list", &json!({}));
    for (more, status) in [
        ("", 200),
        ("host: evil.example\r\n", 400),
        ("transfer-encoding: chunked\r\n", 400),
        ("content-encoding: gzip\r\n", 415),
    ] {
        let request = head(&served, &format!("{own}{more}"), list.len()).replace("\r\n", "\n");
        let reply = exchange(&served, &(request + &list)).await;
        assert!(reply.starts_with(&format!("HTTP/1.1 {status} ")), "{more}: {reply}");
    }
}

#[tokio::test]
async fn what_is_no_message_is_told_what_it_is() {
    let world = world();
    let served = serve(&world, |_| {}).await;
    let session = served.begin().await;
    let nested = "[".repeat(1 << 20);
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        (&nested, -32700),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","method":7}"#, -32600),
    ] {
        let reply = served.request("POST", &[("mcp-session-id", &session)], body).await;
        assert_eq!(reply.status, 400, "{body:.80}: {}", reply.body);
        let answer = reply.answer();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &Value::Null));
    }
    assert!(served.read_in(&session).await.text().contains(LINE));
}

#[tokio::test]
async fn clients_name_no_folders_where_they_may_not() {
    let world = World::with(ToolSet::Full, |settings, _| settings.asks_for_roots = false);
    world.write("a.txt", lines());
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("b.txt"), "of the other\n").unwrap();
    let roots = vec![other.path().to_owned()].into();
    let client = world.connect(Desk { has_roots: true, roots, ..Desk::default() }).await;
    assert!(call(&client, "read_file", json!({"path": "a.txt"})).await.contains(LINE));
    let outside = other.path().join("b.txt").display().to_string();
    assert_eq!(ask(&client, "read_file", json!({"path": outside})).await.is_error, Some(true));
}
