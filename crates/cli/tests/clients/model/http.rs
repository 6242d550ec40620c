//! As much of HTTP as agents need of a server that answers each connection once.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request.
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    /// With its query.
    pub(crate) path: String,
    /// The lines of the head behind the first.
    pub(crate) headers: Vec<String>,
    pub(crate) body: Vec<u8>,
}

/// Reads a request.
pub(crate) fn read(stream: &TcpStream) -> io::Result<HttpRequest> {
    let mut input = BufReader::new(stream);
    let first = line(&mut input)?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut length, mut is_chunked) = (0, false);
    let mut headers = Vec::new();
    loop {
        let header = line(&mut input)?;
        if header.is_empty() {
            break;
        }
        headers.push(header.clone());
        let header = header.to_lowercase();
        let Some((name, value)) = header.split_once(':') else { continue };
        match (name, value.trim()) {
            ("content-length", value) => length = value.parse().unwrap_or(0),
            ("transfer-encoding", value) => is_chunked = value.contains("chunked"),
            ("expect", _) => (&*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
            _ => {}
        }
    }
    let mut body = Vec::new();
    if is_chunked {
        loop {
            let size = u64::from_str_radix(line(&mut input)?.trim(), 16).unwrap_or(0);
            input.by_ref().take(size).read_to_end(&mut body)?;
            line(&mut input)?;
            if size == 0 {
                break;
            }
        }
    } else {
        input.by_ref().take(length).read_to_end(&mut body)?;
    }
    Ok(HttpRequest { method, path, headers, body })
}

impl HttpRequest {
    /// The value of a header, whose name is given in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let headers = self.headers.iter().filter_map(|header| header.split_once(':'));
        headers
            .filter(|(of, _)| of.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .next()
    }
}

/// A line without its end.
fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// Writes a response, after which the connection is closed.
pub(crate) fn write(mut stream: &TcpStream, status: u16, kind: &str, body: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status} Scripted\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )?;
    stream.flush()
}
