use hyper::header::{HeaderMap, HeaderName};

use super::{Credentials, KeyOwner};

fn find(lines: &[(&str, &str)], query: &str) -> Credentials {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
    }
    Credentials::from_request(&headers, query)
}

#[test]
fn a_key_is_its_providers_by_its_shape() {
    let legacy = format!("sk-{}T3BlbkFJ{}", "a".repeat(20), "b".repeat(20));
    for (key, owner) in [
        ("sk-ant-api03-x", KeyOwner::Provider("anthropic")),
        ("sk-ant-oat01-x", KeyOwner::Provider("anthropic")),
        ("sk-or-v1-x", KeyOwner::Provider("openrouter")),
        ("sk-proj-x", KeyOwner::Provider("openai")),
        (&legacy, KeyOwner::Provider("openai")),
        ("AIzaSyx", KeyOwner::Provider("gemini")),
        ("gsk_x", KeyOwner::Provider("groq")),
        // DeepSeek's, Alibaba's, Moonshot's, LiteLLM's: they look alike.
        ("sk-0123456789abcdef0123456789abcdef", KeyOwner::Unclear),
        ("sk-1234", KeyOwner::Unclear),
        ("eyJhbGciOiJSUzI1NiJ9.e30.x", KeyOwner::Unclear),
        ("company-token", KeyOwner::Unclear),
    ] {
        let bearer = format!("Bearer {key}");
        for name in ["authorization", "x-api-key", "x-litellm-api-key", "helicone-auth"] {
            assert_eq!(find(&[(name, key)], "").owner(), owner, "{name}: {key}");
            assert_eq!(find(&[(name, &bearer)], "").owner(), owner, "{name}: {key}");
        }
        assert_eq!(find(&[], &format!("alt=sse&key={key}")).owner(), owner, "key={key}");
    }
}

#[test]
fn two_keys_of_two_providers_are_unclear() {
    let anthropic = ("authorization", "Bearer sk-ant-api03-x");
    assert_eq!(find(&[anthropic], "").owner(), KeyOwner::Provider("anthropic"));
    for other in [
        ("x-api-key", "sk-proj-x"),
        ("x-api-key", "unknown"),
        ("authorization", "Bearer sk-proj-x"),
        ("x-goog-api-key", "AIzaSyx"),
        // The header belongs to Google, whatever its value.
        ("x-goog-api-key", "sk-ant-api03-x"),
        ("x-other", "sk-proj-0123456789abcdef0123"),
        ("sec-websocket-protocol", "realtime, openai-insecure-api-key.sk-proj-0123456789abcdef"),
    ] {
        assert_eq!(find(&[anthropic, other], "").owner(), KeyOwner::Unclear, "{other:?}");
    }
    assert_eq!(find(&[anthropic], "key=AIzaSyx").owner(), KeyOwner::Unclear);
    assert_eq!(find(&[anthropic], "k%65y=sk-proj-x").owner(), KeyOwner::Unclear);
}

#[test]
fn what_is_no_key_counts_for_nothing() {
    let lines = [
        ("anthropic-beta", "claude-code-20250219,oauth-2025-04-20"),
        ("user-agent", "xai-sdk/1.0 claude-cli/2.0.55 (external, cli)"),
        ("x-stainless-runtime", "node"),
        ("x-foveal-token", "0123456789abcdef0123456789abcdef"),
        ("x-app", "cli"),
        ("x-api-key", ""),
    ];
    assert_eq!(find(&lines, "beta=true&alt=sse").owner(), KeyOwner::NoKey);
}

#[test]
fn a_provider_never_gets_a_key_of_another() {
    let foreign = |name, key, host| find(&[(name, key)], "").foreign_owner(host);
    let bearer = "authorization";
    assert_eq!(foreign(bearer, "Bearer sk-ant-x", "api.openai.com"), Some("anthropic"));
    assert_eq!(foreign(bearer, "Bearer sk-ant-x", "api.anthropic.com"), None);
    assert_eq!(foreign("x-goog-api-key", "any", "api.anthropic.com"), Some("gemini"));
    assert_eq!(foreign("api-key", "any", "api.openai.com"), Some("azure"));
    // A named upstream may have keys of an unknown shape.
    assert_eq!(foreign(bearer, "Bearer company", "api.anthropic.com"), None);
    // A server of the user's own may forward any key.
    assert_eq!(foreign(bearer, "Bearer sk-ant-x", "models.example"), None);
}
