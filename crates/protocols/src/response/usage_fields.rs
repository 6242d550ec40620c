//! The fields of the providers' usage objects (`usageMetadata` at Gemini), and what they mean:
//!
//! | API | prompt | read from cache | written to cache | output | reasoning |
//! |---|---|---|---|---|---|
//! | Messages | all but the parts beside it | `cache_read_input_tokens` | `cache_creation_input_tokens`, split in `cache_creation` | `output_tokens` | `output_tokens_details.thinking_tokens` |
//! | Chat | `prompt_tokens` holds the parts | `prompt_tokens_details.cached_tokens` | `prompt_tokens_details.cache_write_tokens` | `completion_tokens` | `completion_tokens_details.reasoning_tokens` |
//! | Responses | `input_tokens` holds the parts | `input_tokens_details.cached_tokens` | `input_tokens_details.cache_write_tokens` | `output_tokens` | `output_tokens_details.reasoning_tokens` |
//! | Gemini | `promptTokenCount` holds the cached | `cachedContentTokenCount` | – | `candidatesTokenCount` and `thoughtsTokenCount` | `thoughtsTokenCount` |
//!
//! `billed_usage` in each API's module names the sources.

use serde_json::Value;

use super::billed_usage::sum_reported;
use crate::json::{JsonObject, get_object};

/// The fields that are read. All others are dropped.
pub(crate) const USAGE_FIELDS: [&str; 24] = [
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_creation",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "server_tool_use",
    "iterations",
    "input_tokens_details",
    "output_tokens_details",
    "prompt_tokens",
    "completion_tokens",
    "prompt_tokens_details",
    "completion_tokens_details",
    "prompt_cache_hit_tokens",
    "cached_tokens",
    "cost",
    "cost_details",
    "is_byok",
    "promptTokenCount",
    "toolUsePromptTokenCount",
    "cachedContentTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
];

/// Returns `whole` without `parts`.
pub(crate) fn subtract_parts<const N: usize>(
    whole: Option<u64>,
    parts: [Option<u64>; N],
) -> Option<u64> {
    whole.map(|whole| whole.saturating_sub(sum_reported(parts).unwrap_or(0)))
}

pub(crate) fn token_count(usage: &JsonObject, key: &str) -> Option<u64> {
    usage.get(key).and_then(Value::as_u64)
}

pub(crate) fn nested_token_count(usage: &JsonObject, outer: &str, key: &str) -> Option<u64> {
    token_count(get_object(usage, outer)?, key)
}

/// Returns the cost of the request, if the server reports it.
pub(crate) fn reported_cost(usage: &JsonObject) -> Option<f64> {
    let cost = usage.get("cost")?.as_f64()?;
    let is_byok = crate::json::is_true(usage, "is_byok");
    let upstream = get_object(usage, "cost_details")
        .filter(|_| is_byok)
        .and_then(|details| details.get("upstream_inference_cost"))
        .and_then(Value::as_f64);
    Some(cost + upstream.unwrap_or(0.0))
}

#[cfg(test)]
mod tests;
