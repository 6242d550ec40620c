//! An upstream that follows a script, byte by byte.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// The steps of an upstream on one connection.
pub(crate) enum Act {
    /// Reads one request to the end of its body.
    Read,
    /// Writes bytes.
    Write(Vec<u8>),
    /// Waits until the test resumes it.
    Wait,
    /// Waits until the other side closes, and reports it.
    AwaitClose,
    /// Resets the connection.
    Reset,
}

impl Act {
    pub(crate) fn write(text: &str) -> Self {
        Self::Write(text.as_bytes().to_vec())
    }
}

/// The received bytes of a connection.
#[derive(Debug, Default, Clone)]
pub(crate) struct Connection {
    /// The bytes of each request, head and body.
    pub(crate) requests: Vec<Vec<u8>>,
    pub(crate) was_closed: bool,
}

/// An upstream.
pub(crate) struct Scripted {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Connection>>>,
    go_on: mpsc::UnboundedSender<()>,
    closed: mpsc::UnboundedReceiver<()>,
}

impl Scripted {
    /// Listens; each connection follows the next script.
    pub(crate) async fn start(scripts: Vec<Vec<Act>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("an open connection");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Mutex::new(vec![Connection::default(); scripts.len()]));
        let (go_on, mut wait) = mpsc::unbounded_channel();
        let (tell_closed, closed) = mpsc::unbounded_channel();
        let noted = Arc::clone(&seen);
        tokio::spawn(async move {
            for (at, script) in scripts.into_iter().enumerate() {
                let (mut stream, _) = listener.accept().await.expect("an open connection");
                for act in script {
                    if play(&mut stream, act, &mut wait, (&noted, at)).await {
                        let _ = tell_closed.send(());
                    }
                }
            }
        });
        Self { address, seen, go_on, closed }
    }

    /// Resumes an upstream that waits.
    pub(crate) fn go_on(&self) {
        self.go_on.send(()).expect("an upstream");
    }

    /// Waits until the upstream has seen the other side close.
    pub(crate) async fn closed(&mut self) {
        self.closed.recv().await.expect("an open connection");
    }

    /// Returns the received bytes of each connection so far.
    pub(crate) fn seen(&self) -> Vec<Connection> {
        self.seen.lock().expect("a lock").clone()
    }

    /// Returns the only request.
    pub(crate) fn request(&self) -> Vec<u8> {
        let seen = self.seen();
        let requests: Vec<_> = seen.into_iter().flat_map(|seen| seen.requests).collect();
        assert_eq!(requests.len(), 1, "one request was expected");
        requests.into_iter().next().expect("a request")
    }
}

/// Executes one step; returns whether the other side was seen to close.
async fn play(
    stream: &mut TcpStream,
    act: Act,
    wait: &mut mpsc::UnboundedReceiver<()>,
    (seen, at): (&Mutex<Vec<Connection>>, usize),
) -> bool {
    match act {
        Act::Read => {
            let request = read_request(stream).await;
            seen.lock().expect("a lock")[at].requests.push(request);
        }
        Act::Write(bytes) => drop(stream.write_all(&bytes).await),
        Act::Wait => drop(wait.recv().await),
        Act::AwaitClose => {
            let mut rest = [0; 1024];
            while matches!(stream.read(&mut rest).await, Ok(count) if count > 0) {}
            seen.lock().expect("a lock")[at].was_closed = true;
            return true;
        }
        Act::Reset => drop(stream.set_zero_linger()),
    }
    false
}

/// Reads a head, and the declared length of the body.
async fn read_request(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut part = vec![0; 64 << 10];
    loop {
        if let Some(head) = head_length(&bytes)
            && is_whole(&bytes[..head], &bytes[head..])
        {
            return bytes;
        }
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return bytes,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
        }
    }
}

fn head_length(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

fn is_whole(head: &[u8], body: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    if head.contains("transfer-encoding: chunked") {
        return body.ends_with(b"0\r\n\r\n");
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    body.len() >= length.map_or(0, |length| length.trim().parse().expect("a number or an address"))
}

/// Returns the head's lines and the body of a request.
pub(crate) fn request_line(request: &[u8]) -> (Vec<String>, Vec<u8>) {
    let head = head_length(request).expect("a head");
    let lines = String::from_utf8_lossy(&request[..head - 4]).lines().map(str::to_owned).collect();
    (lines, request[head..].to_vec())
}
