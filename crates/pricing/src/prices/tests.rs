use super::*;

#[test]
fn built_in_cards_pass_the_checks_of_user_cards() {
    let cards: Vec<Value> =
        serde_json::from_str(include_str!("../../data/prices.json")).expect("JSON");
    let read: Vec<PriceCard> = cards
        .iter()
        .map(|card| PriceCard::from_json(&card.to_string()).expect("a usable card"))
        .collect();
    assert_eq!(read, PriceCard::built_in_cards());
    for card in &read {
        assert!(!card.source.is_empty() && card.as_of.len() == 10, "{} has a source", card.name);
        assert_eq!(PriceCard::find(&card.name).as_ref(), Some(card));
    }
    assert_eq!(PriceCard::find("anthropic"), None);
}

#[test]
fn ratios_are_those_the_providers_state() {
    let table: Vec<String> = PriceCard::built_in_cards()
        .iter()
        .map(|card| {
            let minutes = card.cache_lifetime_ms.map(|ms| ms / 60_000);
            format!(
                "{} write {:.2} read {:.2} minutes {minutes:?}",
                card.name,
                card.write_ratio(),
                card.read_ratio()
            )
        })
        .collect();
    assert_eq!(
        table,
        [
            "anthropic-5m write 1.25 read 0.10 minutes Some(5)",
            "anthropic-1h write 2.00 read 0.10 minutes Some(60)",
            "anthropic-low-read write 1.25 read 0.05 minutes Some(5)",
            "openai-before write 1.00 read 0.10 minutes Some(5)",
            "openai-after write 1.25 read 0.10 minutes Some(30)",
            "gemini write 1.00 read 0.10 minutes Some(5)",
            "flat write 1.00 read 1.00 minutes None",
        ]
    );
    assert_eq!(PriceCard::anthropic_5m().name, "anthropic-5m");
    let free = PriceCard { input: 0.0, ..PriceCard::anthropic_5m() };
    assert_eq!((free.write_ratio(), free.read_ratio()), (1.0, 1.0));
}

/// The error for a good card with `field` set to `value` (JSON), or left out.
fn check(field: &str, value: Option<&str>, error: &str) {
    let mut card: Map<String, Value> = serde_json::from_str(
        r#"{"name": "mine", "input": 2, "cache_write": 2.5, "cache_read": 0.2, "output": 8,
                "cache_lifetime_ms": null, "cache_minimum": 1024}"#,
    )
    .expect("JSON");
    assert!(PriceCard::from_json(&Value::Object(card.clone()).to_string()).is_ok());
    match value {
        Some(value) => card.insert(field.to_owned(), serde_json::from_str(value).expect("JSON")),
        None => card.remove(field),
    };
    let read = PriceCard::from_json(&Value::Object(card).to_string());
    assert_eq!(read.expect_err("a broken card").to_string(), error);
}

#[test]
fn broken_cards_are_named_by_field() {
    let price = "a price of 0 or more, in dollars per million tokens";
    check("input", None, "the price card has no `input`");
    check("cache_lifetime_ms", None, "the price card has no `cache_lifetime_ms`");
    check("output", Some("-1"), &format!("`output` in the price card is `-1`: expected {price}"));
    check(
        "output",
        Some("null"),
        &format!("`output` in the price card is `null`: expected {price}"),
    );
    check(
        "input",
        Some("\"NaN\""),
        &format!("`input` in the price card is `\"NaN\"`: expected {price}"),
    );
    check("name", Some("\" \""), "`name` in the price card is `\" \"`: expected a name");
    check(
        "cache_minimum",
        Some("0.5"),
        "`cache_minimum` in the price card is `0.5`: expected a whole number of 0 or more",
    );
    check(
        "cache_lifetime_ms",
        Some("-5"),
        "`cache_lifetime_ms` in the price card is `-5`: expected milliseconds, or null if there is no cache",
    );
    check(
        "cache_lookback_blocks",
        Some("-1"),
        "`cache_lookback_blocks` in the price card is `-1`: expected a whole number of blocks, or null",
    );
    check(
        "cache_reads",
        Some("1"),
        "the price card has an unknown field `cache_reads`; valid fields are name, input, \
         cache_write, cache_read, output, cache_lifetime_ms, cache_minimum, cache_lookback_blocks, source, as_of",
    );
    for (text, error) in [
        ("[1]", "the price card is not a JSON object"),
        ("", "the price card is not JSON"),
        (r#"{"input": NaN}"#, "the price card is not JSON"),
        (r#"{"input": 1e999}"#, "the price card is not JSON"),
    ] {
        let read = PriceCard::from_json(text);
        assert_eq!(read.expect_err("not a card").to_string(), error, "{text}");
    }
}
