use serde_json::json;

use super::*;
use crate::protocol::Protocol;
use crate::response::BilledUsage;

/// Uncached, cache read, five-minute cache write, one-hour cache write, output, reasoning.
type Row = [Option<u64>; 6];

fn check(protocol: Protocol, usage: &Value, expected: Row) -> BilledUsage {
    let billed = protocol.api().parse_billed_usage(usage.as_object().expect("an object"));
    let BilledUsage {
        uncached, cache_read, cache_write_5m, cache_write_1h, output, reasoning, ..
    } = billed;
    let row = [uncached, cache_read, cache_write_5m, cache_write_1h, output, reasoning];
    assert_eq!(row, expected, "{usage}");
    billed
}

#[test]
fn anthropic() {
    use Protocol::Messages;
    let plain = json!({"input_tokens": 3, "output_tokens": 5});
    check(Messages, &plain, [Some(3), None, None, None, Some(5), None]);
    let old = json!({"input_tokens": 3, "cache_creation_input_tokens": 70, "cache_read_input_tokens": 200, "output_tokens": 5});
    let billed = check(Messages, &old, [Some(3), Some(200), Some(70), None, Some(5), None]);
    assert_eq!((billed.prompt_tokens(), billed.cache_write_tokens()), (Some(273), Some(70)));
    let split = json!({
        "input_tokens": 3, "cache_creation_input_tokens": 70, "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 50, "ephemeral_1h_input_tokens": 20},
        "output_tokens": 5, "output_tokens_details": {"thinking_tokens": 4},
        "server_tool_use": {"web_search_requests": 2},
    });
    let billed = check(Messages, &split, [Some(3), Some(0), Some(50), Some(20), Some(5), Some(4)]);
    assert_eq!(billed.web_searches, Some(2));
    // The total of a later event exceeds the split of the first.
    let grown = |short, long| {
        json!({
            "cache_creation_input_tokens": 100,
            "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long},
        })
    };
    check(Messages, &grown(0, 60), [None, None, Some(0), Some(100), None, None]);
    check(Messages, &grown(60, 0), [None, None, Some(100), Some(0), None, None]);
    check(Messages, &grown(30, 60), [None, None, Some(40), Some(60), None, None]);
}

#[test]
fn anthropics_own_compaction_is_billed_beside_the_answer() {
    let usage = json!({
        "input_tokens": 23_000, "output_tokens": 1_000,
        "iterations": [
            {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3_500, "cache_read_input_tokens": 7},
            {"type": "message", "input_tokens": 23_000, "output_tokens": 1_000},
        ],
    });
    check(Protocol::Messages, &usage, [Some(203_000), Some(7), None, None, Some(4_500), None]);
}

#[test]
fn chat_completions_of_openai() {
    use Protocol::Chat;
    let before = json!({
        "prompt_tokens": 2006, "completion_tokens": 300, "total_tokens": 2306,
        "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 120},
    });
    check(Chat, &before, [Some(86), Some(1920), None, None, Some(300), Some(120)]);
    let since = json!({
        "prompt_tokens": 2600, "completion_tokens": 300,
        "prompt_tokens_details": {"cached_tokens": 2000, "cache_write_tokens": 400},
    });
    check(Chat, &since, [Some(200), Some(2000), Some(400), None, Some(300), None]);
}

#[test]
fn chat_completions_of_others() {
    use Protocol::Chat;
    let ollama = json!({"prompt_tokens": 26, "completion_tokens": 298, "total_tokens": 324});
    check(Chat, &ollama, [Some(26), None, None, None, Some(298), None]);
    let deepseek = json!({"prompt_tokens": 100, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36, "completion_tokens": 7});
    check(Chat, &deepseek, [Some(36), Some(64), None, None, Some(7), None]);
    let moonshot = json!({"prompt_tokens": 100, "cached_tokens": 64, "completion_tokens": 7});
    check(Chat, &moonshot, [Some(36), Some(64), None, None, Some(7), None]);
    let litellm = json!({
        "prompt_tokens": 100, "completion_tokens": 7, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_creation_tokens": 30},
    });
    check(Chat, &litellm, [Some(10), Some(60), Some(30), None, Some(7), None]);
    let xai = json!({
        "prompt_tokens": 32, "completion_tokens": 9, "total_tokens": 135,
        "completion_tokens_details": {"reasoning_tokens": 94},
    });
    check(Chat, &xai, [Some(32), None, None, None, Some(103), Some(94)]);
}

#[test]
fn openrouter_tells_what_it_charged() {
    let charged = |is_byok| {
        let usage = json!({
            "prompt_tokens": 194, "completion_tokens": 2, "cost": 0.25, "is_byok": is_byok,
            "cost_details": {"upstream_inference_cost": 0.5},
            "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 100},
        });
        check(Protocol::Chat, &usage, [Some(94), Some(0), Some(100), None, Some(2), None]).cost
    };
    assert_eq!((charged(false), charged(true)), (Some(0.25), Some(0.75)));
}

#[test]
fn responses_of_openai() {
    use Protocol::Responses;
    let cold = json!({
        "input_tokens": 3438, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 3435},
        "output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 3447,
    });
    check(Responses, &cold, [Some(3), Some(0), Some(3435), None, Some(9), Some(0)]);
    let warm = json!({"input_tokens": 3438, "input_tokens_details": {"cached_tokens": 3423}, "output_tokens": 9});
    check(Responses, &warm, [Some(15), Some(3423), None, None, Some(9), None]);
}

#[test]
fn gemini() {
    let usage = json!({
        "promptTokenCount": 5000, "cachedContentTokenCount": 4096, "candidatesTokenCount": 20,
        "thoughtsTokenCount": 80, "toolUsePromptTokenCount": 96, "totalTokenCount": 5196,
    });
    check(Protocol::Gemini, &usage, [Some(1000), Some(4096), None, None, Some(100), Some(80)]);
    let plain = json!({"promptTokenCount": 5, "totalTokenCount": 5});
    check(Protocol::Gemini, &plain, [Some(5), None, None, None, None, None]);
}

#[test]
fn odd_counts_do_no_harm() {
    let odd = json!({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 9}, "completion_tokens": -1});
    check(Protocol::Chat, &odd, [Some(0), Some(9), None, None, None, None]);
    let words =
        json!({"input_tokens": "5", "cache_creation": 7, "iterations": {"type": "x"}, "cost": "1"});
    check(Protocol::Messages, &words, [None, None, None, None, None, None]);
    let most = json!({"promptTokenCount": u64::MAX, "toolUsePromptTokenCount": u64::MAX});
    check(Protocol::Gemini, &most, [Some(u64::MAX), None, None, None, None, None]);
}
