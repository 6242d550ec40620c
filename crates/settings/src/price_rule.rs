//! The prices of models in a settings file.

use foveal_gateway::request_prices::UNPRICED_CARD_NAME;
use foveal_proxy::price_overrides::{PriceOverride, PriceOverrideRule, PriceOverrides};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::setting_values::deserialize_glob;

/// Prices for some requests. They are in US dollars per million tokens.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PriceEntry {
    /// The name of the prices in bills.
    name: Option<String>,
    /// The models, as a glob over the whole name.
    #[serde(default, deserialize_with = "deserialize_glob")]
    model: Option<String>,
    /// The name of the server.
    upstream: Option<String>,
    /// Plain input.
    input: f64,
    /// Input read from the cache; if not set, nothing is cached.
    cached: Option<f64>,
    /// Input written to the cache; if not set, as plain input.
    written: Option<f64>,
    /// Output.
    output: f64,
    /// The lifetime of an unused cache entry, in minutes.
    cache_minutes: Option<u32>,
}

/// A rule for the prices of requests whose model matches the glob, sent to the upstream of this
/// name.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "PriceEntry")]
#[schemars(with = "PriceEntry")]
pub struct PriceRule {
    /// A glob over the names of models; `None` for all.
    pub model: Option<String>,
    /// The name of the upstream; `None` for all.
    pub upstream: Option<String>,
    /// The prices.
    pub prices: PriceOverride,
}

/// Compiles all rules.
///
/// # Errors
/// If a glob is invalid.
pub fn build_price_overrides(rules: &[PriceRule]) -> Result<PriceOverrides, globset::Error> {
    let compile = |PriceRule { model, upstream, prices }: &PriceRule| {
        PriceOverrideRule::new(model.as_deref(), upstream.as_deref(), prices.clone())
    };
    Ok(PriceOverrides(rules.iter().map(compile).collect::<Result<_, _>>()?))
}

/// The reason why prices are rejected.
#[derive(Debug, thiserror::Error)]
enum PriceEntryError {
    #[error("prices without a target: set `model`, `upstream`, or both")]
    ForNothing,
    #[error("`{field} = {found}`: give US dollars per million tokens, 0 or more")]
    NoPrice { field: &'static str, found: f64 },
    #[error("`cached` costs more than `input`: both are US dollars per million tokens")]
    CachedCostsMore,
    #[error("`{0}` is set without `cached`, the price of reading from the cache: set both")]
    NoCache(&'static str),
    #[error(
        "`name = \"{UNPRICED_CARD_NAME}\"` is reserved for models without a price: choose another"
    )]
    Unpriced,
    #[error("`cache_minutes = 0` is not valid: remove it, or remove `cached` if nothing is cached")]
    NoTime,
}

impl TryFrom<PriceEntry> for PriceRule {
    type Error = PriceEntryError;

    fn try_from(entry: PriceEntry) -> Result<Self, PriceEntryError> {
        let PriceEntry { name, model, upstream, input, cached, written, output, cache_minutes } =
            entry;
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
        let prices = PriceOverride {
            name,
            input,
            cache_read: cached,
            cache_write: written,
            output,
            cache_lifetime_ms,
        };
        Ok(Self { model, upstream, prices })
    }
}
