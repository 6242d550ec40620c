use super::*;
use crate::replay_totals::{ProfileTotals, ReplayTotals};
use foveal_engine::profile::Profile;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;

/// Checks the sentence for a cost of `raw` dollars that becomes `net`, with `repairs`.
fn check(raw: f64, net: f64, repairs: u64, expected: &str) {
    let figures = ReplayFigures {
        dollars: net,
        repairs,
        evidence: VisibleShare { used: 3, visible: 2 },
        ..ReplayFigures::default()
    };
    let raw = ReplayFigures { dollars: raw, ..ReplayFigures::default() };
    of(raw, figures, |summary| assert_eq!(cost_sentence(summary), expected));
}

/// Gives `look` a summary of two sessions with these figures.
fn of(raw: ReplayFigures, figures: ReplayFigures, look: impl FnOnce(&ReplaySummary<'_>)) {
    let totals = ReplayTotals {
        sessions: 2,
        conversations: 2,
        assumed_prices: 0,
        raw,
        profiles: vec![ProfileTotals { figures, cost_change_mean: None }],
        warm: foveal_pricing::keep_alive::KeepAliveEstimate::default(),
    };
    let prices = [PriceCard::anthropic_5m()];
    let summary = ReplaySummary {
        profiles: &[Profile::find("max").expect("a profile")],
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
    look(&summary);
}

#[test]
fn the_rows_of_a_bill_add_up() {
    let amount = |tokens: u64, dollars: f64| BillAmount { tokens, dollars };
    let mut raw = ReplayFigures::default();
    raw.billed.requests = 3;
    raw.billed.bill.read = amount(1_000_000, 6.0);
    raw.billed.bill.written = amount(100_000, 2.0);
    raw.billed.bill.output = amount(40_000, 1.5);
    let mut figures = raw;
    figures.billed.bill.read = amount(500_000, 3.0);
    figures.billed.repair_dollars = 0.25;
    of(raw, figures, |summary| {
        let table = bill_table(summary, None);
        let rows: Vec<Vec<&str>> = table
            .lines()
            .skip(2)
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        let expected = [
            vec!["read from the cache", "1.0M", "$6.00", "75.0 %", "$3.00"],
            vec!["new, written to the cache", "100.0k", "$2.00", "25.0 %", "$2.00"],
            vec!["repairs: fetched again", "$0.25"],
            vec!["all input", "1.1M", "$8.00", "100.0 %", "$5.25"],
            vec!["output", "40.0k", "$1.50", "$1.50"],
            vec!["all", "$9.50", "$6.75"],
        ];
        assert_eq!(rows, expected, "{table}");
    });
}

#[test]
fn the_sentence_is_honest() {
    check(
        10.0,
        7.5,
        0,
        "these 2 sessions would have cost $7.50 instead of $10.00 in input with `max`: 25 % less, \
         with nothing fetched again; of the lines that edits used, 66.66 % would have been in view \
         (evidence)\n",
    );
    check(
        10.0,
        12.0,
        1,
        "these 2 sessions would have cost $12.00 instead of $10.00 in input with `max`: 20 % more, \
         including 1 request to fetch something again; of the lines that edits used, 66.66 % would \
         have been in view (evidence)\n",
    );
    check(
        10.0,
        10.0,
        0,
        "these 2 sessions would have cost $10.00 in input with `max`, about the same as recorded, \
         with nothing fetched again; of the lines that edits used, 66.66 % would have been in view \
         (evidence)\n",
    );
    check(
        0.0,
        0.0,
        0,
        "these 2 sessions: all costs are 0 with these prices, so there is nothing to compare\n",
    );
}

#[test]
fn long_ids_lose_their_middle() {
    assert_eq!(shorten_session_id("short"), "short");
    let long = format!("{}{}", "a".repeat(60), "b".repeat(60));
    assert_eq!(shorten_session_id(&long), format!("{}…{}", "a".repeat(26), "b".repeat(25)));
}
