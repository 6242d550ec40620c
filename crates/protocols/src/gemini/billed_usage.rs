//! Billed usage in the form of `generateContent`.

use crate::json::JsonObject;
use crate::response::billed_usage::{BilledUsage, sum_reported};
use crate::response::usage_fields::{subtract_parts, token_count};

/// Google: `promptTokenCount` is the whole prompt with cached content. Thoughts and the results of
/// Google's own tools have counts of their own, and are billed as output and as input
/// (ai.google.dev/api/generate-content, "UsageMetadata"; ai.google.dev/gemini-api/docs/thinking,
/// "Pricing").
pub(super) fn parse_billed_usage(usage: &JsonObject) -> BilledUsage {
    let read = token_count(usage, "cachedContentTokenCount");
    let prompt = sum_reported([
        token_count(usage, "promptTokenCount"),
        token_count(usage, "toolUsePromptTokenCount"),
    ]);
    let reasoning = token_count(usage, "thoughtsTokenCount");
    BilledUsage {
        uncached: subtract_parts(prompt, [read]),
        cache_read: read,
        cache_write_5m: None,
        cache_write_1h: None,
        output: sum_reported([token_count(usage, "candidatesTokenCount"), reasoning]),
        reasoning,
        web_searches: None,
        cost: None,
    }
}
