//! A client's persistent connection.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection to a server.
pub(crate) struct Connection(TcpStream);

impl Connection {
    pub(crate) async fn open(server: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        Ok(Self(stream))
    }

    /// Sends a request, and reads the response; returns its status.
    pub(crate) async fn ask(
        &mut self,
        path: &str,
        conversation: &str,
        body: &[u8],
    ) -> std::io::Result<u16> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nX-Test-Conversation: {conversation}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.0.write_all(head.as_bytes()).await?;
        self.0.write_all(body).await?;
        let mut read = Vec::new();
        loop {
            if let Some(status) = whole(&read) {
                return Ok(status);
            }
            if self.0.read_buf(&mut read).await? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// Returns the status of a response that is complete.
fn whole(read: &[u8]) -> Option<u16> {
    let head = read.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let lines = String::from_utf8_lossy(&read[..head]).to_ascii_lowercase();
    let length = lines.lines().find_map(|line| line.strip_prefix("content-length:"))?;
    let length: usize = length.trim().parse().ok()?;
    (read.len() >= head + length).then(|| lines.split(' ').nth(1)?.parse().ok()).flatten()
}
