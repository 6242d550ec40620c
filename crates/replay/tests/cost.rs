//! The effect of the provider's cache on the cost of a sequence of prompts.

use std::fmt::Write;

use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_replay::cost::{PromptCacheModel, PromptMessage};
use foveal_transcript::Timestamp;

/// Round prices: input 1, written 1.25, read 0.1; the cache lifetime is 300 seconds.
pub(crate) fn prices() -> PriceCard {
    let text = r#"{"name":"round","input":1.0,"cache_write":1.25,"cache_read":0.1,"output":5.0,
        "cache_lifetime_ms":300000,"cache_minimum":0}"#;
    PriceCard::from_json(text).expect("the card is complete")
}

/// Parses prompts like `@10 0=100 1.2=50`: seconds, then entry, version and tokens.
fn prompt(text: &str) -> (Option<Timestamp>, Vec<PromptMessage>) {
    let mut time = None;
    let mut messages = Vec::new();
    for word in text.split_whitespace() {
        if let Some(seconds) = word.strip_prefix('@') {
            time = Some(Timestamp(seconds.parse::<i64>().expect("seconds") * 1000));
            continue;
        }
        let (name, tokens) = word.split_once('=').expect("entry=tokens");
        let (entry, version) = name.split_once('.').unwrap_or((name, "0"));
        messages.push(PromptMessage {
            entry: entry.parse().expect("an entry"),
            version: version.parse().expect("a version"),
            tokens: Tokens(tokens.parse().expect("tokens")),
        });
    }
    (time, messages)
}

/// Charges prompts in order: all tokens, cached tokens, millionths of a dollar.
fn check(prices: &PriceCard, prompts: &[&str], expected: &str) {
    let mut cache = PromptCacheModel::default();
    let mut text = String::new();
    for line in prompts {
        let (time, messages) = prompt(line);
        // What is the same may be kept or put there again.
        let kept = cache.messages().iter().zip(&messages).take_while(|(old, new)| old == new);
        let kept = kept.count() / 2;
        drop(cache.truncate(kept));
        messages[kept..].iter().for_each(|message| cache.push(*message));
        let charge = cache.charge(time, prices);
        let cost = charge.dollars * 1e6;
        write!(text, "{}/{} {cost:.1}; ", charge.prompt.0, charge.cached.0).expect("a string");
    }
    assert_eq!(text.trim_end(), expected, "{prompts:?}");
}

#[test]
fn the_common_beginning_is_read_from_the_cache() {
    let prices = prices();
    check(&prices, &["@0 0=100"], "100/0 125.0;");
    // 100 read, 40 written.
    check(&prices, &["@0 0=100", "@1 0=100 1=40"], "100/0 125.0; 140/100 60.0;");
    // Another version of the first message: nothing of the last prompt is left.
    check(&prices, &["@0 0=100 1=40", "@1 0.1=10 1=40"], "140/0 175.0; 50/0 62.5;");
    // The second changed: the first is read, the rest written though the third is the same.
    check(&prices, &["@0 0=100 1=40 2=20", "@1 0=100 1.1=8 2=20"], "160/0 200.0; 128/100 45.0;");
    // A shorter prompt: all of it is read.
    check(&prices, &["@0 0=100 1=40", "@1 0=100"], "140/0 175.0; 100/100 10.0;");
    // Another entry in the second place; then the first prompt again, of which only the
    // last prompt's beginning is remembered.
    check(
        &prices,
        &["@0 0=100 1=40", "@1 0=100 2=40", "@2 0=100 1=40"],
        "140/0 175.0; 140/100 60.0; 140/100 60.0;",
    );
    check(&prices, &["@0", "@1 0=10"], "0/0 0.0; 10/0 12.5;");
}

#[test]
fn the_cache_expires_after_its_lifetime_without_use() {
    let prices = prices();
    check(&prices, &["@0 0=100", "@300 0=100"], "100/0 125.0; 100/100 10.0;");
    check(&prices, &["@0 0=100", "@301 0=100"], "100/0 125.0; 100/0 125.0;");
    // Each use starts the time anew.
    check(
        &prices,
        &["@0 0=100", "@200 0=100", "@400 0=100"],
        "100/0 125.0; 100/100 10.0; 100/100 10.0;",
    );
    // Where no time is recorded it does not expire, and the last known one counts on.
    check(&prices, &["0=100", "0=100"], "100/0 125.0; 100/100 10.0;");
    check(&prices, &["@0 0=100", "0=100", "@301 0=100"], "100/0 125.0; 100/100 10.0; 100/0 125.0;");
}

#[test]
fn prompts_below_the_minimum_are_not_cached() {
    let prices = PriceCard { cache_minimum: Tokens(120), ..prices() };
    // 100: plain input. 140: written. 150: of the 140 before it all are read. Of the last
    // prompt only 100 are the same, too few to have been cached.
    check(
        &prices,
        &["@0 0=100", "@1 0=100 1=40", "@2 0=100 1=40 2=10", "@3 0=100 3=40"],
        "100/0 100.0; 140/0 175.0; 150/140 26.5; 140/0 175.0;",
    );
}

#[test]
fn without_a_cache_everything_is_plain_input() {
    let prices = PriceCard { cache_lifetime_ms: None, ..prices() };
    check(&prices, &["@0 0=100", "@1 0=100 1=40"], "100/0 100.0; 140/0 140.0;");
}
