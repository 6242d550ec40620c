//! One conversation, request by request: what was billed, and what would have been.
//!
//! There are two prompts of each request: the client's (raw), and what foveal makes of it
//! (shaped). One of them went, and the provider billed it. What the other would have been billed
//! for follows from that by these assumptions:
//!
//! - The other prompt is longer or shorter by as many tokens as are counted in its messages.
//!   All else that was billed (system prompt, tools, thinking, reminders) is the same in both,
//!   and stands in front of the messages.
//! - Where the marks are foveal's own, nothing of the client's prompt would have been cached: it is
//!   paid for in full each time.
//! - Else the cache is the same: after a pause at which it had expired, it had expired for both; what
//!   the provider did not find, it would not have found; where the client changed its prompt, both
//!   are paid for from there on. What foveal rewrote is paid for again in the shaped prompt alone.
//! - The answers, and so the requests that follow, are the same.

use foveal_transcript::{Timestamp, Usage};
use serde::{Deserialize, Serialize};

use super::amounts::Bill;
use super::line::{self, Line, Rates};
use crate::prices::PriceCard;
use crate::tokens::Tokens;

/// Which prompt was sent and billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Went {
    /// The client's.
    Raw,
    /// What foveal made of it.
    Shaped,
}

/// How much of the last prompt stands at the beginning of the next one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kept {
    /// Nothing: system prompt, tools or model are others.
    Nothing,
    /// What stands in front of the messages, and so many tokens of those.
    First(Tokens),
    /// All of it.
    #[default]
    All,
}

/// One request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// When it was sent.
    pub time: Option<Timestamp>,
    /// What was billed.
    pub usage: &'a Usage,
    /// US dollars, where the provider told them.
    pub charged: Option<f64>,
    /// The tokens counted in the client's prompt.
    pub raw: Tokens,
    /// The tokens counted in what foveal makes of it.
    pub shaped: Tokens,
    /// How much of its last prompt the client left as it was, in tokens of the raw prompt.
    pub client: Kept,
    /// How much of it foveal left as it was, in tokens of the shaped prompt.
    pub foveal: Kept,
    /// Whether nothing of the client's prompt would have been cached: it has no marks, the provider
    /// wants some, and any that went are foveal's.
    pub is_unmarked: bool,
}

/// What one request cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Priced {
    /// As billed.
    pub billed: Bill,
    /// Had the other prompt gone.
    pub otherwise: Bill,
}

impl Priced {
    /// The same at what was charged, where the provider told that.
    fn at_what_was(mut self, charged: Option<f64>) -> Self {
        let dollars = self.billed.dollars();
        if let Some(charged) = charged.filter(|_| dollars > 0.0) {
            self.billed = self.billed.at(charged / dollars);
            self.otherwise = self.otherwise.at(charged / dollars);
        }
        self
    }
}

/// What is known of a conversation's last request: all that the next one's bill depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meter {
    went: Went,
    last: Option<Last>,
    /// What requests without a bill left as it was since the last one with a bill.
    client: Kept,
    foveal: Kept,
    /// What the provider read for the first request: others had written it, and may do so again.
    #[serde(default)]
    shared: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Last {
    time: Option<Timestamp>,
    raw: Prompt,
    shaped: Prompt,
    /// So much of its end was left out of the cache.
    tail: u64,
    /// Whether the cache was written for an hour.
    hour: bool,
    /// When the cache was last kept warm.
    #[serde(default)]
    warmed: Option<Timestamp>,
}

/// A prompt: what it is billed for, and what is counted in its messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Prompt {
    billed: u64,
    counted: u64,
}

impl Prompt {
    /// What stands in front of the messages.
    fn head(self) -> u64 {
        self.billed.saturating_sub(self.counted)
    }

    /// What the messages are billed for.
    fn messages(self) -> u64 {
        self.billed - self.head()
    }

    /// Where so many counted tokens end.
    fn place(self, counted: u64) -> u64 {
        self.head() + share(self.messages(), counted.min(self.counted), self.counted)
    }

    /// The same prompt with other messages.
    fn with(self, counted: u64) -> Self {
        // Where more is counted than was billed, the count is too high by that much.
        let messages = if self.messages() < self.counted {
            share(self.messages(), counted, self.counted)
        } else {
            counted
        };
        Self { billed: self.head() + messages, counted }
    }
}

/// `whole` times `part` of `of`.
fn share(whole: u64, part: u64, of: u64) -> u64 {
    if of == 0 {
        return 0;
    }
    let share = u128::from(whole) * u128::from(part) / u128::from(of);
    u64::try_from(share).unwrap_or(u64::MAX)
}

/// How long an entry lives that was written for an hour, in milliseconds.
pub(crate) const HOUR_MS: i64 = 60 * 60 * 1000;

impl Meter {
    /// A conversation of which this prompt goes each time.
    pub fn new(went: Went) -> Self {
        Self { went, last: None, client: Kept::All, foveal: Kept::All, shared: None }
    }

    /// A request of foveal's own that read the last prompt once more, and what it cost. Without
    /// foveal it would not have been sent.
    pub fn refresh(&mut self, time: Timestamp, usage: &Usage, prices: &PriceCard) -> Priced {
        if let Some(last) = self.last.as_mut().filter(|_| usage.cache_read > 0) {
            last.warmed = Some(time);
        }
        let billed = line::refresh(usage, &Rates::of(prices, usage));
        Priced { billed, otherwise: Bill::default() }
    }

    /// A request of which no bill is known.
    pub fn skip(&mut self, client: Kept, foveal: Kept) {
        self.client = self.client.min(client);
        self.foveal = self.foveal.min(foveal);
    }

    /// What a request cost. Requests come in order.
    pub fn take(&mut self, request: &Request<'_>, prices: &PriceCard) -> Priced {
        self.skip(request.client, request.foveal);
        let usage = request.usage;
        let billed = usage.prompt();
        let (raw, shaped) = match self.went {
            Went::Raw => {
                let raw = Prompt { billed, counted: request.raw.0 };
                (raw, raw.with(request.shaped.0))
            }
            Went::Shaped => {
                let shaped = Prompt { billed, counted: request.shaped.0 };
                (shaped.with(request.raw.0), shaped)
            }
        };
        let (line, otherwise) = self.lines(request, raw, shaped, prices);
        let rates = Rates::of(prices, usage);
        let mut priced = Priced {
            billed: line::bill(&line, usage.output, &rates),
            otherwise: line::bill(&otherwise, usage.output, &rates),
        };
        if request.is_unmarked && self.went == Went::Shaped {
            priced.otherwise = line::uncached(raw.billed, usage.output, &rates);
        }
        self.remember(request, raw, shaped, prices);
        priced.at_what_was(request.charged)
    }

    fn remember(&mut self, request: &Request<'_>, raw: Prompt, shaped: Prompt, prices: &PriceCard) {
        let (usage, last) = (request.usage, self.last);
        // Who charges for writes tells them: what was neither written nor read is in no cache.
        let tells_writes = prices.cache_write > prices.input;
        self.last = Some(Last {
            time: request.time.or(last.and_then(|last| last.time)),
            raw,
            shaped,
            tail: if tells_writes { usage.input } else { 0 },
            hour: match usage.cache_write {
                0 => last.is_some_and(|last| last.hour),
                _ => usage.cache_write_hour > 0,
            },
            warmed: None,
        });
        self.shared.get_or_insert(usage.cache_read);
        (self.client, self.foveal) = (Kept::All, Kept::All);
    }

    /// The prompt that went and the other one, as lines.
    fn lines(
        &self,
        request: &Request<'_>,
        raw: Prompt,
        shaped: Prompt,
        prices: &PriceCard,
    ) -> (Line, Line) {
        let usage = request.usage;
        let last = self.last.filter(|_| prices.cache_lifetime_ms.is_some());
        let [mut raw_line, mut shaped_line] = match &last {
            Some(last) => [self.raw_line(last), self.shaped_line(last)],
            None => [Line::default(), Line::default()],
        };
        (raw_line.end, shaped_line.end) = (raw.billed, shaped.billed);
        let is_expired = |last: &Last, since| last.is_expired(since, request.time, prices);
        let cold = last.as_ref().is_some_and(|last| is_expired(last, last.time));
        let expired =
            last.as_ref().is_some_and(|last| is_expired(last, last.warmed.max(last.time)));
        let (mut line, mut other, before) = match self.went {
            Went::Raw => (raw_line, shaped_line, last.map(|last| [last.raw, last.shaped])),
            Went::Shaped => (shaped_line, raw_line, last.map(|last| [last.shaped, last.raw])),
        };
        (line.expired, other.expired) = (expired, cold);
        line.read = usage.cache_read;
        other.read = read_otherwise(&line, &other, before.unwrap_or_default()).min(other.end);
        if cold && !expired {
            // Nobody would have kept it warm.
            other.read = other.read.min(self.shared.unwrap_or_default());
        }
        (line.tail, other.tail) = match usage.cache_write {
            0 => (line.end, other.end),
            _ => (usage.input, usage.input),
        };
        (line, other)
    }

    fn raw_line(&self, last: &Last) -> Line {
        let client = match self.client {
            Kept::Nothing => 0,
            Kept::First(counted) => last.raw.place(counted.0),
            Kept::All => last.raw.billed,
        };
        Line { same: client, client, known: last.known(last.raw), ..Line::default() }
    }

    fn shaped_line(&self, last: &Last) -> Line {
        let (raw, shaped) = (last.raw, last.shaped);
        let client = match self.client {
            Kept::Nothing => 0,
            Kept::First(counted) => shaped.place(share(shaped.counted, counted.0, raw.counted)),
            Kept::All => shaped.billed,
        };
        let foveal = match self.foveal {
            Kept::Nothing => 0,
            Kept::First(counted) => shaped.place(counted.0),
            Kept::All => shaped.billed,
        };
        Line { same: client.min(foveal), client, known: last.known(shaped), ..Line::default() }
    }
}

impl Last {
    /// How much of a prompt a cache could hold.
    fn known(&self, prompt: Prompt) -> u64 {
        prompt.billed.saturating_sub(self.tail)
    }

    fn is_expired(
        &self,
        since: Option<Timestamp>,
        now: Option<Timestamp>,
        prices: &PriceCard,
    ) -> bool {
        let lifetime = if self.hour { Some(HOUR_MS) } else { prices.cache_lifetime_ms };
        match (lifetime, since, now) {
            (Some(lifetime), Some(last), Some(now)) => now.since_ms(last) > lifetime,
            _ => false,
        }
    }
}

/// What would have been read of the other prompt. `before` are the two prompts of the request
/// before: the one that went, and the other.
fn read_otherwise(line: &Line, other: &Line, before: [Prompt; 2]) -> u64 {
    let (same, other_same) = (line.same.min(line.known), other.same.min(other.known));
    let read = line.read;
    if read < same {
        // Where foveal's own change alone kept the provider from finding what was the same, it
        // would have found that.
        let is_own = !line.expired && line.same < line.client;
        return if is_own { other_same } else { across(read, before).min(other_same) };
    }
    let more = other_same + (read - same);
    // What was read behind a change was none to the provider.
    if same < line.known { more.max(across(read, before)) } else { more }
}

/// The place in the other prompt of a place in the one that went.
fn across(place: u64, [went, other]: [Prompt; 2]) -> u64 {
    let (head, of, to) = (went.head(), went.messages(), other.messages());
    let messages = place.saturating_sub(head);
    place.min(head) + if of == 0 { messages } else { share(to, messages, of) }
}
