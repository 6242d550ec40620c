//! What can go wrong with a model, and what to do about it.

use std::time::Duration;

use foveal_asking::Said;
use foveal_wire::response::ContextOverflow;
use thiserror::Error;

/// Why a model gave no answer.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum AskError {
    #[error(
        "{url} cannot be reached ({reason}): check that the server runs and the address is right"
    )]
    Away { url: String, reason: String },
    #[error("{url} gave no answer within {seconds} s: it is overloaded, or still loads the model")]
    Slow { url: String, seconds: u64 },
    #[error("{url} fell silent for {seconds} s in the middle of its answer")]
    Silent { url: String, seconds: u64 },
    #[error("the answer of {url} broke off")]
    Cut { url: String },
    #[error("the answer of {url} is empty: no text and no call of a tool")]
    Empty { url: String },
    #[error("{url} asks for a key: set {variable}")]
    NoKey { url: String, variable: &'static str },
    #[error("{url} refuses the key in {variable} ({status}{said})")]
    Key { url: String, variable: &'static str, status: u16, said: Said },
    #[error(
        "{url} knows no model `{model}`, or is no address of a model API (404{said}): check both{hint}"
    )]
    Unknown {
        url: String,
        model: String,
        said: Said,
        /// What else can be done.
        hint: String,
    },
    #[error("{url} sends on to another address (status {status}), which is not followed")]
    Redirect { url: String, status: u16 },
    #[error("the conversation is too long for `{model}` ({status}{said})")]
    TooLong { model: String, status: u16, said: Said, overflow: ContextOverflow },
    #[error("{url} is asked too often ({status}{said}): try again {}", when(*.wait))]
    Busy {
        url: String,
        status: u16,
        /// How long it wants to be left alone, if it says so.
        wait: Option<Duration>,
        said: Said,
    },
    #[error("{url} fails ({status}{said}): see its log, or try again later")]
    Failing {
        url: String,
        status: u16,
        /// How long it wants to be left alone, if it says so.
        wait: Option<Duration>,
        said: Said,
    },
    #[error("{url} refuses the request ({status}{said})")]
    Refused { url: String, status: u16, said: Said },
    #[error("{url} answers with something else than a stream of {protocol}: check the address")]
    NotAStream { url: String, protocol: &'static str },
}

/// How often a request is repeated that most likely fares no better: nobody is there, or the model
/// has nothing to say.
const FEW: u32 = 2;

/// How a request may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MayPass {
    /// How long the server wants to be left alone, where it says so.
    pub(crate) asked: Option<Duration>,
    /// How often it is worth it, at most.
    pub(crate) retries_max: u32,
}

fn when(wait: Option<Duration>) -> String {
    wait.map_or("later".to_owned(), |wait| format!("in {} s", wait.as_secs().max(1)))
}

impl AskError {
    /// Whether the same request may fare better after a while.
    pub(crate) fn may_pass(&self) -> Option<MayPass> {
        let may_pass = |asked, retries_max| Some(MayPass { asked, retries_max });
        match self {
            Self::Busy { wait, .. } | Self::Failing { wait, .. } => may_pass(*wait, u32::MAX),
            Self::Slow { .. } | Self::Silent { .. } | Self::Cut { .. } => may_pass(None, u32::MAX),
            Self::Away { .. } | Self::Empty { .. } => may_pass(None, FEW),
            Self::NoKey { .. }
            | Self::Key { .. }
            | Self::Unknown { .. }
            | Self::Redirect { .. }
            | Self::TooLong { .. }
            | Self::Refused { .. }
            | Self::NotAStream { .. } => None,
        }
    }
}
