//! What keeping caches warm would have come to, as text and as JSON.

use foveal_context::warm::{Estimate, Refreshed};
use serde_json::{Value, json};

use crate::numbers::{change, count, dollars, plural, signed_dollars};
use crate::table::{Narrow, Side, Table};

/// Up to so many refreshes a pause have a row each, and the best number has one.
const ROWS: usize = 3;

/// The table; nothing where no entry could have been refreshed. `input` is what all of the input
/// cost.
pub(super) fn table(estimate: &Estimate, input: f64, width: Option<usize>) -> Option<String> {
    if estimate.at_most.len() < 2 || input <= 0.0 {
        return None;
    }
    let right = Side::Right;
    let mut table = Table::new(vec![
        ("refreshes", Side::Left),
        ("made", right),
        ("helped", right),
        ("cost", right),
        ("spared", right),
        ("saved", right),
        ("of the input", right),
    ])
    .narrowing(&["made"], Narrow::Goes(0))
    .narrowing(&["helped"], Narrow::Goes(1));
    let mut row = |name: String, it: &Refreshed| {
        table.row(vec![
            name,
            count(it.refreshes),
            count(it.hits),
            dollars(it.cost),
            dollars(it.spared),
            signed_dollars(it.saved()),
            change(-it.saved() / input),
        ]);
    };
    let best = estimate.best();
    for (most, it) in estimate.at_most.iter().enumerate().skip(1) {
        if most == best || most <= ROWS {
            let remark = if most == best { " (best)" } else { "" };
            row(format!("{most} a pause{remark}"), it);
        }
    }
    let off = if estimate.is_off { ", until it stopped" } else { "" };
    row(format!("by the rule{off}"), &estimate.rule);
    let heading = format!(
        "if the cache had been kept warm, as `keep_warm` does ({} outlasted it, {} did not go \
         on):\n",
        plural(estimate.pauses, "pause"),
        plural(estimate.ends, "conversation"),
    );
    Some(heading + &table.render_within(width, "--json has all"))
}

/// The same for programs; null where no entry could have been refreshed.
pub(super) fn json(estimate: &Estimate, input: f64) -> Value {
    if estimate.at_most.len() < 2 {
        return Value::Null;
    }
    let figures = |it: &Refreshed| {
        json!({
            "refreshes": it.refreshes,
            "hits": it.hits,
            "cost": it.cost,
            "spared": it.spared,
            "saved": it.saved(),
            "input_change": (input > 0.0).then(|| -it.saved() / input),
        })
    };
    json!({
        "pauses": estimate.pauses,
        "ends": estimate.ends,
        "best": estimate.best(),
        "at_most": estimate.at_most.iter().map(figures).collect::<Vec<_>>(),
        "rule": figures(&estimate.rule),
        "rule_stopped": estimate.is_off,
    })
}
