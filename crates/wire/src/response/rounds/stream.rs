//! A streamed answer in several rounds, as one stream.

use super::blocks::{self, Block, Blocks};
use super::chat::Chat;
use super::gemini::Gemini;
use super::messages::Messages;
use super::responses::Responses;
use super::turn::Turn;
use crate::protocol::Protocol;

/// Tells the streams of several rounds as one. Its bytes come in any pieces, and go on event by
/// event.
///
/// The last events of a turn that calls the tool are held back, and so are those of every turn
/// behind one: [`RoundStream::ended`] then tells the turn. Whoever reads that goes on with
/// [`RoundStream::next`] and the events of the next answer, or with [`RoundStream::release`].
#[derive(Debug)]
pub struct RoundStream {
    blocks: Blocks,
    answer: Answer,
    has_ended: bool,
}

/// The answer, by its API.
#[derive(Debug)]
enum Answer {
    Messages(Messages),
    Chat(Chat),
    Responses(Responses),
    Gemini(Gemini),
}

impl RoundStream {
    /// A stream of this API.
    pub fn new(protocol: Protocol) -> Self {
        let answer = match protocol {
            Protocol::Messages => Answer::Messages(Messages::default()),
            Protocol::Chat => Answer::Chat(Chat::default()),
            Protocol::Responses => Answer::Responses(Responses::default()),
            Protocol::Gemini => Answer::Gemini(Gemini::default()),
        };
        Self { blocks: Blocks::default(), answer, has_ended: false }
    }

    /// Takes bytes of this round's answer, and appends what the client is sent of them.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut ended = Vec::new();
        self.blocks.push(bytes, |block| ended.push(block.to_vec()));
        for block in ended {
            // Nothing of note comes behind the end.
            if self.has_ended {
                continue;
            }
            match blocks::read(&block) {
                Some(read) => self.has_ended = self.take(&block, &read, out),
                None => out.extend_from_slice(&block),
            }
        }
    }

    /// The turn, once it has ended and its end is held back.
    pub fn ended(&self) -> Option<Turn> {
        self.has_ended.then(|| self.turn())
    }

    /// What the client was shown of this round so far.
    pub fn shown(&self) -> Vec<String> {
        self.turn().shown
    }

    fn turn(&self) -> Turn {
        match &self.answer {
            Answer::Messages(answer) => answer.turn(),
            Answer::Chat(answer) => answer.turn(),
            Answer::Responses(answer) => answer.turn(),
            Answer::Gemini(answer) => answer.turn(),
        }
    }

    /// No more of this answer comes. A turn has ended then too where its last event is missing, as
    /// some servers leave it out.
    pub fn close(&mut self, out: &mut Vec<u8>) {
        if self.has_ended {
            return;
        }
        let rest = self.blocks.take_rest();
        match blocks::read(&rest) {
            Some(read) => self.has_ended = self.take(&rest, &read, out),
            None => out.extend_from_slice(&rest),
        }
        self.has_ended |= match &self.answer {
            Answer::Messages(answer) => answer.holds(),
            Answer::Chat(answer) => answer.holds(),
            Answer::Responses(answer) => answer.holds(),
            Answer::Gemini(answer) => answer.holds(),
        };
    }

    fn take(&mut self, raw: &[u8], read: &Block, out: &mut Vec<u8>) -> bool {
        match &mut self.answer {
            Answer::Messages(answer) => answer.take(raw, read, out),
            Answer::Chat(answer) => answer.take(raw, read, out),
            Answer::Responses(answer) => answer.take(raw, read, out),
            Answer::Gemini(answer) => {
                answer.take(raw, read, out);
                false
            }
        }
    }

    /// Whether an event is longer than any may be: then nothing can be told of the answer.
    pub fn is_too_long(&self) -> bool {
        self.blocks.is_too_long()
    }

    /// Goes on with another answer.
    pub fn next(&mut self) {
        self.blocks = Blocks::default();
        match &mut self.answer {
            Answer::Messages(answer) => answer.next(),
            Answer::Chat(answer) => answer.next(),
            Answer::Responses(answer) => answer.next(),
            Answer::Gemini(answer) => answer.next(),
        }
        self.has_ended = false;
    }

    /// Appends what was held back, with the usage of all rounds. Where `ends`, the client is told
    /// that the turn ended, since nothing comes of its calls.
    pub fn release(&mut self, ends: bool, out: &mut Vec<u8>) {
        match &mut self.answer {
            Answer::Messages(answer) => answer.release(ends, out),
            Answer::Chat(answer) => answer.release(ends, out),
            // Their turns end alike, whether or not they call anything.
            Answer::Responses(answer) => answer.release(out),
            Answer::Gemini(answer) => answer.release(out),
        }
        self.has_ended = false;
    }

    /// Appends what is left when no more comes.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.release(false, out);
        let rest = self.blocks.take_rest();
        match blocks::read(&rest) {
            Some(read) => {
                self.take(&rest, &read, out);
                self.release(false, out);
            }
            None => out.extend_from_slice(&rest),
        }
    }

    /// The event by which an API tells that something went wrong.
    pub fn error(protocol: Protocol, kind: &str, message: &str) -> Vec<u8> {
        let (name, error) = match protocol {
            Protocol::Messages => (
                "event: error\n",
                serde_json::json!({"type": "error", "error": {"type": kind, "message": message}}),
            ),
            Protocol::Responses => (
                "event: error\n",
                serde_json::json!({"type": "error", "code": kind, "message": message, "param": null}),
            ),
            Protocol::Chat => {
                ("", serde_json::json!({"error": {"type": kind, "code": kind, "message": message}}))
            }
            Protocol::Gemini => {
                let code = status_of(kind);
                let error = serde_json::json!({"code": code, "message": message, "status": kind});
                ("", serde_json::json!({ "error": error }))
            }
        };
        format!("{name}data: {error}\n\n").into_bytes()
    }
}

/// The HTTP status of an error that Google's APIs call so (`google.rpc.Code`).
fn status_of(kind: &str) -> u16 {
    match kind {
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" => 400,
        "UNAUTHENTICATED" => 401,
        "PERMISSION_DENIED" => 403,
        "NOT_FOUND" => 404,
        "RESOURCE_EXHAUSTED" => 429,
        "UNAVAILABLE" => 503,
        "DEADLINE_EXCEEDED" => 504,
        _ => 500,
    }
}
