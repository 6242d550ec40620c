//! What the model says, before it is put into a protocol, and the scripts that choose it.

use std::fmt;
use std::sync::Arc;

use foveal_wire::Protocol;
use serde_json::Value;

use crate::encoding::Encoding;
use crate::fault::Fault;

/// What the model says in one answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// Reasoning before the text; with a signature, or encrypted, where the protocol has that.
    pub thinking: String,
    /// The text.
    pub text: String,
    /// Calls of tools, made at once.
    pub calls: Vec<Call>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool's name.
    pub name: String,
    /// Its arguments, an object.
    pub arguments: Value,
}

impl Reply {
    /// A text and nothing else.
    pub fn text(text: impl Into<String>) -> Self {
        Reply { text: text.into(), ..Reply::default() }
    }

    /// One call and nothing else.
    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        Reply { calls: vec![Call { name: name.into(), arguments }], ..Reply::default() }
    }
}

/// What happens to one request: what is said, how it is encoded, what goes wrong.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Play {
    /// What the model says.
    pub reply: Reply,
    /// What goes wrong.
    pub fault: Fault,
    /// How the body is encoded.
    pub encoding: Encoding,
}

impl From<Reply> for Play {
    fn from(reply: Reply) -> Self {
        Play { reply, ..Play::default() }
    }
}

impl From<Fault> for Play {
    fn from(fault: Fault) -> Self {
        let reply = Reply::text("An answer of some words that something happens to.");
        Play { reply, fault, ..Play::default() }
    }
}

/// A request, as a script sees it.
#[derive(Debug)]
pub struct Asked<'a> {
    /// How many requests for an answer came before.
    pub number: usize,
    /// The API.
    pub protocol: Protocol,
    /// Whether a stream is asked for.
    pub is_stream: bool,
    /// How many turns of the model with calls stand in the conversation.
    pub turn: usize,
    /// The body; null where it is no JSON.
    pub body: &'a Value,
}

/// Chooses what happens to a request.
#[derive(Clone)]
pub struct Script(Arc<dyn Fn(&Asked<'_>) -> Play + Send + Sync>);

impl Script {
    /// What `choose` says.
    pub fn new(choose: impl Fn(&Asked<'_>) -> Play + Send + Sync + 'static) -> Self {
        Script(Arc::new(choose))
    }

    /// The same for each request.
    pub fn always(play: impl Into<Play>) -> Self {
        let play = play.into();
        Self::new(move |_| play.clone())
    }

    /// One for each request, in the order in which they come, the last for all that follow.
    pub fn in_order<P: Into<Play>>(plays: impl IntoIterator<Item = P>) -> Self {
        let plays: Vec<Play> = plays.into_iter().map(Into::into).collect();
        Self::new(move |asked| nth(&plays, asked.number))
    }

    /// One for each turn of the model, which is read off the conversation: retries, rewinds and
    /// several clients at once just work. The last is for all that follow.
    pub fn by_turn<P: Into<Play>>(plays: impl IntoIterator<Item = P>) -> Self {
        let plays: Vec<Play> = plays.into_iter().map(Into::into).collect();
        Self::new(move |asked| nth(&plays, asked.turn))
    }

    pub(crate) fn choose(&self, asked: &Asked<'_>) -> Play {
        (self.0)(asked)
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Script")
    }
}

fn nth(plays: &[Play], at: usize) -> Play {
    plays.get(at).or(plays.last()).cloned().unwrap_or_default()
}
