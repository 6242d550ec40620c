//! Meters one conversation, request by request: the actual bill, and the counterfactual one.
//!
//! Each request has two prompts: the client's (raw), and foveal's projection of it (shaped). One of
//! them was sent, and the provider billed it. The bill of the other follows by these assumptions:
//!
//! - The other prompt differs in length by the difference of the token counts of its messages.
//!   Everything else that was billed (system prompt, tools, thinking, reminders) is the same in
//!   both and stands in front of the messages.
//! - If the cache breakpoints are foveal's own, nothing of the client's prompt would have been
//!   cached: it is paid for in full each time.
//! - Otherwise the cache behaves the same: it expires for both or for neither, the provider misses
//!   the same parts, and after a change by the client both are paid for from there on. Input that
//!   foveal rewrote is paid for again in the shaped prompt alone.
//! - The answers, and so the following requests, are the same.

use foveal_transcript::{Timestamp, Usage};
use serde::{Deserialize, Serialize};

use super::amounts::Bill;
use super::prompt_boundaries::{self, PromptBoundaries, TokenRates};
use crate::prices::PriceCard;
use crate::tokens::Tokens;

/// The prompt that was sent and billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SentPrompt {
    /// The client's prompt.
    Raw,
    /// Foveal's projection of it.
    Shaped,
}

/// The part of the last prompt that is a prefix of the next one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RetainedPrefix {
    /// Nothing: system prompt, tools or model changed.
    Nothing,
    /// The part in front of the messages, and this many tokens of the messages.
    First(Tokens),
    /// All of it.
    #[default]
    All,
}

/// One request with its bill.
#[derive(Debug, Clone, Copy)]
pub struct BilledRequest<'a> {
    /// The time at which it was sent.
    pub time: Option<Timestamp>,
    /// The billed usage.
    pub usage: &'a Usage,
    /// US dollars charged, if the provider reports them.
    pub charged: Option<f64>,
    /// Counted tokens of the client's messages.
    pub raw: Tokens,
    /// Counted tokens of the projected messages.
    pub shaped: Tokens,
    /// The part of its last prompt that the client left unchanged, in tokens of the raw prompt.
    pub client: RetainedPrefix,
    /// The part of it that foveal left unchanged, in tokens of the shaped prompt.
    pub foveal: RetainedPrefix,
    /// Whether nothing of the client's prompt would have been cached: the provider requires
    /// breakpoints, the client sets none, and any that were sent are foveal's.
    pub has_no_client_breakpoints: bool,
}

/// The cost of one request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestCosts {
    /// The actual bill.
    pub billed: Bill,
    /// The bill if the other prompt had been sent.
    pub otherwise: Bill,
}

impl RequestCosts {
    /// Scales both bills to the charged dollars, if the provider reports them.
    fn scale_to_charge(mut self, charged: Option<f64>) -> Self {
        let dollars = self.billed.dollars();
        if let Some(charged) = charged.filter(|_| dollars > 0.0) {
            self.billed = self.billed.scale_dollars(charged / dollars);
            self.otherwise = self.otherwise.scale_dollars(charged / dollars);
        }
        self
    }
}

/// The state of a conversation after its last request, from which the next bill follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CostMeter {
    went: SentPrompt,
    last: Option<LastBilledRequest>,
    /// The part that requests without a known bill left unchanged since the last billed one.
    client: RetainedPrefix,
    foveal: RetainedPrefix,
    /// Tokens that the provider read for the first request: other conversations had written them,
    /// and may do so again.
    #[serde(default)]
    shared: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct LastBilledRequest {
    time: Option<Timestamp>,
    raw: PromptTokenCounts,
    shaped: PromptTokenCounts,
    /// Tokens at its end that were not cached.
    tail: u64,
    /// Whether the cache was written for an hour.
    hour: bool,
    /// The time of the last keep-alive request.
    #[serde(default)]
    warmed: Option<Timestamp>,
}

/// The size of a prompt: billed tokens in all, and counted tokens of its messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct PromptTokenCounts {
    billed: u64,
    counted: u64,
}

impl PromptTokenCounts {
    /// Returns the billed tokens in front of the messages.
    fn prelude_tokens(self) -> u64 {
        self.billed.saturating_sub(self.counted)
    }

    /// Returns the billed tokens of the messages.
    fn message_tokens(self) -> u64 {
        self.billed - self.prelude_tokens()
    }

    /// Converts an offset in counted tokens to one in billed tokens.
    fn billed_offset(self, counted: u64) -> u64 {
        self.prelude_tokens()
            + scale_proportionally(self.message_tokens(), counted.min(self.counted), self.counted)
    }

    /// Returns the size of the prompt with other messages of `counted` tokens.
    fn with_counted(self, counted: u64) -> Self {
        // If the count exceeds the billed tokens, it is too high by that factor.
        let messages = if self.message_tokens() < self.counted {
            scale_proportionally(self.message_tokens(), counted, self.counted)
        } else {
            counted
        };
        Self { billed: self.prelude_tokens() + messages, counted }
    }
}

/// Returns `whole * part / of`, 0 if `of` is 0.
fn scale_proportionally(whole: u64, part: u64, of: u64) -> u64 {
    if of == 0 {
        return 0;
    }
    let share = u128::from(whole) * u128::from(part) / u128::from(of);
    u64::try_from(share).unwrap_or(u64::MAX)
}

/// Lifetime of a cache entry that was written for an hour, in milliseconds.
pub(crate) const HOUR_LIFETIME_MS: i64 = 60 * 60 * 1000;

impl CostMeter {
    /// Creates a meter for a conversation that always sends this prompt.
    pub fn new(went: SentPrompt) -> Self {
        Self {
            went,
            last: None,
            client: RetainedPrefix::All,
            foveal: RetainedPrefix::All,
            shared: None,
        }
    }

    /// Adds a keep-alive request and returns its cost. Without foveal it would not have been sent.
    pub fn add_refresh(
        &mut self,
        time: Timestamp,
        usage: &Usage,
        prices: &PriceCard,
    ) -> RequestCosts {
        if let Some(last) = self.last.as_mut().filter(|_| usage.cache_read > 0) {
            last.warmed = Some(time);
        }
        let billed = prompt_boundaries::refresh_bill(usage, &TokenRates::from_usage(prices, usage));
        RequestCosts { billed, otherwise: Bill::default() }
    }

    /// Adds a request without a known bill.
    pub fn skip_unbilled(&mut self, client: RetainedPrefix, foveal: RetainedPrefix) {
        self.client = self.client.min(client);
        self.foveal = self.foveal.min(foveal);
    }

    /// Adds a request and returns its cost. Requests come in order.
    pub fn add_request(&mut self, request: &BilledRequest<'_>, prices: &PriceCard) -> RequestCosts {
        self.skip_unbilled(request.client, request.foveal);
        let usage = request.usage;
        let billed = usage.prompt_tokens();
        let (raw, shaped) = match self.went {
            SentPrompt::Raw => {
                let raw = PromptTokenCounts { billed, counted: request.raw.0 };
                (raw, raw.with_counted(request.shaped.0))
            }
            SentPrompt::Shaped => {
                let shaped = PromptTokenCounts { billed, counted: request.shaped.0 };
                (shaped.with_counted(request.raw.0), shaped)
            }
        };
        let (line, otherwise) = self.prompt_boundaries(request, raw, shaped, prices);
        let rates = TokenRates::from_usage(prices, usage);
        let mut priced = RequestCosts {
            billed: prompt_boundaries::split_bill(&line, usage.output, &rates),
            otherwise: prompt_boundaries::split_bill(&otherwise, usage.output, &rates),
        };
        if request.has_no_client_breakpoints && self.went == SentPrompt::Shaped {
            priced.otherwise = prompt_boundaries::uncached_bill(raw.billed, usage.output, &rates);
        }
        self.set_last_request(request, raw, shaped, prices);
        priced.scale_to_charge(request.charged)
    }

    fn set_last_request(
        &mut self,
        request: &BilledRequest<'_>,
        raw: PromptTokenCounts,
        shaped: PromptTokenCounts,
        prices: &PriceCard,
    ) {
        let (usage, last) = (request.usage, self.last);
        // Providers that charge for writes report them: input neither written nor read is not
        // cached.
        let tells_writes = prices.cache_write > prices.input;
        self.last = Some(LastBilledRequest {
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
        (self.client, self.foveal) = (RetainedPrefix::All, RetainedPrefix::All);
    }

    /// Returns the boundaries of the sent prompt and of the other one.
    fn prompt_boundaries(
        &self,
        request: &BilledRequest<'_>,
        raw: PromptTokenCounts,
        shaped: PromptTokenCounts,
        prices: &PriceCard,
    ) -> (PromptBoundaries, PromptBoundaries) {
        let usage = request.usage;
        let last = self.last.filter(|_| prices.cache_lifetime_ms.is_some());
        let [mut raw_line, mut shaped_line] = match &last {
            Some(last) => [self.raw_boundaries(last), self.shaped_boundaries(last)],
            None => [PromptBoundaries::default(), PromptBoundaries::default()],
        };
        (raw_line.end, shaped_line.end) = (raw.billed, shaped.billed);
        let is_expired =
            |last: &LastBilledRequest, since| last.is_expired(since, request.time, prices);
        let cold = last.as_ref().is_some_and(|last| is_expired(last, last.time));
        let expired =
            last.as_ref().is_some_and(|last| is_expired(last, last.warmed.max(last.time)));
        let (mut line, mut other, before) = match self.went {
            SentPrompt::Raw => (raw_line, shaped_line, last.map(|last| [last.raw, last.shaped])),
            SentPrompt::Shaped => (shaped_line, raw_line, last.map(|last| [last.shaped, last.raw])),
        };
        (line.expired, other.expired) = (expired, cold);
        line.read = usage.cache_read;
        other.read = counterfactual_read(&line, &other, before.unwrap_or_default()).min(other.end);
        if cold && !expired {
            // Without foveal no keep-alive would have been sent.
            other.read = other.read.min(self.shared.unwrap_or_default());
        }
        (line.uncached_tail, other.uncached_tail) = match usage.cache_write {
            0 => (line.end, other.end),
            _ => (usage.input, usage.input),
        };
        (line, other)
    }

    fn raw_boundaries(&self, last: &LastBilledRequest) -> PromptBoundaries {
        let client = match self.client {
            RetainedPrefix::Nothing => 0,
            RetainedPrefix::First(counted) => last.raw.billed_offset(counted.0),
            RetainedPrefix::All => last.raw.billed,
        };
        PromptBoundaries {
            unchanged: client,
            client_unchanged: client,
            cacheable: last.cacheable_tokens(last.raw),
            ..PromptBoundaries::default()
        }
    }

    fn shaped_boundaries(&self, last: &LastBilledRequest) -> PromptBoundaries {
        let (raw, shaped) = (last.raw, last.shaped);
        let client = match self.client {
            RetainedPrefix::Nothing => 0,
            RetainedPrefix::First(counted) => {
                shaped.billed_offset(scale_proportionally(shaped.counted, counted.0, raw.counted))
            }
            RetainedPrefix::All => shaped.billed,
        };
        let foveal = match self.foveal {
            RetainedPrefix::Nothing => 0,
            RetainedPrefix::First(counted) => shaped.billed_offset(counted.0),
            RetainedPrefix::All => shaped.billed,
        };
        PromptBoundaries {
            unchanged: client.min(foveal),
            client_unchanged: client,
            cacheable: last.cacheable_tokens(shaped),
            ..PromptBoundaries::default()
        }
    }
}

impl LastBilledRequest {
    /// Returns the tokens of a prompt that a cache could hold.
    fn cacheable_tokens(&self, prompt: PromptTokenCounts) -> u64 {
        prompt.billed.saturating_sub(self.tail)
    }

    fn is_expired(
        &self,
        since: Option<Timestamp>,
        now: Option<Timestamp>,
        prices: &PriceCard,
    ) -> bool {
        let lifetime = if self.hour { Some(HOUR_LIFETIME_MS) } else { prices.cache_lifetime_ms };
        match (lifetime, since, now) {
            (Some(lifetime), Some(last), Some(now)) => now.since_ms(last) > lifetime,
            _ => false,
        }
    }
}

/// Returns the tokens of the other prompt that would have been read from the cache. `before` holds
/// the last request's prompts: the sent one and the other.
fn counterfactual_read(
    line: &PromptBoundaries,
    other: &PromptBoundaries,
    before: [PromptTokenCounts; 2],
) -> u64 {
    let (same, other_same) =
        (line.unchanged.min(line.cacheable), other.unchanged.min(other.cacheable));
    let read = line.read;
    if read < same {
        // If only foveal's own change kept the provider from finding the unchanged part, it would
        // have found it.
        let is_own = !line.expired && line.unchanged < line.client_unchanged;
        return if is_own { other_same } else { map_offset(read, before).min(other_same) };
    }
    let more = other_same + (read - same);
    // The provider read beyond a change, so it saw no change there.
    if same < line.cacheable { more.max(map_offset(read, before)) } else { more }
}

/// Maps an offset in the sent prompt to the other prompt.
fn map_offset(place: u64, [went, other]: [PromptTokenCounts; 2]) -> u64 {
    let (head, of, to) = (went.prelude_tokens(), went.message_tokens(), other.message_tokens());
    let messages = place.saturating_sub(head);
    place.min(head) + if of == 0 { messages } else { scale_proportionally(to, messages, of) }
}
