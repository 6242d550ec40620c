//! Errors of model requests, with advice for the user.

use std::time::Duration;

use foveal_protocols::response::ContextOverflow;
use thiserror::Error;

use crate::ServerMessage;
use crate::backoff::retry_advice;

/// The reason why a model gave no answer.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum LlmError {
    #[error(
        "cannot reach {url} ({reason}): check that the server is running and the address is correct"
    )]
    Unreachable { url: String, reason: String },
    #[error(
        "{url} did not answer within {seconds} s: it may be overloaded, or still loading the model"
    )]
    ResponseTimeout { url: String, seconds: u64 },
    #[error("{url} sent nothing for {seconds} s in the middle of its answer")]
    Stalled { url: String, seconds: u64 },
    #[error("the answer of {url} was interrupted")]
    Interrupted { url: String },
    #[error("the answer of {url} is empty: no text and no tool call")]
    EmptyAnswer { url: String },
    #[error("{url} requires a key: set {variable}")]
    KeyMissing { url: String, variable: &'static str },
    #[error("{url} rejected the key in {variable} ({status}{said})")]
    KeyRejected { url: String, variable: &'static str, status: u16, said: ServerMessage },
    #[error(
        "{url} has no model `{model}`, or is not a model API address (404{said}): check both{hint}"
    )]
    UnknownModel {
        url: String,
        model: String,
        said: ServerMessage,
        /// Further advice.
        hint: String,
    },
    #[error("{url} redirects to another address (status {status}), which is not followed")]
    Redirect { url: String, status: u16 },
    #[error("the conversation is too long for `{model}` ({status}{said})")]
    PromptTooLong { model: String, status: u16, said: ServerMessage, overflow: ContextOverflow },
    #[error("{url} received too many requests ({status}{said}): try again {}", retry_advice(*.wait))]
    RateLimited {
        url: String,
        status: u16,
        /// The delay that the server asked for, if any.
        wait: Option<Duration>,
        said: ServerMessage,
    },
    #[error("{url} failed ({status}{said}): see its log, or try again later")]
    ServerFailed {
        url: String,
        status: u16,
        /// The delay that the server asked for, if any.
        wait: Option<Duration>,
        said: ServerMessage,
    },
    #[error("{url} rejected the request ({status}{said})")]
    RequestRejected { url: String, status: u16, said: ServerMessage },
    #[error("{url} did not return a stream of {protocol}: check the address")]
    NotAStream { url: String, protocol: &'static str },
}

/// The number of retries for errors that will most likely occur again: no server runs there, or the
/// model has nothing to say.
const UNLIKELY_RETRIES_MAX: u32 = 2;

/// The way in which a request may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RetryHint {
    /// The delay that the server asked for, if any.
    pub(crate) asked: Option<Duration>,
    /// The maximum number of retries.
    pub(crate) retries_max: u32,
}

impl LlmError {
    /// Returns how the same request may be repeated; `None` if a retry cannot help.
    pub(crate) fn retry_hint(&self) -> Option<RetryHint> {
        let may_pass = |asked, retries_max| Some(RetryHint { asked, retries_max });
        match self {
            Self::RateLimited { wait, .. } | Self::ServerFailed { wait, .. } => {
                may_pass(*wait, u32::MAX)
            }
            Self::ResponseTimeout { .. } | Self::Stalled { .. } | Self::Interrupted { .. } => {
                may_pass(None, u32::MAX)
            }
            Self::Unreachable { .. } | Self::EmptyAnswer { .. } => {
                may_pass(None, UNLIKELY_RETRIES_MAX)
            }
            Self::KeyMissing { .. }
            | Self::KeyRejected { .. }
            | Self::UnknownModel { .. }
            | Self::Redirect { .. }
            | Self::PromptTooLong { .. }
            | Self::RequestRejected { .. }
            | Self::NotAStream { .. } => None,
        }
    }
}
