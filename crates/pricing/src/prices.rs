//! Price cards: the prices of a provider for input, cached input and output.
//!
//! The built-in cards are data (`data/prices.json`), each with its source. Their `cache_minimum` is
//! 0: recordings leave out the system prompt and the tool schemas, which alone exceed every
//! provider's minimum.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tokens::Tokens;

/// The prices of a provider, in US dollars per million tokens, and the rules of its cache.
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
    /// Lifetime of an unused cache entry, in milliseconds; `None` where nothing is cached.
    pub cache_lifetime_ms: Option<i64>,
    /// Prompts shorter than this are not cached.
    pub cache_minimum: Tokens,
    /// For providers that cache up to breakpoints: the number of blocks that a breakpoint looks
    /// back for an earlier entry. `None` where the provider finds any common prefix.
    #[serde(default)]
    pub cache_lookback_blocks: Option<u32>,
    /// The source of the figures, with assumptions and omissions.
    #[serde(default)]
    pub source: String,
    /// The day the figures were looked up, as `2026-11-21`.
    #[serde(default)]
    pub as_of: String,
}

/// The reason why a price card cannot be used.
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
    /// A field has an invalid value.
    #[error("`{field}` in the price card is `{found}`: expected {expected}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// Its value as JSON.
        found: String,
        /// A description of valid values.
        expected: &'static str,
    },
    /// An unknown field, most likely a misspelling.
    #[error(
        "the price card has an unknown field `{field}`; valid fields are {}",
        FIELDS.join(", ")
    )]
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

/// The most price cards that a text names.
const NAMED_CARDS_MAX: usize = 2;

/// Returns the names of price cards for a text; `None` if there are too many.
pub fn join_card_names(cards: &[PriceCard]) -> Option<String> {
    let names = || cards.iter().map(|card| &*card.name).collect::<Vec<_>>().join(" and ");
    (cards.len() <= NAMED_CARDS_MAX).then(names)
}

impl PriceCard {
    /// Returns the built-in cards, the default first.
    pub fn built_in_cards() -> Vec<PriceCard> {
        serde_json::from_str(include_str!("../data/prices.json"))
            .expect("the built-in cards are checked by a test")
    }

    /// Returns the built-in card called `name`.
    pub fn find(name: &str) -> Option<PriceCard> {
        Self::built_in_cards().into_iter().find(|card| card.name == name)
    }

    /// Returns Anthropic's card: the ratios of the 5-minute cache at Claude Opus 4.5's list price.
    pub fn anthropic_5m() -> Self {
        Self::find("anthropic-5m").expect("a test names every built-in card")
    }

    /// Parses a card of the user: an object with the fields of [`PriceCard`], in US dollars per
    /// million tokens. `cache_lookback_blocks`, `source` and `as_of` are optional.
    ///
    /// # Errors
    /// [`PriceError`] for text that is not JSON, missing or unknown fields, and prices that are
    /// negative or not finite.
    pub fn from_json(text: &str) -> Result<PriceCard, PriceError> {
        let Value::Object(fields) = serde_json::from_str(text)? else {
            return Err(PriceError::NotAnObject);
        };
        if let Some(field) = fields.keys().find(|field| !FIELDS.contains(&field.as_str())) {
            return Err(PriceError::Unknown { field: field.clone() });
        }
        Ok(PriceCard {
            name: parse_name(&fields)?,
            input: parse_price(&fields, "input")?,
            cache_write: parse_price(&fields, "cache_write")?,
            cache_read: parse_price(&fields, "cache_read")?,
            output: parse_price(&fields, "output")?,
            cache_lifetime_ms: parse_lifetime(&fields)?,
            cache_minimum: Tokens(parse_count(&fields, "cache_minimum")?),
            cache_lookback_blocks: parse_lookback(&fields)?,
            source: parse_optional_text(&fields, "source")?,
            as_of: parse_optional_text(&fields, "as_of")?,
        })
    }

    /// Returns the price of a cache write as a multiple of uncached input; 1 if the input is free,
    /// so that no decision divides by zero.
    pub fn write_ratio(&self) -> f64 {
        self.ratio_to_input(self.cache_write)
    }

    /// Returns the price of a cache read as a multiple of uncached input; 1 if the input is free.
    pub fn read_ratio(&self) -> f64 {
        self.ratio_to_input(self.cache_read)
    }

    /// Returns the difference between the prices of a cache write and a cache read, as a multiple
    /// of uncached input.
    pub fn write_premium(&self) -> f64 {
        self.write_ratio() - self.read_ratio()
    }

    fn ratio_to_input(&self, price: f64) -> f64 {
        if self.input > 0.0 { price / self.input } else { 1.0 }
    }
}

fn required_field<'a>(
    fields: &'a Map<String, Value>,
    name: &'static str,
) -> Result<&'a Value, PriceError> {
    fields.get(name).ok_or(PriceError::Missing { field: name })
}

fn invalid_field(field: &'static str, found: &Value, expected: &'static str) -> PriceError {
    PriceError::Invalid { field, found: found.to_string(), expected }
}

fn parse_name(fields: &Map<String, Value>) -> Result<String, PriceError> {
    let found = required_field(fields, "name")?;
    match found.as_str() {
        Some(name) if !name.trim().is_empty() => Ok(name.to_owned()),
        _ => Err(invalid_field("name", found, "a name")),
    }
}

fn parse_price(fields: &Map<String, Value>, name: &'static str) -> Result<f64, PriceError> {
    let found = required_field(fields, name)?;
    match found.as_f64() {
        Some(price) if price.is_finite() && price >= 0.0 => Ok(price),
        _ => Err(invalid_field(name, found, "a price of 0 or more, in dollars per million tokens")),
    }
}

fn parse_count(fields: &Map<String, Value>, name: &'static str) -> Result<u64, PriceError> {
    let found = required_field(fields, name)?;
    found.as_u64().ok_or_else(|| invalid_field(name, found, "a whole number of 0 or more"))
}

fn parse_lifetime(fields: &Map<String, Value>) -> Result<Option<i64>, PriceError> {
    let found = required_field(fields, "cache_lifetime_ms")?;
    match found.as_i64() {
        Some(lifetime) if lifetime >= 0 => Ok(Some(lifetime)),
        None if found.is_null() => Ok(None),
        _ => Err(invalid_field(
            "cache_lifetime_ms",
            found,
            "milliseconds, or null if there is no cache",
        )),
    }
}

fn parse_lookback(fields: &Map<String, Value>) -> Result<Option<u32>, PriceError> {
    let name = "cache_lookback_blocks";
    let Some(found) = fields.get(name).filter(|found| !found.is_null()) else { return Ok(None) };
    let blocks = found.as_u64().and_then(|blocks| u32::try_from(blocks).ok());
    blocks.map(Some).ok_or_else(|| invalid_field(name, found, "a whole number of blocks, or null"))
}

fn parse_optional_text(
    fields: &Map<String, Value>,
    name: &'static str,
) -> Result<String, PriceError> {
    match fields.get(name) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(found) => Err(invalid_field(name, found, "text")),
    }
}

#[cfg(test)]
mod tests;
