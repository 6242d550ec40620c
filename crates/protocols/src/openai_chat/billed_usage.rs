//! Billed usage in the form of Chat Completions.

use crate::json::JsonObject;
use crate::response::billed_usage::BilledUsage;
use crate::response::usage_fields::{
    nested_token_count, reported_cost, subtract_parts, token_count,
};

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
pub(super) fn parse_billed_usage(usage: &JsonObject) -> BilledUsage {
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
