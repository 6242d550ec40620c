//! The table that maps the providers' `usage` objects to [`BilledUsage`].
//!
//! | API | prompt | read from cache | written to cache | output | reasoning |
//! |---|---|---|---|---|---|
//! | Messages | all but the parts beside it | `cache_read_input_tokens` | `cache_creation_input_tokens`, split in `cache_creation` | `output_tokens` | `output_tokens_details.thinking_tokens` |
//! | Chat | `prompt_tokens` holds the parts | `prompt_tokens_details.cached_tokens` | `prompt_tokens_details.cache_write_tokens` | `completion_tokens` | `completion_tokens_details.reasoning_tokens` |
//! | Responses | `input_tokens` holds the parts | `input_tokens_details.cached_tokens` | `input_tokens_details.cache_write_tokens` | `output_tokens` | `output_tokens_details.reasoning_tokens` |
//! | Gemini | `promptTokenCount` holds the cached | `cachedContentTokenCount` | – | `candidatesTokenCount` and `thoughtsTokenCount` | `thoughtsTokenCount` |
//!
//! The functions name the sources.

use serde_json::Value;

use super::billed_usage::{BilledUsage, sum_reported};
use crate::json::{JsonObject, get_object};
use crate::protocol::Protocol;

/// The fields that are read. All others are dropped.
pub(super) const USAGE_FIELDS: [&str; 24] = [
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

/// Returns the billed tokens of a `usage` object (`usageMetadata` at Gemini).
pub fn parse_billed_usage(protocol: Protocol, usage: &JsonObject) -> BilledUsage {
    match protocol {
        Protocol::Messages => messages_usage(usage),
        Protocol::Chat => chat_usage(usage),
        Protocol::Responses => responses_usage(usage),
        Protocol::Gemini => gemini_usage(usage),
    }
}

/// Anthropic: `input_tokens` were neither read from nor written to the cache
/// (platform.claude.com/docs/en/build-with-claude/prompt-caching, "Tracking cache performance").
/// If the provider compacted the conversation itself or asked another model, the outer counts leave
/// that out and `iterations` lists it
/// (platform.claude.com/docs/en/build-with-claude/compaction, "Understanding usage").
fn messages_usage(usage: &JsonObject) -> BilledUsage {
    let mut billed = messages_outer_usage(usage);
    let iterations = usage.get("iterations").and_then(Value::as_array);
    for other in iterations.into_iter().flatten().filter_map(Value::as_object) {
        if other.get("type").is_some_and(|kind| kind != "message") {
            let other = messages_outer_usage(other);
            billed.uncached = sum_reported([billed.uncached, other.uncached]);
            billed.cache_read = sum_reported([billed.cache_read, other.cache_read]);
            billed.cache_write_5m = sum_reported([billed.cache_write_5m, other.cache_write_5m]);
            billed.cache_write_1h = sum_reported([billed.cache_write_1h, other.cache_write_1h]);
            billed.output = sum_reported([billed.output, other.output]);
        }
    }
    billed
}

fn messages_outer_usage(usage: &JsonObject) -> BilledUsage {
    let (short, long) = messages_cache_writes(usage);
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
fn messages_cache_writes(usage: &JsonObject) -> (Option<u64>, Option<u64>) {
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

/// OpenAI and compatible servers. `prompt_tokens` includes cache reads and writes
/// (developers.openai.com/api/docs/guides/prompt-caching; writes are reported from GPT-5.6 on).
/// Other servers use other names:
/// - OpenRouter: `cost` in dollars; with a key of the user's own, `cost_details` has the provider's
///   charge (openrouter.ai/docs/cookbook/administration/usage-accounting).
/// - DeepSeek: `prompt_cache_hit_tokens` (api-docs.deepseek.com/guides/kv_cache).
/// - LiteLLM: `cache_read_input_tokens` and `cache_creation_input_tokens` beside the total
///   (docs.litellm.ai/docs/completion/prompt_caching). Moonshot: `cached_tokens`.
/// - xAI: `completion_tokens` excludes reasoning; `total_tokens` includes it
///   (docs.x.ai/developers/model-capabilities/text/reasoning).
/// - Ollama, llama.cpp, vLLM: only totals, without cache counts.
fn chat_usage(usage: &JsonObject) -> BilledUsage {
    let details = "prompt_tokens_details";
    let read = nested_token_count(usage, details, "cached_tokens")
        .or_else(|| token_count(usage, "prompt_cache_hit_tokens"))
        .or_else(|| token_count(usage, "cache_read_input_tokens"))
        .or_else(|| token_count(usage, "cached_tokens"));
    let write = nested_token_count(usage, details, "cache_write_tokens")
        .or_else(|| nested_token_count(usage, details, "cache_creation_tokens"))
        .or_else(|| token_count(usage, "cache_creation_input_tokens"));
    let prompt = token_count(usage, "prompt_tokens");
    let reasoning = nested_token_count(usage, "completion_tokens_details", "reasoning_tokens");
    let output = token_count(usage, "completion_tokens").map(|output| {
        let total = token_count(usage, "total_tokens");
        let with_reasoning = output.saturating_add(reasoning.unwrap_or(0));
        let leaves_out = total == prompt.map(|prompt| prompt.saturating_add(with_reasoning));
        if leaves_out { with_reasoning } else { output }
    });
    BilledUsage {
        uncached: subtract_parts(prompt, [read, write]),
        cache_read: read,
        cache_write_5m: write,
        cache_write_1h: None,
        output,
        reasoning,
        web_searches: None,
        cost: reported_cost(usage),
    }
}

/// OpenAI's Responses: as Chat Completions, with other names
/// (developers.openai.com/api/docs/guides/prompt-caching).
fn responses_usage(usage: &JsonObject) -> BilledUsage {
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

/// Google: `promptTokenCount` is the whole prompt with cached content. Thoughts and the results of
/// Google's own tools have counts of their own, and are billed as output and as input
/// (ai.google.dev/api/generate-content, "UsageMetadata"; ai.google.dev/gemini-api/docs/thinking,
/// "Pricing").
fn gemini_usage(usage: &JsonObject) -> BilledUsage {
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

/// Returns `whole` without `parts`.
fn subtract_parts<const N: usize>(whole: Option<u64>, parts: [Option<u64>; N]) -> Option<u64> {
    whole.map(|whole| whole.saturating_sub(sum_reported(parts).unwrap_or(0)))
}

fn token_count(usage: &JsonObject, key: &str) -> Option<u64> {
    usage.get(key).and_then(Value::as_u64)
}

fn nested_token_count(usage: &JsonObject, outer: &str, key: &str) -> Option<u64> {
    token_count(get_object(usage, outer)?, key)
}

/// Returns the cost of the request, if the server reports it.
fn reported_cost(usage: &JsonObject) -> Option<f64> {
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
