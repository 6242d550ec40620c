//! List prices of models that cost another price than the card of their maker.

use serde::Deserialize;

use crate::prices::PriceCard;

/// One of them. From the makers' pages as of 2025 (platform.claude.com/docs/en/about-claude/pricing,
/// openai.com/api/pricing, ai.google.dev/gemini-api/docs/pricing).
#[derive(Deserialize)]
struct ListPrice {
    /// What the model's name has in it.
    name: String,
    input: f64,
    output: f64,
}

/// `card` at the list price of `model`, with its own ratios for writing and reading; called after
/// what the model's name has in it. The card as it is where no other price is known.
pub fn at_list_price(card: PriceCard, model: &str) -> PriceCard {
    // Clouds put other signs in the same names: `claude-opus-4@20250514`, `claude-3.5-haiku`.
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
