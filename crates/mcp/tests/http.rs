//! HTTP clients, message by message.

use std::net::SocketAddr;
use std::time::Duration;

use foveal_mcp::http::{self, AccessToken, HttpSettings};
use foveal_tools::tool_table::ToolSet;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::world::{World, lines};

const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// A listening server.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    _stop: DropGuard,
}

/// A response.
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        let is_it = |line: &&str| {
            line.split_once(':').is_some_and(|(key, _)| key.eq_ignore_ascii_case(name))
        };
        self.head.lines().find(is_it).map(|line| line[name.len() + 1..].trim())
    }

    /// Returns the answer in it, whether it is the whole body or a server-sent event.
    pub(crate) fn answer(&self) -> Value {
        let event = self.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        let text = event.filter(|data| data.starts_with('{')).unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|_| panic!("no answer in {}", self.body))
    }

    pub(crate) fn text(&self) -> String {
        self.answer()["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }
}

pub(crate) async fn serve(world: &World, change: impl FnOnce(&mut HttpSettings)) -> Served {
    let mut settings = HttpSettings::new(([127, 0, 0, 1], 0).into());
    change(&mut settings);
    let listener = TcpListener::bind(settings.address).await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let (server, stopping) = (world.server.clone(), stop.clone());
    tokio::spawn(async move { http::serve_listener(&server, &settings, listener, stopping).await });
    Served { address, _stop: stop.drop_guard() }
}

impl Served {
    pub(crate) async fn request(
        &self,
        method: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let host = self.address.to_string();
        let mut head = format!("{method} /mcp HTTP/1.1\r\nconnection: close\r\n");
        let common = [
            ("host", &*host),
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
        ];
        let is_given = |name: &str| headers.iter().any(|(given, _)| *given == name);
        let common = common.iter().filter(|(name, _)| !is_given(name));
        for (name, value) in common.chain(headers) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut reply = Vec::new();
        let read = stream.read_to_end(&mut reply);
        tokio::time::timeout(Duration::from_secs(20), read).await.unwrap().unwrap();
        let reply = String::from_utf8(reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head: head.to_owned(), body: unchunked(head, body) }
    }

    /// Starts a session and returns its id.
    pub(crate) async fn begin(&self) -> String {
        self.try_begin().await.expect("there is room")
    }

    /// Starts a session and returns its id, if the server has room.
    pub(crate) async fn try_begin(&self) -> Option<String> {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}});
        let reply = self.request("POST", &[], &message(1, "initialize", &params)).await;
        if reply.status == 503 {
            return None;
        }
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_eq!(reply.answer()["result"]["serverInfo"]["name"], "foveal");
        Some(reply.header("mcp-session-id").unwrap().to_owned())
    }

    pub(crate) async fn read_in(&self, session: &str) -> Reply {
        let read = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
        self.request("POST", &[("mcp-session-id", session)], &message(2, "tools/call", &read)).await
    }

    /// Sends a call outside of a session, perhaps of a named conversation.
    async fn read_alone(&self, name: Option<&str>) -> Reply {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        if let Some(name) = name {
            meta["foveal/session"] = name.into();
        }
        let arguments = json!({"path": "a.txt"});
        let params = json!({"name": "read_file", "arguments": arguments, "_meta": meta});
        let headers = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "read_file"),
        ];
        self.request("POST", &headers, &message(3, "tools/call", &params)).await
    }
}

pub(crate) fn message(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn unchunked(head: &str, body: &str) -> String {
    if !head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let (mut rest, mut whole) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&after[..size]);
        rest = after.get(size + 2..).unwrap_or_default();
    }
    whole
}

fn is_whole(reply: &Reply) -> bool {
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.text().contains("line number 45")
}

#[tokio::test]
async fn sessions_are_told_apart_and_end() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let served = serve(&world, |_| {}).await;
    let (one, two) = (served.begin().await, served.begin().await);
    assert!(is_whole(&served.read_in(&one).await));
    assert!(!is_whole(&served.read_in(&one).await));
    assert!(is_whole(&served.read_in(&two).await));
    let closed = served.request("DELETE", &[("mcp-session-id", &one)], "").await;
    assert_eq!(closed.status, 200, "{}", closed.body);
    assert_eq!(served.read_in(&one).await.status, 404);
    assert!(!is_whole(&served.read_in(&two).await));
}

#[tokio::test]
async fn sessions_that_are_too_many_end() {
    let world = World::with(ToolSet::Full, |settings, folder| {
        settings.roots.push(folder.to_owned());
        settings.sessions_max = 2;
    });
    world.write("a.txt", lines());
    let served = serve(&world, |_| {}).await;
    let (one, two) = (served.begin().await, served.begin().await);
    assert!(is_whole(&served.read_in(&two).await));
    assert!(is_whole(&served.read_in(&one).await));
    let three = served.begin().await;
    assert_eq!(served.read_in(&two).await.status, 404);
    assert!(!is_whole(&served.read_in(&one).await));
    assert!(is_whole(&served.read_in(&three).await));
}

#[tokio::test]
async fn requests_of_nobody_known_are_pointed_at_nothing() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let served = serve(&world, |_| {}).await;
    assert!(is_whole(&served.read_alone(None).await));
    assert!(is_whole(&served.read_alone(None).await));
    // Unless they say whose they are.
    assert!(is_whole(&served.read_alone(Some("one")).await));
    assert!(!is_whole(&served.read_alone(Some("one")).await));
    assert!(is_whole(&served.read_alone(Some("two")).await));
    assert!(is_whole(&served.read_alone(None).await));
}

#[tokio::test]
async fn pages_of_others_and_borrowed_names_are_refused() {
    let world = World::new(ToolSet::Full);
    let served =
        serve(&world, |settings| settings.origins.push("https://a.example:443".into())).await;
    let list = message(1, "tools/list", &json!({}));
    for headers in [
        [("host", "evil.example")],
        [("host", "127.0.0.1.evil.example")],
        [("host", "localhost:1")],
        [("origin", "https://evil.example")],
        [("origin", "http://localhost:3000")],
        [("origin", "null")],
    ] {
        let reply = served.request("POST", &headers, &list).await;
        assert_eq!(reply.status, 403, "{headers:?} {}", reply.body);
    }
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let initialize = message(1, "initialize", &params);
    let own = format!("localhost:{}", served.address.port());
    for headers in [
        [("host", "localhost")],
        [("host", &own)],
        [("host", "[::1]")],
        [("origin", "https://a.example")],
    ] {
        let reply = served.request("POST", &headers, &initialize).await;
        assert_eq!(reply.status, 200, "{headers:?} {}", reply.body);
    }
}

#[tokio::test]
async fn a_token_is_shown_with_every_request() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let served = serve(&world, |settings| {
        settings.is_public = true;
        settings.token = AccessToken::new(SECRET);
    })
    .await;
    let list = message(1, "tools/list", &json!({}));
    for method in ["POST", "GET", "DELETE", "OPTIONS"] {
        let reply = served.request(method, &[], &list).await;
        assert_eq!((reply.status, reply.header("www-authenticate")), (401, Some("Bearer")));
        let wrong = ("authorization", "Bearer 0123456789abcdef0123456789abcdee");
        assert_eq!(served.request(method, &[wrong], &list).await.status, 401);
    }
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let shown = ("authorization", &*format!("Bearer {SECRET}"));
    // Whatever name leads here.
    let headers = [shown, ("host", "box.example:8000")];
    let reply = served.request("POST", &headers, &message(1, "initialize", &params)).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
}

#[tokio::test]
async fn malformed_requests_end_nothing() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let served = serve(&world, |_| {}).await;
    let session = served.begin().await;
    for body in ["", "{", "[]", "null", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#] {
        let reply = served.request("POST", &[("mcp-session-id", &session)], body).await;
        assert!(
            (400..500).contains(&reply.status) || reply.answer()["error"].is_object(),
            "{body}"
        );
    }
    let list = message(1, "tools/list", &json!({}));
    for (method, headers, status) in [
        ("PUT", vec![], 405),
        ("POST", vec![("mcp-session-id", "no-such-session")], 404),
        ("POST", vec![("content-type", "text/plain")], 415),
        ("POST", vec![("accept", "text/html")], 406),
    ] {
        let reply = served.request(method, &headers, &list).await;
        assert_eq!(reply.status, status, "{method} {headers:?} {}", reply.body);
    }
    let mut garbage = TcpStream::connect(served.address).await.unwrap();
    garbage.write_all(&[0xff; 5_000]).await.unwrap();
    assert!(is_whole(&served.read_in(&session).await));
}
