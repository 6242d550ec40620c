//! Failures of a provider, as clients meet them.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::http;
use super::plan::Fault;

/// The pause between two parts of a slow stream.
const PAUSE: Duration = Duration::from_millis(150);

/// How many parts a slow stream comes in.
const PARTS: usize = 12;

/// Answers with a failure; `stream` is the answer of a provider that works.
pub(crate) fn write(stream: &TcpStream, fault: Fault, answer: &str) -> io::Result<()> {
    match fault {
        Fault::Status(status) => http::write(stream, status, "application/json", &error(status)),
        Fault::CutStream => {
            start(stream)?;
            // The end of the last part never comes.
            chunk(stream, &answer.as_bytes()[..answer.len() / 2])
        }
        Fault::SlowStream => {
            start(stream)?;
            for part in answer.as_bytes().chunks(answer.len().div_ceil(PARTS)) {
                thread::sleep(PAUSE);
                chunk(stream, part)?;
            }
            chunk(stream, b"")
        }
    }
}

/// An error in words that each protocol's clients understand.
fn error(status: u16) -> String {
    let kind = match status {
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "code": status, "message": "Scripted fault."}})
        .to_string()
}

fn start(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 Scripted\r\ncontent-type: text/event-stream\r\n\
          transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
    )
}

fn chunk(mut stream: &TcpStream, part: &[u8]) -> io::Result<()> {
    write!(stream, "{:x}\r\n", part.len())?;
    stream.write_all(part)?;
    stream.write_all(b"\r\n")?;
    stream.flush()
}
