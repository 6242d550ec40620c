//! Parses the lines of a client, for tests and fuzzing.

use tokio::io::AsyncWriteExt;

use crate::line_reader::{BoundedLineReader, InputLine};
use crate::message::{JsonRpcRefusal, ParsedMessage, parse_message};

/// The result of parsing one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParsedLine {
    /// A message, as JSON of what was parsed.
    Message(String),
    /// A line that gets no answer.
    Ignored,
    /// A refused line, with the error response as JSON.
    Refused(String),
}

/// Parses the lines of a client that sends `bytes` in pieces of `piece` bytes.
pub async fn parse_lines(bytes: &[u8], piece: usize) -> Vec<ParsedLine> {
    let (near, mut far) = tokio::io::duplex(piece.max(1));
    let send = async move {
        // The reader stops early only after it has read everything.
        drop(far.write_all(bytes).await);
    };
    let read = async {
        let mut lines = BoundedLineReader::new(near);
        let mut taken = Vec::new();
        while let Ok(Some(line)) = lines.read_line().await {
            taken.push(match line {
                InputLine::Complete(line) => parse_line(&line),
                InputLine::TooLong => refusal_as_line(JsonRpcRefusal::too_long()),
            });
        }
        taken
    };
    tokio::join!(send, read).1
}

fn parse_line(line: &[u8]) -> ParsedLine {
    match parse_message(line) {
        ParsedMessage::Message(message) => {
            ParsedLine::Message(serde_json::to_string(&message).expect("it came as JSON"))
        }
        ParsedMessage::Ignored => ParsedLine::Ignored,
        ParsedMessage::Refused(refusal) => refusal_as_line(refusal),
    }
}

fn refusal_as_line(refusal: JsonRpcRefusal) -> ParsedLine {
    ParsedLine::Refused(
        serde_json::to_string(&refusal.into_error_response()).expect("an error is JSON"),
    )
}
