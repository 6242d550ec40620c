use super::*;
use crate::figures::{ProfileTotals, Totals};
use foveal_context::prices::PriceCard;
use foveal_context::profile::Profile;
use foveal_context::tokens::Tokenizer;

/// The sentence for what `raw` dollars become with `net` and `repairs`.
fn check(raw: f64, net: f64, repairs: u64, expected: &str) {
    let figures = Figures {
        dollars: net,
        repairs,
        evidence: Share { used: 3, visible: 2 },
        ..Figures::default()
    };
    let totals = Totals {
        sessions: 2,
        conversations: 2,
        raw: Figures { dollars: raw, ..Figures::default() },
        profiles: vec![ProfileTotals { figures, cost_change_mean: None }],
        warm: foveal_context::warm::Estimate::default(),
    };
    let prices = PriceCard::anthropic_5m();
    let summary = Summary {
        profiles: &[Profile::named("max").expect("a profile")],
        prices: &prices,
        tokenizer: Tokenizer::O200k,
        sessions: &[],
        totals: &totals,
        sort: None,
        not_read: &[],
        problems: &[],
        problem_count: 0,
        interrupted: false,
    };
    assert_eq!(sentence(&summary), expected);
}

#[test]
fn the_sentence_is_honest() {
    check(
        10.0,
        7.5,
        0,
        "these 2 sessions would have cost $7.50 instead of $10.00 in input with `max`: \
         25 % less, with nothing to fetch again; of the lines that edits used, 66.66 % would \
         have been in view\n",
    );
    check(
        10.0,
        12.0,
        1,
        "these 2 sessions would have cost $12.00 instead of $10.00 in input with `max`: \
         20 % more, 1 request to fetch something again included; of the lines that edits \
         used, 66.66 % would have been in view\n",
    );
    check(
        0.0,
        0.0,
        0,
        "these 2 sessions: with these prices nothing costs anything, so there is nothing to compare\n",
    );
}

#[test]
fn long_ids_lose_their_middle() {
    assert_eq!(shortened("short"), "short");
    let long = format!("{}{}", "a".repeat(60), "b".repeat(60));
    assert_eq!(shortened(&long), format!("{}…{}", "a".repeat(26), "b".repeat(25)));
}
