//! Billed usage in the form of OpenAI's Responses.

use crate::json::JsonObject;
use crate::response::billed_usage::BilledUsage;
use crate::response::usage_fields::{
    nested_token_count, reported_cost, subtract_parts, token_count,
};

/// OpenAI's Responses: as Chat Completions, with other names
/// (developers.openai.com/api/docs/guides/prompt-caching).
pub(super) fn parse_billed_usage(usage: &JsonObject) -> BilledUsage {
    let read = nested_token_count(usage, "input_tokens_details", "cached_tokens");
    let write = nested_token_count(usage, "input_tokens_details", "cache_write_tokens");
    BilledUsage {
        uncached: subtract_parts(token_count(usage, "input_tokens"), [read, write]),
        cache_read: read,
        cache_write_5m: write,
        cache_write_1h: None,
        output: token_count(usage, "output_tokens"),
        reasoning: nested_token_count(usage, "output_tokens_details", "reasoning_tokens"),
        web_searches: None,
        cost: reported_cost(usage),
    }
}
