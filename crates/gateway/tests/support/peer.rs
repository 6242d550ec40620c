//! A client that writes and reads byte by byte.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection to the gateway.
pub(crate) struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

/// A received response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self {
            stream: TcpStream::connect(address).await.expect("an open connection"),
            read: Vec::new(),
        }
    }

    /// Sends a request with a body; `lines` are additional headers.
    pub(crate) async fn send(&mut self, path: &str, lines: &[&str], body: &[u8]) {
        let mut head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\n");
        for line in lines {
            head.push_str(line);
            head.push_str("\r\n");
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        self.write(head.as_bytes()).await;
        self.write(body).await;
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("an open connection");
    }

    /// Writes as long as the other side accepts bytes.
    pub(crate) async fn try_write(&mut self, bytes: &[u8]) {
        drop(self.stream.write_all(bytes).await);
    }

    /// Closes the writing side; reading continues.
    pub(crate) async fn finish(&mut self) {
        drop(self.stream.shutdown().await);
    }

    /// Reads until `text` has arrived.
    pub(crate) async fn read_until(&mut self, text: &str) -> String {
        loop {
            let so_far = String::from_utf8_lossy(&self.read).into_owned();
            if so_far.contains(text) {
                return so_far;
            }
            assert!(self.more().await, "closed before `{text}`: {so_far}");
        }
    }

    /// Reads until the other side closes. `Err` if it broke off.
    pub(crate) async fn read_to_end(mut self) -> Result<Vec<u8>, Vec<u8>> {
        let mut part = vec![0; 64 << 10];
        loop {
            match self.stream.read(&mut part).await {
                Ok(0) => return Ok(self.read),
                Ok(count) => self.read.extend_from_slice(&part[..count]),
                Err(_) => return Err(self.read),
            }
        }
    }

    /// Reads a response with a declared length.
    pub(crate) async fn answer(&mut self) -> Answer {
        loop {
            if let Some(answer) = self.take_answer() {
                return answer;
            }
            assert!(self.more().await, "closed early: {}", String::from_utf8_lossy(&self.read));
        }
    }

    fn take_answer(&mut self) -> Option<Answer> {
        let head = self.read.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
        let lines = String::from_utf8_lossy(&self.read[..head]).into_owned();
        let lower = lines.to_ascii_lowercase();
        let length = lower.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize =
            length.map_or(0, |length| length.trim().parse().expect("a number or an address"));
        (self.read.len() >= head + length).then(|| {
            let rest = self.read.split_off(head + length);
            let mut whole = std::mem::replace(&mut self.read, rest);
            Answer { body: whole.split_off(head), head: lines }
        })
    }

    async fn more(&mut self) -> bool {
        let mut part = vec![0; 64 << 10];
        match self.stream.read(&mut part).await {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                self.read.extend_from_slice(&part[..count]);
                true
            }
        }
    }
}
