//! Billed usage in the form of Anthropic's Messages.

use serde_json::Value;

use crate::json::JsonObject;
use crate::response::billed_usage::{BilledUsage, sum_reported};
use crate::response::usage_fields::{nested_token_count, reported_cost, token_count};

/// Anthropic: `input_tokens` were neither read from nor written to the cache
/// (platform.claude.com/docs/en/build-with-claude/prompt-caching, "Tracking cache performance").
/// If the provider compacted the conversation itself or asked another model, the outer counts leave
/// that out and `iterations` lists it
/// (platform.claude.com/docs/en/build-with-claude/compaction, "Understanding usage").
pub(super) fn parse_billed_usage(usage: &JsonObject) -> BilledUsage {
    let mut billed = parse_outer_usage(usage);
    let iterations = usage.get("iterations").and_then(Value::as_array);
    for other in iterations.into_iter().flatten().filter_map(Value::as_object) {
        if other.get("type").is_some_and(|kind| kind != "message") {
            let other = parse_outer_usage(other);
            billed.uncached = sum_reported([billed.uncached, other.uncached]);
            billed.cache_read = sum_reported([billed.cache_read, other.cache_read]);
            billed.cache_write_5m = sum_reported([billed.cache_write_5m, other.cache_write_5m]);
            billed.cache_write_1h = sum_reported([billed.cache_write_1h, other.cache_write_1h]);
            billed.output = sum_reported([billed.output, other.output]);
        }
    }
    billed
}

fn parse_outer_usage(usage: &JsonObject) -> BilledUsage {
    let (short, long) = parse_cache_writes(usage);
    BilledUsage {
        uncached: token_count(usage, "input_tokens"),
        cache_read: token_count(usage, "cache_read_input_tokens"),
        cache_write_5m: short,
        cache_write_1h: long,
        output: token_count(usage, "output_tokens"),
        reasoning: nested_token_count(usage, "output_tokens_details", "thinking_tokens"),
        web_searches: nested_token_count(usage, "server_tool_use", "web_search_requests"),
        cost: reported_cost(usage),
    }
}

/// Returns the tokens written for five minutes and for one hour. The split is in the first event of
/// a stream, and later events may have a larger total. The missing tokens count for the lifetime
/// in use, which is five minutes if both or neither were used.
fn parse_cache_writes(usage: &JsonObject) -> (Option<u64>, Option<u64>) {
    let total = token_count(usage, "cache_creation_input_tokens");
    let short = nested_token_count(usage, "cache_creation", "ephemeral_5m_input_tokens");
    let long = nested_token_count(usage, "cache_creation", "ephemeral_1h_input_tokens");
    let Some(missing) =
        total.map(|total| total.saturating_sub(sum_reported([short, long]).unwrap_or(0)))
    else {
        return (short, long);
    };
    if short.unwrap_or(0) == 0 && long.unwrap_or(0) > 0 {
        (short, sum_reported([long, Some(missing)]))
    } else {
        (sum_reported([short, Some(missing)]), long)
    }
}
