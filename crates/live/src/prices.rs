//! Prices that the user says, by model and by who is asked.

use foveal_context::prices::PriceCard;
use foveal_wire::Protocol;
use globset::{Glob, GlobBuilder, GlobMatcher};

use crate::models::Model;

/// How long an unused entry is taken to live in a cache of which nothing else is known: as with
/// Anthropic, and the short end of what OpenAI documents.
const CACHE_LIFETIME_MS: i64 = 5 * 60 * 1000;

/// Prices in US dollars per million tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// How bills call them.
    pub name: String,
    /// Input that is not cached.
    pub input: f64,
    /// Input read from the cache; `None` where nothing is cached.
    pub cached: Option<f64>,
    /// Input written to the cache; `None` where that costs what input costs.
    pub written: Option<f64>,
    /// Output.
    pub output: f64,
    /// How long an unused cache entry lives, in milliseconds; `None` as with the model's maker.
    pub cache_lifetime_ms: Option<i64>,
}

/// The prices of requests that they are for.
#[derive(Debug, Clone)]
pub struct OwnPrice {
    model: Option<GlobMatcher>,
    upstream: Option<String>,
    said: Said,
}

/// All of them; the first that matches counts.
#[derive(Debug, Clone, Default)]
pub struct OwnPrices(pub Vec<OwnPrice>);

impl OwnPrice {
    /// For models that this glob matches as a whole, case ignored, asked of the upstream of this
    /// name. What is not given matches all.
    ///
    /// # Errors
    /// If that is no glob.
    pub fn new(
        model: Option<&str>,
        upstream: Option<&str>,
        said: Said,
    ) -> Result<Self, globset::Error> {
        let matcher = |glob: &str| -> Result<GlobMatcher, globset::Error> {
            let glob: Glob = GlobBuilder::new(glob).case_insensitive(true).build()?;
            Ok(glob.compile_matcher())
        };
        let model = model.map(matcher).transpose()?;
        Ok(Self { model, upstream: upstream.map(str::to_owned), said })
    }

    fn is_for(&self, model: &str, upstream: &str) -> bool {
        self.model.as_ref().is_none_or(|glob| glob.is_match(model))
            && self.upstream.as_ref().is_none_or(|name| name == upstream)
    }
}

impl OwnPrices {
    /// What is known of a model that is asked of an upstream, with what the user says of it.
    pub fn model(&self, name: &str, protocol: Protocol, upstream: &str) -> Model {
        let mut model = Model::named(name, protocol);
        if let Some(said) = self.said(name, upstream) {
            model.prices = said.card(&model.prices);
        }
        model
    }

    /// What the user says of a model that is asked of an upstream.
    pub fn said(&self, model: &str, upstream: &str) -> Option<&Said> {
        let own = self.0.iter().find(|own| own.is_for(model, upstream));
        own.map(|own| &own.said)
    }
}

impl Said {
    /// The same as a card. `maker` is that of the model's maker.
    pub fn card(&self, maker: &PriceCard) -> PriceCard {
        let lives = self.cache_lifetime_ms.or(maker.cache_lifetime_ms);
        PriceCard {
            name: self.name.clone(),
            input: self.input,
            cache_write: self.written.unwrap_or(self.input),
            cache_read: self.cached.unwrap_or(self.input),
            output: self.output,
            cache_lifetime_ms: self.cached.map(|_| lives.unwrap_or(CACHE_LIFETIME_MS)),
            source: "the user's settings".to_owned(),
            as_of: String::new(),
            ..maker.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use foveal_wire::Protocol;

    use super::{CACHE_LIFETIME_MS, OwnPrice, OwnPrices, Said};

    fn said(name: &str, cached: Option<f64>) -> Said {
        let (name, cache_lifetime_ms) = (name.to_owned(), None);
        Said { name, input: 2.0, cached, written: None, output: 8.0, cache_lifetime_ms }
    }

    #[test]
    fn the_first_that_matches_counts() {
        let own = |model, upstream, name| {
            OwnPrice::new(model, upstream, said(name, Some(0.5))).expect("a glob")
        };
        let prices = OwnPrices(vec![
            own(Some("glm-*"), Some("work"), "both"),
            own(Some("glm-*"), None, "model"),
            own(None, Some("work"), "upstream"),
        ]);
        let name =
            |model: &str, upstream: &str| prices.model(model, Protocol::Chat, upstream).prices.name;
        assert_eq!(name("GLM-5", "work"), "both");
        assert_eq!(name("glm-5", "other"), "model");
        assert_eq!(name("kimi", "work"), "upstream");
        assert_eq!(name("my-glm-5", "other"), "flat");
        assert_eq!(name("gpt-5", "openai"), "openai-before");
    }

    #[test]
    fn what_is_not_said_costs_what_input_costs() {
        let card = |model: &str, said: Said| {
            let own = OwnPrice::new(Some("*"), None, said).expect("a glob");
            OwnPrices(vec![own]).model(model, Protocol::Chat, "").prices
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
