//! Price cards: what a provider charges for input, cached input and output.
//!
//! The built-in cards are data (`data/prices.json`), each with its source. Their
//! `cache_minimum` is 0: recordings leave out the system prompt and the tool schemas, which
//! alone exceed every provider's minimum.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tokens::Tokens;

/// One provider's prices, in US dollars per million tokens, and the rules of its cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PriceCard {
    /// The card's name on the command line.
    pub name: String,
    /// Uncached input.
    pub input: f64,
    /// Input written to the cache; equal to `input` where writing is free of charge.
    pub cache_write: f64,
    /// Input read from the cache.
    pub cache_read: f64,
    /// Output.
    pub output: f64,
    /// How long an unused cache entry lives, in milliseconds; `None` where nothing is cached.
    pub cache_lifetime_ms: Option<i64>,
    /// Prompts shorter than this are not cached.
    pub cache_minimum: Tokens,
    /// Where the provider keeps a prompt only up to marks: how many blocks it looks back from a
    /// mark for what it kept earlier. `None` where it finds whatever two prompts begin with.
    #[serde(default)]
    pub cache_lookback_blocks: Option<u32>,
    /// Where the figures are from, and what is assumed or left out.
    #[serde(default)]
    pub source: String,
    /// The day the figures were looked up, as `2026-11-21`.
    #[serde(default)]
    pub as_of: String,
}

/// What a provider refuses, whatever it would save. What caching and writing cost is in the
/// [`PriceCard`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraints {
    /// Whether the model's reasoning is bound to the messages before it: then nothing that
    /// stands before reasoning is rewritten, unless the client itself rewrote.
    pub reasoning_is_bound: bool,
}

/// A price card that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    /// The text is not JSON.
    #[error("the price card is not JSON")]
    Json(#[from] serde_json::Error),
    /// The text is JSON, but no object.
    #[error("the price card is not a JSON object")]
    NotAnObject,
    /// A field is absent.
    #[error("the price card has no `{field}`")]
    Missing {
        /// The field.
        field: &'static str,
    },
    /// A field holds something else than it should.
    #[error("`{field}` in the price card is `{found}`; expected is {expected}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// Its value as JSON.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
    /// A field no card has; most likely a misspelling.
    #[error("the price card has an unknown field `{field}`; known are {}", FIELDS.join(", "))]
    Unknown {
        /// The field.
        field: String,
    },
}

const FIELDS: [&str; 10] = [
    "name",
    "input",
    "cache_write",
    "cache_read",
    "output",
    "cache_lifetime_ms",
    "cache_minimum",
    "cache_lookback_blocks",
    "source",
    "as_of",
];

impl PriceCard {
    /// The built-in cards, the default first.
    pub fn all() -> Vec<PriceCard> {
        serde_json::from_str(include_str!("../data/prices.json"))
            .expect("the built-in cards are checked by a test")
    }

    /// The built-in card called `name`.
    pub fn named(name: &str) -> Option<PriceCard> {
        Self::all().into_iter().find(|card| card.name == name)
    }

    /// Anthropic's ratios with the 5-minute cache, at Claude Opus 4.5's list price.
    pub fn anthropic_5m() -> Self {
        Self::named("anthropic-5m").expect("a test names every built-in card")
    }

    /// Reads a card of the user's: an object with the fields of [`PriceCard`], in US dollars
    /// per million tokens. `cache_lookback_blocks`, `source` and `as_of` may be left out.
    ///
    /// # Errors
    /// [`PriceError`] for text that is not JSON, missing or unknown fields, and prices that
    /// are negative or not finite.
    pub fn from_json(text: &str) -> Result<PriceCard, PriceError> {
        let Value::Object(fields) = serde_json::from_str(text)? else {
            return Err(PriceError::NotAnObject);
        };
        if let Some(field) = fields.keys().find(|field| !FIELDS.contains(&field.as_str())) {
            return Err(PriceError::Unknown { field: field.clone() });
        }
        Ok(PriceCard {
            name: name(&fields)?,
            input: price(&fields, "input")?,
            cache_write: price(&fields, "cache_write")?,
            cache_read: price(&fields, "cache_read")?,
            output: price(&fields, "output")?,
            cache_lifetime_ms: lifetime(&fields)?,
            cache_minimum: Tokens(count(&fields, "cache_minimum")?),
            cache_lookback_blocks: lookback(&fields)?,
            source: remark(&fields, "source")?,
            as_of: remark(&fields, "as_of")?,
        })
    }

    /// What writing to the cache costs, as a multiple of uncached input; 1 where the input
    /// is free, so that no decision rests on a division by zero.
    pub fn write_ratio(&self) -> f64 {
        self.ratio(self.cache_write)
    }

    /// What reading from the cache costs, as a multiple of uncached input; 1 where the input
    /// is free.
    pub fn read_ratio(&self) -> f64 {
        self.ratio(self.cache_read)
    }

    /// What it costs more to write to the cache than to read from it, as a multiple of uncached
    /// input.
    pub fn premium(&self) -> f64 {
        self.write_ratio() - self.read_ratio()
    }

    fn ratio(&self, price: f64) -> f64 {
        if self.input > 0.0 { price / self.input } else { 1.0 }
    }
}

fn field<'a>(fields: &'a Map<String, Value>, name: &'static str) -> Result<&'a Value, PriceError> {
    fields.get(name).ok_or(PriceError::Missing { field: name })
}

fn invalid(field: &'static str, found: &Value, expected: &'static str) -> PriceError {
    PriceError::Invalid { field, found: found.to_string(), expected }
}

fn name(fields: &Map<String, Value>) -> Result<String, PriceError> {
    let found = field(fields, "name")?;
    match found.as_str() {
        Some(name) if !name.trim().is_empty() => Ok(name.to_owned()),
        _ => Err(invalid("name", found, "a name")),
    }
}

fn price(fields: &Map<String, Value>, name: &'static str) -> Result<f64, PriceError> {
    let found = field(fields, name)?;
    match found.as_f64() {
        Some(price) if price.is_finite() && price >= 0.0 => Ok(price),
        _ => Err(invalid(name, found, "a price of 0 or more, in dollars per million tokens")),
    }
}

fn count(fields: &Map<String, Value>, name: &'static str) -> Result<u64, PriceError> {
    let found = field(fields, name)?;
    found.as_u64().ok_or_else(|| invalid(name, found, "a whole number of 0 or more"))
}

fn lifetime(fields: &Map<String, Value>) -> Result<Option<i64>, PriceError> {
    let found = field(fields, "cache_lifetime_ms")?;
    match found.as_i64() {
        Some(lifetime) if lifetime >= 0 => Ok(Some(lifetime)),
        None if found.is_null() => Ok(None),
        _ => Err(invalid("cache_lifetime_ms", found, "milliseconds, or null without a cache")),
    }
}

fn lookback(fields: &Map<String, Value>) -> Result<Option<u32>, PriceError> {
    let name = "cache_lookback_blocks";
    let Some(found) = fields.get(name).filter(|found| !found.is_null()) else { return Ok(None) };
    let blocks = found.as_u64().and_then(|blocks| u32::try_from(blocks).ok());
    blocks.map(Some).ok_or_else(|| invalid(name, found, "a whole number of blocks, or null"))
}

fn remark(fields: &Map<String, Value>, name: &'static str) -> Result<String, PriceError> {
    match fields.get(name) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(found) => Err(invalid(name, found, "text")),
    }
}

#[cfg(test)]
mod tests;
