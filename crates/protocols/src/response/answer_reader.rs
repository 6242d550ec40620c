//! Reads the metadata of an answer while its bytes pass.

use super::answer_metadata::{AnswerError, AnswerMetadata, ERROR_BYTES_MAX, truncate_text};
use super::answer_metadata_builder::AnswerMetadataBuilder;
use super::sse::EventSplitter;
use crate::protocol::Protocol;

/// Maximum size in bytes of a JSON document that is read.
pub const DOCUMENT_BYTES_MAX: usize = 8 << 20;

/// Reads usage, model, stop reason and completion of one answer. Accepts the bytes in any pieces,
/// as the provider sent them but with content encodings undone, and changes none.
///
/// Skips unreadable parts; the metadata then lacks their fields.
#[derive(Debug)]
pub struct AnswerReader {
    protocol: Protocol,
    status: u16,
    form: AnswerForm,
    draft: AnswerMetadataBuilder,
    events: u64,
}

/// The form of an answer's bytes.
#[derive(Debug)]
enum AnswerForm {
    /// Unknown before the first byte.
    Unknown,
    Events(EventSplitter),
    /// The bytes of a JSON document so far, within the size limit.
    Document(Vec<u8>),
    /// An unsupported form, or a document that is too large.
    Unsupported,
}

impl AnswerReader {
    /// Creates a reader for an answer with this `Content-Type` and HTTP status.
    pub fn new(protocol: Protocol, content_type: Option<&str>, status: u16) -> Self {
        let form = answer_form(content_type.unwrap_or_default());
        AnswerReader { protocol, status, form, draft: AnswerMetadataBuilder::default(), events: 0 }
    }

    /// Reads the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if let AnswerForm::Unknown = self.form {
            match bytes.trim_ascii_start().first() {
                None => return,
                Some(b'{' | b'[') => self.form = AnswerForm::Document(Vec::new()),
                // An error body in plain text is no stream.
                Some(_) if self.status >= 400 => self.form = AnswerForm::Document(Vec::new()),
                Some(_) => self.form = AnswerForm::Events(EventSplitter::default()),
            }
        }
        match &mut self.form {
            AnswerForm::Events(splitter) => {
                let (api, draft, events) = (self.protocol.api(), &mut self.draft, &mut self.events);
                splitter.push(bytes, &mut |event| {
                    *events += 1;
                    api.read_event(draft, event.name, event.data);
                });
            }
            AnswerForm::Document(kept) if kept.len() + bytes.len() <= DOCUMENT_BYTES_MAX => {
                kept.extend_from_slice(bytes);
            }
            AnswerForm::Document(_) => self.form = AnswerForm::Unsupported,
            AnswerForm::Unknown | AnswerForm::Unsupported => {}
        }
    }

    /// Returns the number of stream events so far.
    pub fn event_count(&self) -> u64 {
        self.events
    }

    /// Ends the answer: no more bytes come, whatever the cause.
    pub fn finish(mut self) -> AnswerMetadata {
        let (api, draft) = (self.protocol.api(), &mut self.draft);
        match self.form {
            AnswerForm::Events(splitter) => splitter.finish(&mut |event| {
                api.read_event(draft, event.name, event.data);
            }),
            AnswerForm::Document(json) => {
                api.read_document(draft, &json);
                if self.status >= 400 && draft.error.is_none() {
                    draft.error = Some(plain_text_error(&json));
                }
            }
            AnswerForm::Unknown | AnswerForm::Unsupported => {}
        }
        self.draft.finish(|usage| api.parse_billed_usage(usage))
    }
}

fn answer_form(content_type: &str) -> AnswerForm {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind == "text/event-stream" {
        AnswerForm::Events(EventSplitter::default())
    } else if kind.ends_with("json") {
        AnswerForm::Document(Vec::new())
    } else if kind.is_empty() || kind.starts_with("text/") {
        AnswerForm::Unknown
    } else {
        AnswerForm::Unsupported
    }
}

/// Returns an error body in an unknown form, such as a proxy's page or a line of text, as an error.
fn plain_text_error(body: &[u8]) -> AnswerError {
    let text = String::from_utf8_lossy(&body[..body.len().min(ERROR_BYTES_MAX)]);
    AnswerError { kind: None, message: truncate_text(text.trim(), ERROR_BYTES_MAX) }
}
