//! What is made of the lines that a client sends, for tests that make up bytes.

use tokio::io::AsyncWriteExt;

use crate::lines::{Line, Lines};
use crate::message::{Parsed, Refusal, parse};

/// What one line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenLine {
    /// A message, as JSON of what was read of it.
    Message(String),
    /// Nothing that is answered.
    Nothing,
    /// What is not taken, with the answer as JSON.
    Refused(String),
}

/// The lines of a client that sends `bytes` in pieces of so many.
pub async fn taken_lines(bytes: &[u8], piece: usize) -> Vec<TakenLine> {
    let (near, mut far) = tokio::io::duplex(piece.max(1));
    let send = async move {
        // Whoever does not read any more has read it all.
        drop(far.write_all(bytes).await);
    };
    let read = async {
        let mut lines = Lines::new(near);
        let mut taken = Vec::new();
        while let Ok(Some(line)) = lines.next().await {
            taken.push(match line {
                Line::Whole(line) => taken_line(&line),
                Line::TooLong => refused(Refusal::too_long()),
            });
        }
        taken
    };
    tokio::join!(send, read).1
}

fn taken_line(line: &[u8]) -> TakenLine {
    match parse(line) {
        Parsed::Message(message) => {
            TakenLine::Message(serde_json::to_string(&message).expect("it came as JSON"))
        }
        Parsed::Nothing => TakenLine::Nothing,
        Parsed::Refused(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> TakenLine {
    TakenLine::Refused(serde_json::to_string(&refusal.answer()).expect("an error is JSON"))
}
