//! The one table of what providers' `usage` objects mean.
//!
//! | API | prompt | read from cache | written to cache | output | reasoning |
//! |---|---|---|---|---|---|
//! | Messages | all but the parts beside it | `cache_read_input_tokens` | `cache_creation_input_tokens`, split in `cache_creation` | `output_tokens` | `output_tokens_details.thinking_tokens` |
//! | Chat | `prompt_tokens` holds the parts | `prompt_tokens_details.cached_tokens` | `prompt_tokens_details.cache_write_tokens` | `completion_tokens` | `completion_tokens_details.reasoning_tokens` |
//! | Responses | `input_tokens` holds the parts | `input_tokens_details.cached_tokens` | `input_tokens_details.cache_write_tokens` | `output_tokens` | `output_tokens_details.reasoning_tokens` |
//! | Gemini | `promptTokenCount` holds the cached | `cachedContentTokenCount` | – | `candidatesTokenCount` and `thoughtsTokenCount` | `thoughtsTokenCount` |
//!
//! The sources stand at the functions.

use serde_json::Value;

use super::billed::{Billed, sum};
use crate::json::{Object, object};
use crate::protocol::Protocol;

/// The fields that are read. Of what else servers send nothing is kept.
pub(super) const FIELDS: [&str; 24] = [
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

/// What `usage`, the object of that name in an answer (`usageMetadata` at Gemini), was billed as.
pub fn billed(protocol: Protocol, usage: &Object) -> Billed {
    match protocol {
        Protocol::Messages => messages(usage),
        Protocol::Chat => chat(usage),
        Protocol::Responses => responses(usage),
        Protocol::Gemini => gemini(usage),
    }
}

/// Anthropic: `input_tokens` is what was neither read from nor written to the cache
/// (platform.claude.com/docs/en/build-with-claude/prompt-caching, "Tracking cache performance").
/// Where the provider compacted the conversation itself, or asked another model, the outer
/// counts leave that out and `iterations` lists it
/// (platform.claude.com/docs/en/build-with-claude/compaction, "Understanding usage").
fn messages(usage: &Object) -> Billed {
    let mut billed = messages_outer(usage);
    let iterations = usage.get("iterations").and_then(Value::as_array);
    for other in iterations.into_iter().flatten().filter_map(Value::as_object) {
        if other.get("type").is_some_and(|kind| kind != "message") {
            let other = messages_outer(other);
            billed.uncached = sum([billed.uncached, other.uncached]);
            billed.cache_read = sum([billed.cache_read, other.cache_read]);
            billed.cache_write_5m = sum([billed.cache_write_5m, other.cache_write_5m]);
            billed.cache_write_1h = sum([billed.cache_write_1h, other.cache_write_1h]);
            billed.output = sum([billed.output, other.output]);
        }
    }
    billed
}

fn messages_outer(usage: &Object) -> Billed {
    let (short, long) = messages_writes(usage);
    Billed {
        uncached: count(usage, "input_tokens"),
        cache_read: count(usage, "cache_read_input_tokens"),
        cache_write_5m: short,
        cache_write_1h: long,
        output: count(usage, "output_tokens"),
        reasoning: inner(usage, "output_tokens_details", "thinking_tokens"),
        web_searches: inner(usage, "server_tool_use", "web_search_requests"),
        cost: cost(usage),
    }
}

/// What was written for five minutes and for an hour. The split stands in the first event of a
/// stream, and later ones may tell a larger total: what is missing then was written for the one
/// lifetime that was used, which is five minutes where both were or none.
fn messages_writes(usage: &Object) -> (Option<u64>, Option<u64>) {
    let total = count(usage, "cache_creation_input_tokens");
    let short = inner(usage, "cache_creation", "ephemeral_5m_input_tokens");
    let long = inner(usage, "cache_creation", "ephemeral_1h_input_tokens");
    let Some(missing) = total.map(|total| total.saturating_sub(sum([short, long]).unwrap_or(0)))
    else {
        return (short, long);
    };
    if short.unwrap_or(0) == 0 && long.unwrap_or(0) > 0 {
        (short, sum([long, Some(missing)]))
    } else {
        (sum([short, Some(missing)]), long)
    }
}

/// OpenAI and those who speak its Chat Completions. `prompt_tokens` includes what was read and
/// written (developers.openai.com/api/docs/guides/prompt-caching; writes are told from GPT-5.6
/// on). The same elsewhere, by other names:
/// - OpenRouter: `cost` in dollars; with a key of the user's own the provider's charge stands in
///   `cost_details` (openrouter.ai/docs/cookbook/administration/usage-accounting).
/// - DeepSeek: `prompt_cache_hit_tokens` (api-docs.deepseek.com/guides/kv_cache).
/// - LiteLLM: `cache_read_input_tokens` and `cache_creation_input_tokens` beside the total
///   (docs.litellm.ai/docs/completion/prompt_caching). Moonshot: `cached_tokens`.
/// - xAI: `completion_tokens` leaves reasoning out; `total_tokens` has it
///   (docs.x.ai/developers/model-capabilities/text/reasoning).
/// - Ollama, llama.cpp, vLLM: the totals alone; nothing of a cache is told.
fn chat(usage: &Object) -> Billed {
    let details = "prompt_tokens_details";
    let read = inner(usage, details, "cached_tokens")
        .or_else(|| count(usage, "prompt_cache_hit_tokens"))
        .or_else(|| count(usage, "cache_read_input_tokens"))
        .or_else(|| count(usage, "cached_tokens"));
    let write = inner(usage, details, "cache_write_tokens")
        .or_else(|| inner(usage, details, "cache_creation_tokens"))
        .or_else(|| count(usage, "cache_creation_input_tokens"));
    let prompt = count(usage, "prompt_tokens");
    let reasoning = inner(usage, "completion_tokens_details", "reasoning_tokens");
    let output = count(usage, "completion_tokens").map(|output| {
        let total = count(usage, "total_tokens");
        let with_reasoning = output.saturating_add(reasoning.unwrap_or(0));
        let leaves_out = total == prompt.map(|prompt| prompt.saturating_add(with_reasoning));
        if leaves_out { with_reasoning } else { output }
    });
    Billed {
        uncached: rest(prompt, [read, write]),
        cache_read: read,
        cache_write_5m: write,
        cache_write_1h: None,
        output,
        reasoning,
        web_searches: None,
        cost: cost(usage),
    }
}

/// OpenAI's Responses: as Chat Completions, by other names
/// (developers.openai.com/api/docs/guides/prompt-caching).
fn responses(usage: &Object) -> Billed {
    let read = inner(usage, "input_tokens_details", "cached_tokens");
    let write = inner(usage, "input_tokens_details", "cache_write_tokens");
    Billed {
        uncached: rest(count(usage, "input_tokens"), [read, write]),
        cache_read: read,
        cache_write_5m: write,
        cache_write_1h: None,
        output: count(usage, "output_tokens"),
        reasoning: inner(usage, "output_tokens_details", "reasoning_tokens"),
        web_searches: None,
        cost: cost(usage),
    }
}

/// Google: `promptTokenCount` is the whole prompt, cached content included; thoughts and the
/// results of its own tools stand beside it and are billed as output and as input
/// (ai.google.dev/api/generate-content, "UsageMetadata"; ai.google.dev/gemini-api/docs/thinking,
/// "Pricing").
fn gemini(usage: &Object) -> Billed {
    let read = count(usage, "cachedContentTokenCount");
    let prompt = sum([count(usage, "promptTokenCount"), count(usage, "toolUsePromptTokenCount")]);
    let reasoning = count(usage, "thoughtsTokenCount");
    Billed {
        uncached: rest(prompt, [read]),
        cache_read: read,
        cache_write_5m: None,
        cache_write_1h: None,
        output: sum([count(usage, "candidatesTokenCount"), reasoning]),
        reasoning,
        web_searches: None,
        cost: None,
    }
}

/// What of `whole` is in none of `parts`.
fn rest<const N: usize>(whole: Option<u64>, parts: [Option<u64>; N]) -> Option<u64> {
    whole.map(|whole| whole.saturating_sub(sum(parts).unwrap_or(0)))
}

fn count(usage: &Object, key: &str) -> Option<u64> {
    usage.get(key).and_then(Value::as_u64)
}

fn inner(usage: &Object, outer: &str, key: &str) -> Option<u64> {
    count(object(usage, outer)?, key)
}

/// What the request cost, where a server tells it.
fn cost(usage: &Object) -> Option<f64> {
    let cost = usage.get("cost")?.as_f64()?;
    let is_byok = crate::json::is_true(usage, "is_byok");
    let upstream = object(usage, "cost_details")
        .filter(|_| is_byok)
        .and_then(|details| details.get("upstream_inference_cost"))
        .and_then(Value::as_f64);
    Some(cost + upstream.unwrap_or(0.0))
}

#[cfg(test)]
mod tests;
