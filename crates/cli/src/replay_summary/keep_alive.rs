//! The estimated effect of cache keep-alive, as text and as JSON.

use foveal_pricing::keep_alive::{KeepAliveEstimate, RefreshTotals};
use serde_json::{Value, json};

use crate::numbers::{
    format_count, format_dollars, format_percent_change, format_plural, format_signed_dollars,
};
use crate::text_table::{Alignment, ColumnNarrowing, TextTable};

/// The most refreshes a pause that have a row each, besides the best number.
const ROWS_MAX: usize = 3;

/// Renders the table; `None` if no cache entry could have been refreshed. `input` is the cost of
/// all input in dollars.
pub(super) fn keep_alive_table(
    estimate: &KeepAliveEstimate,
    input: f64,
    width: Option<usize>,
) -> Option<String> {
    if estimate.at_most.len() < 2 || input <= 0.0 {
        return None;
    }
    let right = Alignment::Right;
    let mut table = TextTable::new(vec![
        ("refreshes per pause", Alignment::Left),
        ("sent", right),
        ("useful", right),
        ("cost", right),
        ("avoided", right),
        ("net cost", right),
        ("input cost", right),
    ])
    .with_narrowing(&["sent"], ColumnNarrowing::Dropped(0))
    .with_narrowing(&["useful"], ColumnNarrowing::Dropped(1));
    let mut row = |name: String, it: &RefreshTotals| {
        table.push_row(vec![
            name,
            format_count(it.refreshes),
            format_count(it.hits),
            format_dollars(it.cost),
            format_dollars(it.spared),
            format_signed_dollars(-it.net_saving()),
            format_percent_change(-it.net_saving() / input),
        ]);
    };
    let best = estimate.best_refresh_count();
    for (most, it) in estimate.at_most.iter().enumerate().skip(1) {
        if most == best || most <= ROWS_MAX {
            let remark = if most == best { " (best)" } else { "" };
            row(format!("at most {most}{remark}"), it);
        }
    }
    let off = if estimate.is_off { ", until it turns itself off" } else { "" };
    row(format!("as `keep_warm` decides{off}"), &estimate.rule);
    let heading = format!(
        "if `keep_warm` refreshed the cache ({} longer than its lifetime, {} not continued):\n",
        format_plural(estimate.pauses, "pause"),
        format_plural(estimate.ends, "conversation"),
    );
    Some(heading + &table.render(width, "--json shows all"))
}

/// Returns the estimate as JSON; null if no cache entry could have been refreshed.
pub(super) fn keep_alive_json(estimate: &KeepAliveEstimate, input: f64) -> Value {
    if estimate.at_most.len() < 2 {
        return Value::Null;
    }
    let figures = |it: &RefreshTotals| {
        json!({
            "refreshes": it.refreshes,
            "hits": it.hits,
            "cost": it.cost,
            "spared": it.spared,
            "saved": it.net_saving(),
            "input_change": (input > 0.0).then(|| -it.net_saving() / input),
        })
    };
    json!({
        "pauses": estimate.pauses,
        "ends": estimate.ends,
        "best": estimate.best_refresh_count(),
        "at_most": estimate.at_most.iter().map(figures).collect::<Vec<_>>(),
        "rule": figures(&estimate.rule),
        "rule_stopped": estimate.is_off,
    })
}
