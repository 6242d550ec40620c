//! Reads an answer while its bytes pass by.

use super::answer::{Answer, AnswerError, ERROR_BYTES_MAX, cut};
use super::draft::Draft;
use super::protocols::{chat, gemini, messages, responses};
use super::sse::EventSplitter;
use crate::protocol::Protocol;

/// Of a larger JSON document nothing is read.
pub const DOCUMENT_BYTES_MAX: usize = 8 << 20;

/// Reads one answer: what was billed, which model answered, how it ended. Takes the bytes in
/// any pieces, as the provider sent them but with any content encoding undone, and changes none.
///
/// What it cannot read it passes over: the answer then tells less.
#[derive(Debug)]
pub struct AnswerReader {
    protocol: Protocol,
    status: u16,
    form: Form,
    draft: Draft,
    events: u64,
}

/// How the answer's bytes are read.
#[derive(Debug)]
enum Form {
    /// Not known before the first byte.
    Unknown,
    Events(EventSplitter),
    /// What came of a JSON document, as long as it is in bounds.
    Document(Vec<u8>),
    /// In a form that is not read, or too large.
    Unread,
}

impl AnswerReader {
    /// A reader for an answer with this `Content-Type` and HTTP status.
    pub fn new(protocol: Protocol, content_type: Option<&str>, status: u16) -> Self {
        let form = form(content_type.unwrap_or_default());
        AnswerReader { protocol, status, form, draft: Draft::default(), events: 0 }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if let Form::Unknown = self.form {
            match bytes.trim_ascii_start().first() {
                None => return,
                Some(b'{' | b'[') => self.form = Form::Document(Vec::new()),
                // An error's body in plain words is no stream.
                Some(_) if self.status >= 400 => self.form = Form::Document(Vec::new()),
                Some(_) => self.form = Form::Events(EventSplitter::default()),
            }
        }
        match &mut self.form {
            Form::Events(splitter) => {
                let (protocol, draft, events) = (self.protocol, &mut self.draft, &mut self.events);
                splitter.push(bytes, &mut |event| {
                    *events += 1;
                    read_event(protocol, draft, event.name, event.data);
                });
            }
            Form::Document(kept) if kept.len() + bytes.len() <= DOCUMENT_BYTES_MAX => {
                kept.extend_from_slice(bytes);
            }
            Form::Document(_) => self.form = Form::Unread,
            Form::Unknown | Form::Unread => {}
        }
    }

    /// How many events of a stream have come so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Ends the answer: no more bytes come, for whatever reason.
    pub fn finish(mut self) -> Answer {
        let (protocol, draft) = (self.protocol, &mut self.draft);
        match self.form {
            Form::Events(splitter) => splitter.finish(&mut |event| {
                read_event(protocol, draft, event.name, event.data);
            }),
            Form::Document(json) => {
                read_document(protocol, draft, &json);
                if self.status >= 400 && draft.error.is_none() {
                    draft.error = Some(plain_error(&json));
                }
            }
            Form::Unknown | Form::Unread => {}
        }
        self.draft.end(protocol)
    }
}

fn form(content_type: &str) -> Form {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind == "text/event-stream" {
        Form::Events(EventSplitter::default())
    } else if kind.ends_with("json") {
        Form::Document(Vec::new())
    } else if kind.is_empty() || kind.starts_with("text/") {
        Form::Unknown
    } else {
        Form::Unread
    }
}

fn read_event(protocol: Protocol, draft: &mut Draft, name: &[u8], data: &[u8]) {
    match protocol {
        Protocol::Messages => messages::event(draft, name, data),
        Protocol::Chat => chat::event(draft, data),
        Protocol::Responses => responses::event(draft, name, data),
        Protocol::Gemini => gemini::event(draft, data),
    }
}

fn read_document(protocol: Protocol, draft: &mut Draft, json: &[u8]) {
    match protocol {
        Protocol::Messages => messages::document(draft, json),
        Protocol::Chat => chat::document(draft, json),
        Protocol::Responses => responses::document(draft, json),
        Protocol::Gemini => gemini::document(draft, json),
    }
}

/// An error body in none of the providers' forms: a page of a proxy, a line of text.
fn plain_error(body: &[u8]) -> AnswerError {
    let text = String::from_utf8_lossy(&body[..body.len().min(ERROR_BYTES_MAX)]);
    AnswerError { kind: None, message: cut(text.trim(), ERROR_BYTES_MAX) }
}
