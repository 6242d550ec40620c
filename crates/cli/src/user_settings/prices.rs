//! The `[[gateway.prices]]` entries of a settings file.

use foveal_gateway::request_prices::UNPRICED_CARD_NAME;
use foveal_proxy::price_overrides::PriceOverride;
use serde::Deserialize;

use super::glob::GlobText;
use crate::gateway::PriceRule;

/// The fields of an entry. Prices are in US dollars per million tokens.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFields {
    /// The name of the prices in bills.
    name: Option<String>,
    model: Option<GlobText>,
    upstream: Option<String>,
    input: f64,
    cached: Option<f64>,
    written: Option<f64>,
    output: f64,
    /// The lifetime of an unused cache entry, in minutes.
    cache_minutes: Option<u32>,
}

/// A checked price entry.
#[derive(Debug, Deserialize)]
#[serde(try_from = "WrittenFields")]
pub(super) struct PriceEntry(pub(super) PriceRule);

/// The reason why prices are rejected.
#[derive(Debug, thiserror::Error)]
enum PriceEntryError {
    #[error("prices for nothing: say what they are for by `model`, by `upstream`, or by both")]
    ForNothing,
    #[error("`{field} = {found}`: give US dollars per million tokens, 0 or more")]
    NoPrice { field: &'static str, found: f64 },
    #[error("`cached` costs more than `input`: both are US dollars per million tokens")]
    CachedCostsMore,
    #[error(
        "`{0}` says something of a cache, and `cached` does not say what reading from it costs"
    )]
    NoCache(&'static str),
    #[error(
        "`name = \"{UNPRICED_CARD_NAME}\"` is what foveal calls models without a price: give another"
    )]
    Unpriced,
    #[error("`cache_minutes = 0`: leave it out, or leave `cached` out where nothing is cached")]
    NoTime,
}

impl TryFrom<WrittenFields> for PriceEntry {
    type Error = PriceEntryError;

    fn try_from(written: WrittenFields) -> Result<Self, PriceEntryError> {
        let WrittenFields { name, model, upstream, input, cached, written, output, cache_minutes } =
            written;
        let model = model.map(|glob| glob.0);
        let Some(what) = model.as_ref().or(upstream.as_ref()) else {
            return Err(PriceEntryError::ForNothing);
        };
        let all = [
            ("input", Some(input)),
            ("cached", cached),
            ("written", written),
            ("output", Some(output)),
        ];
        for (field, price) in all {
            if let Some(found) = price.filter(|price| !(price.is_finite() && *price >= 0.0)) {
                return Err(PriceEntryError::NoPrice { field, found });
            }
        }
        if cached.is_some_and(|cached| cached > input) {
            return Err(PriceEntryError::CachedCostsMore);
        }
        for (field, is_said) in
            [("written", written.is_some()), ("cache_minutes", cache_minutes.is_some())]
        {
            if is_said && cached.is_none() {
                return Err(PriceEntryError::NoCache(field));
            }
        }
        if cache_minutes == Some(0) {
            return Err(PriceEntryError::NoTime);
        }
        let cache_lifetime_ms = cache_minutes.map(|minutes| i64::from(minutes) * 60_000);
        let name = name.unwrap_or_else(|| what.clone());
        if name == UNPRICED_CARD_NAME {
            return Err(PriceEntryError::Unpriced);
        }
        let said = PriceOverride {
            name,
            input,
            cache_read: cached,
            cache_write: written,
            output,
            cache_lifetime_ms,
        };
        Ok(Self(PriceRule { model, upstream, prices: said }))
    }
}
