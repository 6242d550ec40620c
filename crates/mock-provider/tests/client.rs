//! A minimal client that shows the bytes as sent.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use foveal_mock_provider::{MockProvider, Settings};
use foveal_protocols::Protocol;
use serde_json::Value;

/// A busy machine may take long to count the first tokens.
const HEAD_PATIENCE: Duration = Duration::from_secs(60);

/// A response as received.
#[derive(Debug, Default)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: String,
    /// The received part of the body.
    pub(crate) body: Vec<u8>,
    /// Whether the body ended in good form.
    pub(crate) is_whole: bool,
    /// Whether the connection was reset.
    pub(crate) is_reset: bool,
    /// The times at which the head and each chunk of the body arrived.
    pub(crate) times: Vec<Duration>,
}

impl Got {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the answer is JSON")
    }
}

pub(crate) fn upstream() -> MockProvider {
    MockProvider::start(Settings::default()).expect("loopback can be listened on")
}

/// The path of a request for an answer.
pub(crate) fn path(protocol: Protocol, is_stream: bool) -> &'static str {
    match (protocol, is_stream) {
        (Protocol::Messages, _) => "/v1/messages?beta=true",
        (Protocol::Chat, _) => "/v1/chat/completions",
        (Protocol::Responses, _) => "/v1/responses",
        (Protocol::Gemini, false) => "/v1beta/models/gemini-2.5-pro:generateContent",
        (Protocol::Gemini, true) => "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    }
}

/// Sends a request, and reads for at most `patience` from the head of the answer on.
pub(crate) fn ask_for(
    address: SocketAddr,
    path: &str,
    headers: &str,
    body: &[u8],
    patience: Duration,
) -> Got {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("it reads");
    stream.write_all(body).expect("it reads");
    let mut got = Got::default();
    let start = Instant::now();
    if let Err(error) = read(BufReader::new(stream), &mut got, start, patience) {
        got.is_reset = error.kind() == ErrorKind::ConnectionReset;
    }
    got
}

pub(crate) fn ask(upstream: &MockProvider, protocol: Protocol, body: &Value) -> Got {
    let path = path(protocol, body["stream"] == true);
    let body = body.to_string();
    ask_for(upstream.address(), path, "", body.as_bytes(), Duration::from_secs(20))
}

fn line(reader: &mut BufReader<TcpStream>, end: Instant) -> io::Result<String> {
    let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    reader.get_ref().set_read_timeout(Some(left))?;
    let mut line = String::new();
    match reader.read_line(&mut line)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        _ => Ok(line.trim_end().to_owned()),
    }
}

fn read(
    mut reader: BufReader<TcpStream>,
    got: &mut Got,
    start: Instant,
    patience: Duration,
) -> io::Result<()> {
    let status = line(&mut reader, start + HEAD_PATIENCE)?;
    let end = Instant::now() + patience;
    got.status = status.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    loop {
        let header = line(&mut reader, end)?;
        if header.is_empty() {
            break;
        }
        got.headers += &format!("{}\n", header.to_lowercase());
    }
    got.times.push(start.elapsed());
    let length = got.headers.lines().find_map(|line| line.strip_prefix("content-length: "));
    if let Some(length) = length.and_then(|length| length.parse::<usize>().ok()) {
        got.body = vec![0; length];
        reader.read_exact(&mut got.body)?;
        got.is_whole = true;
        return Ok(());
    }
    loop {
        let size = usize::from_str_radix(&line(&mut reader, end)?, 16).unwrap_or(0);
        if size == 0 {
            got.is_whole = true;
            return Ok(());
        }
        let mut chunk = vec![0; size];
        let read = reader.read_exact(&mut chunk);
        read?;
        got.body.extend_from_slice(&chunk);
        got.times.push(start.elapsed());
        line(&mut reader, end)?;
    }
}
