//! List prices of models that differ from the price card of their vendor.

use serde::Deserialize;

use crate::prices::PriceCard;

/// A list price, from the vendors' pages as of 2025
/// (platform.claude.com/docs/en/about-claude/pricing, openai.com/api/pricing,
/// ai.google.dev/gemini-api/docs/pricing).
#[derive(Deserialize)]
struct ListPrice {
    /// A part of the model's name.
    name: String,
    input: f64,
    output: f64,
}

/// Returns `card` at the list price of `model`, with the card's ratios for cache writes and reads
/// and the matched part of the model's name. Returns the card unchanged if no other price is known.
pub fn at_list_price(card: PriceCard, model: &str) -> PriceCard {
    // Clouds use other separators in the same names: `claude-opus-4@20250514`, `claude-3.5-haiku`.
    let plain = |name: &str| name.to_ascii_lowercase().replace(['@', '.'], "-");
    let model = plain(model);
    let all: Vec<ListPrice> = serde_json::from_str(include_str!("../../data/list_prices.json"))
        .expect("the built-in prices are checked by a test");
    let named = all.into_iter().filter(|price| model.contains(&plain(&price.name)));
    let Some(price) = named.max_by_key(|price| price.name.len()) else { return card };
    PriceCard {
        cache_write: card.write_ratio() * price.input,
        cache_read: card.read_ratio() * price.input,
        input: price.input,
        output: price.output,
        name: price.name,
        ..card
    }
}

#[cfg(test)]
mod tests {
    use super::at_list_price;
    use crate::prices::PriceCard;

    #[test]
    fn a_model_costs_its_own_price() {
        let prices = |model| {
            let card = at_list_price(PriceCard::anthropic_5m(), model);
            (card.name, card.input, card.cache_write, card.cache_read, card.output)
        };
        let of =
            |name: &str, input, write, read, output| (name.to_owned(), input, write, read, output);
        assert_eq!(prices("claude-opus-4-5"), of("anthropic-5m", 5.0, 6.25, 0.5, 25.0));
        assert_eq!(prices("Claude-Sonnet-4-5-20250929").0, "sonnet");
        assert_eq!(
            prices("claude-opus-4-20250514"),
            of("claude-opus-4-2025", 15.0, 18.75, 1.5, 75.0)
        );
        assert_eq!(prices("claude-3-5-haiku-latest").1, 0.8);
        assert_eq!(prices("us.anthropic.claude-haiku-4-5-v1:0").1, 1.0);
    }
}
