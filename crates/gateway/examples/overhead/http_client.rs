//! A minimal HTTP client.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// A persistent connection.
pub(crate) struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, read: vec![0; 64 << 10] })
    }

    /// Returns the time to the beginning of the response.
    pub(crate) fn ask(&mut self, body: &[u8]) -> io::Result<Duration> {
        let head = format!(
            "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx-api-key: none\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let began = Instant::now();
        self.stream.write_all(head.as_bytes())?;
        self.stream.write_all(body)?;
        let mut count = self.stream.read(&mut self.read)?;
        let passed = began.elapsed();
        while !is_whole(&self.read[..count])? {
            let more = self.stream.read(&mut self.read[count..])?;
            if more == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            count += more;
        }
        Ok(passed)
    }
}

/// Returns whether a response is complete.
fn is_whole(read: &[u8]) -> io::Result<bool> {
    let text = std::str::from_utf8(read).map_err(io::Error::other)?;
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return Ok(false) };
    if !head.starts_with("HTTP/1.1 200") {
        return Err(io::Error::other(text.to_owned()));
    }
    let head = head.to_ascii_lowercase();
    Ok(match head.split_once("content-length: ") {
        Some((_, length)) => {
            let length = length.lines().next().and_then(|length| length.trim().parse().ok());
            Some(body.len()) >= length
        }
        None => body.ends_with("0\r\n\r\n"),
    })
}

/// Lets this many clients send requests as fast as they can; returns requests per second. `body`
/// returns the body of a client's next request.
pub(crate) fn load(
    address: SocketAddr,
    clients: usize,
    time: Duration,
    body: impl Fn(usize, usize) -> Vec<u8> + Sync,
) -> io::Result<f64> {
    let body = &body;
    let began = Instant::now();
    let counts: io::Result<Vec<usize>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients)
            .map(|client| {
                scope.spawn(move || {
                    let mut connection = Client::connect(address)?;
                    let mut asked = 0;
                    while began.elapsed() < time {
                        connection.ask(&body(client, asked))?;
                        asked += 1;
                    }
                    Ok(asked)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a client")).collect()
    });
    Ok(counts?.iter().sum::<usize>() as f64 / began.elapsed().as_secs_f64())
}
