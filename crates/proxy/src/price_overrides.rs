//! The user's own prices, by model and upstream.

use foveal_pricing::prices::PriceCard;
use foveal_protocols::Protocol;
use globset::{Glob, GlobBuilder, GlobMatcher};

use crate::models::ModelTraits;

/// The assumed lifetime of an unused cache entry if none is known: that of Anthropic, and the lower
/// bound that OpenAI documents.
const CACHE_LIFETIME_MS: i64 = 5 * 60 * 1000;

/// Prices in US dollars per million tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceOverride {
    /// Their name in bills.
    pub name: String,
    /// Uncached input.
    pub input: f64,
    /// Input read from the cache; `None` if the provider caches nothing.
    pub cache_read: Option<f64>,
    /// Input written to the cache; `None` for the price of uncached input.
    pub cache_write: Option<f64>,
    /// Output.
    pub output: f64,
    /// The lifetime of an unused cache entry, in milliseconds; `None` for that of the model's
    /// maker.
    pub cache_lifetime_ms: Option<i64>,
}

/// Prices, and the requests that they apply to.
#[derive(Debug, Clone)]
pub struct PriceOverrideRule {
    model: Option<GlobMatcher>,
    upstream: Option<String>,
    prices: PriceOverride,
}

/// All rules; the first match wins.
#[derive(Debug, Clone, Default)]
pub struct PriceOverrides(pub Vec<PriceOverrideRule>);

impl PriceOverrideRule {
    /// Creates a rule for models that the glob matches as a whole, case ignored, at the upstream of
    /// this name. `None` matches everything.
    ///
    /// # Errors
    /// If the glob cannot be parsed.
    pub fn new(
        model: Option<&str>,
        upstream: Option<&str>,
        said: PriceOverride,
    ) -> Result<Self, globset::Error> {
        let matcher = |glob: &str| -> Result<GlobMatcher, globset::Error> {
            let glob: Glob = GlobBuilder::new(glob).case_insensitive(true).build()?;
            Ok(glob.compile_matcher())
        };
        let model = model.map(matcher).transpose()?;
        Ok(Self { model, upstream: upstream.map(str::to_owned), prices: said })
    }

    fn matches(&self, model: &str, upstream: &str) -> bool {
        self.model.as_ref().is_none_or(|glob| glob.is_match(model))
            && self.upstream.as_ref().is_none_or(|name| name == upstream)
    }
}

impl PriceOverrides {
    /// Returns the traits of a model at an upstream, with the user's prices.
    pub fn resolve_model(&self, name: &str, protocol: Protocol, upstream: &str) -> ModelTraits {
        let mut model = ModelTraits::from_name(name, protocol);
        if let Some(said) = self.find_override(name, upstream) {
            model.prices = said.to_price_card(&model.prices);
        }
        model
    }

    /// Returns the user's prices of a model at an upstream.
    pub fn find_override(&self, model: &str, upstream: &str) -> Option<&PriceOverride> {
        let own = self.0.iter().find(|own| own.matches(model, upstream));
        own.map(|own| &own.prices)
    }
}

impl PriceOverride {
    /// Converts the prices to a price card. `maker` is the card of the model's maker.
    pub fn to_price_card(&self, maker: &PriceCard) -> PriceCard {
        let lives = self.cache_lifetime_ms.or(maker.cache_lifetime_ms);
        PriceCard {
            name: self.name.clone(),
            input: self.input,
            cache_write: self.cache_write.unwrap_or(self.input),
            cache_read: self.cache_read.unwrap_or(self.input),
            output: self.output,
            cache_lifetime_ms: self.cache_read.map(|_| lives.unwrap_or(CACHE_LIFETIME_MS)),
            source: "the user's settings".to_owned(),
            as_of: String::new(),
            ..maker.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use foveal_protocols::Protocol;

    use super::{CACHE_LIFETIME_MS, PriceOverride, PriceOverrideRule, PriceOverrides};

    fn said(name: &str, cached: Option<f64>) -> PriceOverride {
        let (name, cache_lifetime_ms) = (name.to_owned(), None);
        PriceOverride {
            name,
            input: 2.0,
            cache_read: cached,
            cache_write: None,
            output: 8.0,
            cache_lifetime_ms,
        }
    }

    #[test]
    fn the_first_that_matches_counts() {
        let own = |model, upstream, name| {
            PriceOverrideRule::new(model, upstream, said(name, Some(0.5))).expect("a glob")
        };
        let prices = PriceOverrides(vec![
            own(Some("glm-*"), Some("work"), "both"),
            own(Some("glm-*"), None, "model"),
            own(None, Some("work"), "upstream"),
        ]);
        let name = |model: &str, upstream: &str| {
            prices.resolve_model(model, Protocol::Chat, upstream).prices.name
        };
        assert_eq!(name("GLM-5", "work"), "both");
        assert_eq!(name("glm-5", "other"), "model");
        assert_eq!(name("kimi", "work"), "upstream");
        assert_eq!(name("my-glm-5", "other"), "flat");
        assert_eq!(name("gpt-5", "openai"), "openai-before");
    }

    #[test]
    fn what_is_not_said_costs_what_input_costs() {
        let card = |model: &str, said: PriceOverride| {
            let own = PriceOverrideRule::new(Some("*"), None, said).expect("a glob");
            PriceOverrides(vec![own]).resolve_model(model, Protocol::Chat, "").prices
        };
        let plain = card("glm-5", said("own", None));
        assert_eq!(
            (plain.cache_read, plain.cache_write, plain.cache_lifetime_ms),
            (2.0, 2.0, None)
        );
        let cached = card("glm-5", said("own", Some(0.5)));
        assert_eq!((cached.read_ratio(), cached.write_ratio()), (0.25, 1.0));
        assert_eq!(cached.cache_lifetime_ms, Some(CACHE_LIFETIME_MS));
        // As long as with the maker, where that is known.
        assert_eq!(card("gpt-5.6", said("own", Some(0.5))).cache_lifetime_ms, Some(1_800_000));
    }
}
