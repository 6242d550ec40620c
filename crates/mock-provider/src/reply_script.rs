//! The model's replies, independent of a protocol, and the scripts that choose them.

use std::fmt;
use std::sync::Arc;

use foveal_protocols::Protocol;
use serde_json::Value;

use crate::body_encoding::BodyEncoding;
use crate::scripted_fault::ScriptedFault;

/// A reply of the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelReply {
    /// Reasoning before the text; with a signature, or encrypted, if the protocol supports that.
    pub thinking: String,
    /// The text.
    pub text: String,
    /// Parallel tool calls.
    pub calls: Vec<ReplyCall>,
}

/// A tool call in a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyCall {
    /// The tool's name.
    pub name: String,
    /// The arguments, an object.
    pub arguments: Value,
}

impl ModelReply {
    /// Creates a reply with only a text.
    pub fn from_text(text: impl Into<String>) -> Self {
        ModelReply { text: text.into(), ..ModelReply::default() }
    }

    /// Creates a reply with only one call.
    pub fn from_call(name: impl Into<String>, arguments: Value) -> Self {
        ModelReply {
            calls: vec![ReplyCall { name: name.into(), arguments }],
            ..ModelReply::default()
        }
    }
}

/// The scripted outcome of one request: the reply, its encoding and a fault.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScriptedOutcome {
    /// The model's reply.
    pub reply: ModelReply,
    /// The fault.
    pub fault: ScriptedFault,
    /// The encoding of the body.
    pub encoding: BodyEncoding,
}

impl From<ModelReply> for ScriptedOutcome {
    fn from(reply: ModelReply) -> Self {
        ScriptedOutcome { reply, ..ScriptedOutcome::default() }
    }
}

impl From<ScriptedFault> for ScriptedOutcome {
    fn from(fault: ScriptedFault) -> Self {
        let reply = ModelReply::from_text("An answer of some words that something happens to.");
        ScriptedOutcome { reply, fault, ..ScriptedOutcome::default() }
    }
}

/// A request as a script gets it.
#[derive(Debug)]
pub struct ScriptRequest<'a> {
    /// The number of requests for an answer before this one.
    pub number: usize,
    /// The API.
    pub protocol: Protocol,
    /// Whether the client requests a stream.
    pub is_stream: bool,
    /// The number of the model's turns with calls in the conversation.
    pub turn: usize,
    /// The body; null if it is no JSON.
    pub body: &'a Value,
}

/// Chooses the outcome of each request.
#[derive(Clone)]
pub struct ReplyScript(Arc<dyn Fn(&ScriptRequest<'_>) -> ScriptedOutcome + Send + Sync>);

impl ReplyScript {
    /// Creates a script from a function.
    pub fn new(
        choose: impl Fn(&ScriptRequest<'_>) -> ScriptedOutcome + Send + Sync + 'static,
    ) -> Self {
        ReplyScript(Arc::new(choose))
    }

    /// Creates a script with the same outcome for each request.
    pub fn always(play: impl Into<ScriptedOutcome>) -> Self {
        let play = play.into();
        Self::new(move |_| play.clone())
    }

    /// Creates a script with one outcome per request, in order of arrival; the last applies to all
    /// further requests.
    pub fn in_order<P: Into<ScriptedOutcome>>(plays: impl IntoIterator<Item = P>) -> Self {
        let plays: Vec<ScriptedOutcome> = plays.into_iter().map(Into::into).collect();
        Self::new(move |asked| nth_or_last(&plays, asked.number))
    }

    /// Creates a script with one outcome per turn of the model. The turn is read from the
    /// conversation, so the script supports retries, rewinds and parallel clients. The last outcome
    /// applies to all further turns.
    pub fn by_turn<P: Into<ScriptedOutcome>>(plays: impl IntoIterator<Item = P>) -> Self {
        let plays: Vec<ScriptedOutcome> = plays.into_iter().map(Into::into).collect();
        Self::new(move |asked| nth_or_last(&plays, asked.turn))
    }

    pub(crate) fn choose_outcome(&self, asked: &ScriptRequest<'_>) -> ScriptedOutcome {
        (self.0)(asked)
    }
}

impl fmt::Debug for ReplyScript {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Script")
    }
}

fn nth_or_last(plays: &[ScriptedOutcome], at: usize) -> ScriptedOutcome {
    plays.get(at).or(plays.last()).cloned().unwrap_or_default()
}
