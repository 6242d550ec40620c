//! A whole answer in several rounds, as one document.

use super::chat::ChatDocument;
use super::gemini::GeminiDocument;
use super::messages_document::MessagesDocument;
use super::responses::ResponsesDocument;
use super::turn::Turn;
use crate::protocol::Protocol;

/// Tells the documents of several rounds as one: the first one's (of Responses and of Gemini the last
/// one's), with what all of them say, the last one's reason to stop and the usage of all.
#[derive(Debug)]
pub struct RoundDocument(Document);

/// The document, by its API.
#[derive(Debug)]
enum Document {
    Messages(Box<MessagesDocument>),
    Chat(Box<ChatDocument>),
    Responses(Box<ResponsesDocument>),
    Gemini(Box<GeminiDocument>),
}

impl RoundDocument {
    /// For answers of this API.
    pub fn new(protocol: Protocol) -> Self {
        Self(match protocol {
            Protocol::Messages => Document::Messages(Box::default()),
            Protocol::Chat => Document::Chat(Box::default()),
            Protocol::Responses => Document::Responses(Box::default()),
            Protocol::Gemini => Document::Gemini(Box::default()),
        })
    }

    /// Takes the answer of a round; `None` where it is none that can be read.
    pub fn take(&mut self, bytes: Vec<u8>) -> Option<Turn> {
        match &mut self.0 {
            Document::Messages(document) => document.take(bytes),
            Document::Chat(document) => document.take(&bytes),
            Document::Responses(document) => document.take(bytes),
            Document::Gemini(document) => document.take(&bytes),
        }
    }

    /// Goes on with another answer.
    pub fn next(&mut self) {
        match &mut self.0 {
            Document::Messages(document) => document.next(),
            Document::Chat(document) => document.next(),
            Document::Responses(document) => document.next(),
            Document::Gemini(document) => document.next(),
        }
    }

    /// The one answer. Where `ends`, it tells that the turn ended, since nothing comes of its
    /// calls.
    pub fn told(&self, ends: bool) -> Vec<u8> {
        match &self.0 {
            Document::Messages(document) => document.told(ends),
            Document::Chat(document) => document.told(ends),
            Document::Responses(document) => document.told(),
            Document::Gemini(document) => document.told(),
        }
    }
}
