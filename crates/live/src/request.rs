//! A request as it came, and what becomes of it.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_context::shape::ShapeKind;
use foveal_context::tokens::Tokens;
use foveal_transcript::{ContentHash, EntryIndex, Timestamp};
use foveal_wire::Protocol;
use foveal_wire::body::{self, MARK, MARK_FOR_AN_HOUR};

use crate::replaced::Replaced;

/// A request as its client sent it.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The API that it speaks.
    pub protocol: Protocol,
    /// Whether only tokens are counted: then nothing is decided for good.
    pub counts: bool,
    /// The model, where the body does not name it.
    pub model: Option<&'a str>,
    /// The name of the server that is asked; empty where none is known.
    pub upstream: &'a str,
    /// The body, decoded.
    pub body: &'a [u8],
    /// When it came.
    pub now: Timestamp,
    /// What the client asks of foveal itself: the name of a profile, or `off`.
    pub wish: Option<&'a str>,
    /// Whether its answer is still waited for.
    pub wait: &'a Wait,
}

/// What becomes of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shaped {
    /// The body in place of the client's; `None`: the client's own bytes.
    pub body: Option<Vec<u8>>,
    /// What is to be told of it.
    pub about: About,
    /// What can be got ready for the next one.
    pub ready: Option<ToGetReady>,
}

/// A conversation that a rewrite may come to with its next request. Whoever has time until then can
/// have [that got ready](crate::Conversations::get_ready).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToGetReady {
    /// The end of its first message.
    pub(crate) first: ContentHash,
    /// The end of what was planned of it.
    pub(crate) end: ContentHash,
    /// When its request came.
    pub(crate) now: Timestamp,
}

/// What is known of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The profile by whose rules it was decided, where there is one of this name.
    pub profile: Option<String>,
    /// The model that is asked.
    pub model: Option<String>,
    /// The conversation that it belongs to: a name that stays the same.
    pub conversation: Option<String>,
    /// Messages of the prompt.
    pub messages: u64,
    /// Tokens of the prompt as the client sent it, as far as known.
    pub tokens_asked: u64,
    /// Tokens of the prompt as it goes.
    pub tokens_sent: u64,
    /// Why results changed that had been sent before, if any did.
    pub rewrite: Option<&'static str>,
    /// Tokens of the prompt as it goes, up to the first of these results; `None` where none changed
    /// but for what the client changed.
    pub tokens_unchanged: Option<u64>,
    /// How much of what the person wanted of results could not be done.
    pub unchanged: usize,
    /// Where the client changed what it had sent before, if it did.
    pub departed: Option<Departed>,
    /// Why nothing was done, where nothing could be.
    pub inactive: Option<String>,
    /// Whether nothing of the prompt would be cached without foveal: its client sets no marks, and
    /// the provider wants some.
    pub is_unmarked: bool,
    /// Marks for the provider's cache that foveal set.
    pub marks: u64,
    /// The kind of that reason, one of a few, to count by.
    pub inactive_kind: Option<&'static str>,
    /// Results of which less goes than at the request before, or than came.
    pub reduced: Vec<Reduced>,
    /// The end of what was decided about its conversation, by which the decisions are found.
    pub decided_at: Option<ContentHash>,
}

/// A result of which less goes than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// The call that it answers.
    pub call: String,
    /// What stands in its place.
    pub kind: ShapeKind,
    /// Whether nothing of it goes, but notes that point at what was given before.
    pub points: bool,
    /// Bytes of the result.
    pub bytes: u64,
    /// Bytes that go.
    pub bytes_sent: u64,
    /// The place of the result in its conversation.
    pub entry: EntryIndex,
    /// The number of its message in the request, from 1.
    pub message: u64,
    /// The name of the tool that was called, where that is known.
    pub tool: Option<String>,
    /// Tokens of the result.
    pub tokens: Tokens,
    /// Tokens that go.
    pub tokens_sent: Tokens,
}

/// Where a client's request is no longer the one before it of the same conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departed {
    /// What changed first.
    pub changed: Changed,
    /// How many messages stand before that unchanged; 0 where all of the prompt is another.
    pub messages: u64,
    /// Tokens of these messages with what stands in front of them, as the client sent them.
    pub tokens: u64,
    /// Where the changed message stands in the body as it came, if there is one in its place.
    pub bytes: Option<Range<usize>>,
    /// How long that message was before, in bytes.
    pub bytes_before: Option<u64>,
}

/// What of a request a client changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Changed {
    /// Another model is asked.
    Model,
    /// The tools.
    Tools,
    /// The system prompt.
    System,
    /// A message.
    Message,
}

impl Changed {
    /// The words used in messages and figures.
    pub fn words(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tools => "tools",
            Self::System => "system prompt",
            Self::Message => "message",
        }
    }
}

/// Marks for the provider's cache that are put into a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Where, ascending.
    pub(crate) places: Vec<usize>,
    /// Whether they ask for an hour.
    pub(crate) for_an_hour: bool,
}

/// A body with texts in place of others, and with marks; `None` where there are none.
pub(crate) fn spliced(bytes: &[u8], replaced: &Replaced, marks: &Marks) -> Option<Vec<u8>> {
    let is_same = replaced.is_empty() && marks.places.is_empty();
    let mark = if marks.for_an_hour { MARK_FOR_AN_HOUR } else { MARK };
    (!is_same).then(|| {
        let replaced: Vec<_> = replaced.each().collect();
        body::splice_and_mark(bytes, &replaced, &marks.places, mark)
    })
}

/// Bytes of the body of a conversation that is long.
const LONG_BODY_BYTES: usize = 128 << 10;

/// Whether somebody waits for a decision. One of the two says so first, and that holds: who decides
/// that it is decided, or who waits that they wait no longer.
#[derive(Debug, Clone, Default)]
pub struct Wait(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    state: State,
    is_impatient: bool,
    is_offered: bool,
    /// What goes if nobody waits any longer: what was decided at earlier requests.
    earlier: Replaced,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    Decided,
    GivenUp,
}

impl Wait {
    /// Waits only until it is known what was decided earlier: for who has no time at all.
    pub fn impatient() -> Self {
        Self(Arc::new(Mutex::new(Waiting { is_impatient: true, ..Waiting::default() })))
    }

    /// It is decided; false if nobody waits any longer, so that what was offered goes.
    pub fn decide(&self) -> bool {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.state == State::Open {
            waiting.state = State::Decided;
        }
        waiting.state == State::Decided
    }

    /// Waits no longer; the body that goes then in place of `body`, or `None` if it is decided.
    /// Inside: `None` for the client's own bytes.
    pub fn give_up(&self, body: &[u8]) -> Option<Option<Vec<u8>>> {
        let earlier = {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.state == State::Decided {
                return None;
            }
            waiting.state = State::GivenUp;
            std::mem::take(&mut waiting.earlier)
        };
        Some(spliced(body, &earlier, &Marks::default()))
    }

    /// Nothing was decided earlier: whoever waits no longer sends the client's own bytes.
    pub fn has_nothing_earlier(&self) {
        self.offer(Replaced::default());
    }

    /// Whether it is known by now what was decided earlier, and the decision is not worth more time.
    pub fn is_offered(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_offered
    }

    /// Offers what was decided earlier, for whoever then waits no longer.
    pub(crate) fn offer(&self, earlier: Replaced) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.earlier = earlier;
        waiting.is_offered = true;
        if waiting.is_impatient && waiting.state == State::Open {
            waiting.state = State::GivenUp;
        }
    }

    /// Offers what was decided earlier of a prompt, with a body of so many bytes, that the provider
    /// does not have in its cache. The decision about a long one takes longer, and what it saves
    /// costs nothing at this request alone: it is waited for.
    pub(crate) fn offer_uncached(&self, earlier: Replaced, body_bytes: usize) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.is_impatient || body_bytes < LONG_BODY_BYTES {
            drop(waiting);
            self.offer(earlier);
        } else {
            waiting.earlier = earlier;
        }
    }

    /// Whether nobody waits any longer.
    pub(crate) fn is_given_up(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).state == State::GivenUp
    }
}
