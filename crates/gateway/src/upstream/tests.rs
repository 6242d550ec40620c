use hyper::header::HeaderMap;

use super::{UPSTREAM_HEADER, Upstream, Upstreams};
use crate::route::provider;

fn chosen(upstreams: &Upstreams, path: &str, headers: &HeaderMap) -> String {
    match upstreams.choose(path, headers, |path| provider(path, headers)) {
        Ok((upstream, path)) => {
            upstream.address(path).map_or_else(String::new, |uri| uri.to_string())
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_protocol_goes_to_its_provider() {
    let upstreams = Upstreams::new();
    let none = HeaderMap::new();
    let mut anthropic = HeaderMap::new();
    anthropic.insert("anthropic-version", "2023-06-01".parse().unwrap());
    let bearer = |key: &str| {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", format!("Bearer {key}").parse().unwrap());
        headers
    };
    let (openai, oauth) = (bearer("sk-proj-1"), bearer("sk-ant-oat01"));
    // No guess where a key could go to somebody else.
    for path in ["/v1/models", "/api/event_logging/batch", "/v1/threads/t/messages"] {
        let unclear = chosen(&upstreams, path, &bearer("unknown"));
        assert!(unclear.starts_with("it is not clear whose API this is"), "{unclear}");
    }
    let cases = [
        ("/v1/messages?beta=true", &none, "https://api.anthropic.com/v1/messages?beta=true"),
        ("/v1/chat/completions", &none, "https://api.openai.com/v1/chat/completions"),
        ("/v1/responses", &none, "https://api.openai.com/v1/responses"),
        ("/v1/models", &openai, "https://api.openai.com/v1/models"),
        ("/v1/threads/t/messages", &openai, "https://api.openai.com/v1/threads/t/messages"),
        ("/v1/models?key=k", &none, "https://generativelanguage.googleapis.com/v1/models?key=k"),
        ("/v1/models", &oauth, "https://api.anthropic.com/v1/models"),
        ("/v1/models", &anthropic, "https://api.anthropic.com/v1/models"),
        (
            "/v1beta/models/gemini-3:streamGenerateContent?alt=sse",
            &none,
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-3:streamGenerateContent?alt=sse",
        ),
        ("/openrouter/v1/chat/completions", &none, "https://openrouter.ai/api/v1/chat/completions"),
        ("/chatgpt/responses", &none, "https://chatgpt.com/backend-api/codex/responses"),
    ];
    for (path, headers, expected) in cases {
        assert_eq!(chosen(&upstreams, path, headers), expected, "{path}");
    }
}

#[test]
fn one_upstream_takes_all_that_names_no_other() {
    let upstreams = Upstreams::new()
        .with_every(Upstream::new("upstream", "http://127.0.0.1:9/api/v1/").unwrap())
        .with_named(Upstream::new("work", "https://models.example").unwrap());
    let none = HeaderMap::new();
    // A version stands there once.
    assert_eq!(chosen(&upstreams, "/v1/messages", &none), "http://127.0.0.1:9/api/v1/messages");
    assert_eq!(chosen(&upstreams, "/v1?x=1", &none), "http://127.0.0.1:9/api/v1?x=1");
    assert_eq!(chosen(&upstreams, "/v10/x", &none), "http://127.0.0.1:9/api/v1/v10/x");
    // What would be a known name elsewhere is a path here.
    assert_eq!(chosen(&upstreams, "/openai/x", &none), "http://127.0.0.1:9/api/v1/openai/x");
    assert_eq!(chosen(&upstreams, "/work/v1/x?y", &none), "https://models.example/v1/x?y");
    let mut named = HeaderMap::new();
    named.insert(UPSTREAM_HEADER, "work".parse().unwrap());
    assert_eq!(chosen(&upstreams, "/v1/x", &named), "https://models.example/v1/x");
    named.insert(UPSTREAM_HEADER, "evil.example".parse().unwrap());
    assert!(chosen(&upstreams, "/v1/x", &named).starts_with("there is no upstream `evil.example`"));
}

#[test]
fn no_path_leads_to_another_host() {
    let upstreams = Upstreams::new().with_every(Upstream::new("u", "https://a.example").unwrap());
    let none = HeaderMap::new();
    for path in
        ["//evil.example/v1", "/\\evil.example", "/@evil.example/", "/.evil.example", "/:80/"]
    {
        let address = chosen(&upstreams, path, &none);
        assert!(
            address.is_empty() || address.starts_with("https://a.example/"),
            "{path}: {address}"
        );
    }
}

#[test]
fn addresses_that_are_none_are_refused() {
    for address in ["", "api.example.com", "ftp://x", "https://", "https://k@x", "https://x/?a=b"] {
        assert!(Upstream::new("u", address).is_err(), "{address}");
    }
}
