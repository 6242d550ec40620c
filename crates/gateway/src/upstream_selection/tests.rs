use hyper::header::HeaderMap;

use super::{UPSTREAM_HEADER, Upstream, Upstreams};

fn chosen(upstreams: &Upstreams, path: &str, headers: &HeaderMap) -> String {
    match upstreams.select(path, headers) {
        Ok((upstream, path)) => {
            upstream.request_uri(path).map_or_else(String::new, |uri| uri.to_string())
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
    // No guess that could send a key to a stranger.
    for path in ["/v1/models", "/api/event_logging/batch", "/v1/threads/t/messages"] {
        let unclear = chosen(&upstreams, path, &bearer("unknown"));
        assert!(unclear.starts_with("cannot tell which provider this request is for"), "{unclear}");
    }
    let mut login = bearer("eyJ");
    login.insert("chatgpt-account-id", "a".parse().unwrap());
    let cases = [
        ("/v1/messages?beta=true", &none, "https://api.anthropic.com/v1/messages?beta=true"),
        ("/v1/chat/completions", &none, "https://api.openai.com/v1/chat/completions"),
        ("/v1/responses", &none, "https://api.openai.com/v1/responses"),
        ("/v1/models", &openai, "https://api.openai.com/v1/models"),
        ("/v1/threads/t/messages", &openai, "https://api.openai.com/v1/threads/t/messages"),
        (
            "/v1/models?key=AIzaSyk",
            &none,
            "https://generativelanguage.googleapis.com/v1/models?key=AIzaSyk",
        ),
        ("/v1/models", &oauth, "https://api.anthropic.com/v1/models"),
        ("/v1/models", &anthropic, "https://api.anthropic.com/v1/models"),
        (
            "/v1beta/models/gemini-3:streamGenerateContent?alt=sse",
            &none,
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-3:streamGenerateContent?alt=sse",
        ),
        ("/openrouter/v1/chat/completions", &none, "https://openrouter.ai/api/v1/chat/completions"),
        ("/chatgpt/responses", &none, "https://chatgpt.com/backend-api/codex/responses"),
        ("/v1/responses", &login, "https://chatgpt.com/backend-api/codex/responses"),
        ("/v1/models?v=1", &login, "https://chatgpt.com/backend-api/codex/models?v=1"),
        ("/api/hello", &none, "https://api.anthropic.com/api/hello"),
    ];
    for (path, headers, expected) in cases {
        assert_eq!(chosen(&upstreams, path, headers), expected, "{path}");
    }
}

#[test]
fn keys_of_others_go_to_nobody() {
    let upstreams = Upstreams::new();
    let with = |name: &'static str, key: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(name, key.parse().unwrap());
        headers
    };
    let of_company = "Bearer company-token";
    for (path, headers) in [
        ("/v1/messages", with("authorization", of_company)),
        ("/v1/messages", with("x-api-key", "sk-or-v1-1")),
        ("/v1/messages", with("authorization", "Bearer sk-proj-1")),
        ("/v1/messages", with("x-goog-api-key", "AIza1")),
        ("/v1/chat/completions", with("authorization", "bearer sk-or-v1-1")),
        ("/v1/chat/completions", with("authorization", "Bearer gsk_1")),
        ("/v1/chat/completions", with("authorization", "Bearer sk-1234")),
        ("/v1/responses", with("authorization", "Bearer sk-ant-api03-1")),
        ("/v1/responses", with("authorization", of_company)),
        ("/v1beta/models/g:generateContent", with("authorization", "Bearer sk-1")),
        ("/v1beta/models/g:generateContent", with("x-goog-api-key", "sk-ant-api03-1")),
        // Paths that several providers have, and paths of one provider that ask no model.
        ("/v1/models", with("authorization", "Bearer sk-or-v1-1")),
        ("/v1/models", with("x-api-key", "company-token")),
        ("/v1/embeddings", with("authorization", "Bearer sk-1234")),
        ("/v1/embeddings", with("authorization", "Bearer gsk_1")),
        ("/api/event_logging/batch", with("x-api-key", "sk-proj-1")),
        ("/api/event_logging/batch", with("authorization", of_company)),
        ("/api/hello", with("x-api-key", "sk-proj-1")),
        ("/v1beta/models", with("x-goog-api-key", "company-token")),
    ] {
        let went = chosen(&upstreams, path, &headers);
        assert!(
            went.starts_with("cannot tell which provider this request is for"),
            "{path}: {went}"
        );
    }
    for (path, headers) in [
        ("/v1/messages", with("authorization", "Bearer sk-ant-oat01-1")),
        ("/v1/messages", with("x-api-key", "sk-ant-api03-1")),
        ("/v1/responses", with("authorization", "Bearer sk-proj-1")),
        ("/v1beta/models/g:generateContent", with("x-goog-api-key", "AIza1")),
        ("/api/event_logging/batch", with("x-api-key", "sk-ant-api03-1")),
        ("/v1/embeddings", with("authorization", "Bearer sk-proj-1")),
    ] {
        assert!(chosen(&upstreams, path, &headers).starts_with("https://"), "{path}");
    }
}

#[test]
fn a_second_key_does_not_go_along() {
    let upstreams = Upstreams::new();
    let both = |first: (&'static str, &str), second: (&'static str, &str)| {
        let mut headers = HeaderMap::new();
        headers.append(first.0, first.1.parse().unwrap());
        headers.append(second.0, second.1.parse().unwrap());
        headers
    };
    let own = ("authorization", "Bearer sk-ant-api03-1");
    for second in [
        ("x-api-key", "sk-proj-1"),
        ("authorization", "Bearer sk-proj-1"),
        ("x-goog-api-key", "AIza1"),
        ("helicone-auth", "Bearer sk-helicone-1"),
    ] {
        for path in ["/v1/messages", "/v1/models", "/api/event_logging/batch"] {
            let went = chosen(&upstreams, path, &both(own, second));
            assert!(
                went.starts_with("cannot tell which provider this request is for"),
                "{second:?}: {went}"
            );
        }
    }
    let went = chosen(&upstreams, "/v1/messages?key=AIza1", &both(own, ("x-app", "cli")));
    assert!(went.starts_with("cannot tell which provider this request is for"), "{went}");
    let twice = both(own, ("x-api-key", "sk-ant-api03-1"));
    assert!(chosen(&upstreams, "/v1/messages", &twice).starts_with("https://api.anthropic.com/"));
}

#[test]
fn a_named_provider_gets_no_key_of_another() {
    let with = |name: &'static str, key: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(name, key.parse().unwrap());
        headers
    };
    let everything = Upstream::new("upstream", "https://api.openai.com").unwrap();
    for (upstreams, path, headers) in [
        (Upstreams::new(), "/openai/v1/models", with("x-api-key", "sk-ant-api03-1")),
        (Upstreams::new(), "/anthropic/v1/messages", with("x-goog-api-key", "k")),
        (Upstreams::new(), "/openrouter/v1/messages", with("authorization", "Bearer sk-proj-1")),
        (Upstreams::new(), "/gemini/v1beta/models?key=sk-proj-1", HeaderMap::new()),
        (Upstreams::new().with_default(everything), "/v1/x", with("authorization", "sk-or-v1-1")),
    ] {
        let went = chosen(&upstreams, path, &headers);
        assert!(went.starts_with("the request has a key for "), "{path}: {went}");
    }
    // A named upstream may have keys of an unknown shape.
    for key in ["Bearer company-token", "Bearer sk-1234", "Bearer eyJ"] {
        let headers = with("authorization", key);
        let went = chosen(&Upstreams::new(), "/anthropic/v1/messages", &headers);
        assert_eq!(went, "https://api.anthropic.com/v1/messages");
    }
    let own =
        Upstreams::new().with_upstream(Upstream::new("work", "https://models.example").unwrap());
    let went = chosen(&own, "/work/v1/messages", &with("x-api-key", "sk-ant-api03-1"));
    assert_eq!(went, "https://models.example/v1/messages");
}

#[test]
fn addresses_are_told_without_secrets() {
    for address in ["https://me:secret@a.example/v1", "https://a.example/v1?key=secret", "secret@a"]
    {
        let error = Upstream::new("u", address).unwrap_err().to_string();
        assert!(!error.contains("secret") && error.contains('a'), "{error}");
    }
}

#[test]
fn one_upstream_takes_all_that_names_no_other() {
    let upstreams = Upstreams::new()
        .with_default(Upstream::new("upstream", "http://127.0.0.1:9/api/v1/").unwrap())
        .with_upstream(Upstream::new("work", "https://models.example").unwrap());
    let none = HeaderMap::new();
    // The version is not repeated.
    assert_eq!(chosen(&upstreams, "/v1/messages", &none), "http://127.0.0.1:9/api/v1/messages");
    assert_eq!(chosen(&upstreams, "/v1?x=1", &none), "http://127.0.0.1:9/api/v1?x=1");
    assert_eq!(chosen(&upstreams, "/v10/x", &none), "http://127.0.0.1:9/api/v1/v10/x");
    // A built-in name is part of the path here.
    assert_eq!(chosen(&upstreams, "/openai/x", &none), "http://127.0.0.1:9/api/v1/openai/x");
    assert_eq!(chosen(&upstreams, "/work/v1/x?y", &none), "https://models.example/v1/x?y");
    let mut named = HeaderMap::new();
    named.insert(UPSTREAM_HEADER, "work".parse().unwrap());
    assert_eq!(chosen(&upstreams, "/v1/x", &named), "https://models.example/v1/x");
    named.insert(UPSTREAM_HEADER, "evil.example".parse().unwrap());
    assert!(chosen(&upstreams, "/v1/x", &named).starts_with("upstream `evil.example` not found"));
}

#[test]
fn no_path_leads_to_another_host() {
    let upstreams = Upstreams::new().with_default(Upstream::new("u", "https://a.example").unwrap());
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
fn no_path_climbs_out_of_an_upstream() {
    let upstreams =
        Upstreams::new().with_default(Upstream::new("u", "https://a.example/team/v1").unwrap());
    let none = HeaderMap::new();
    for path in [
        "/../admin",
        "/v1/../../admin",
        "/v1/%2e%2e/x",
        "/.%2E/x",
        "/x/..",
        "/..?a=b",
        "/%2e%2e%2fadmin",
        "/..%5cadmin",
        "/..\\admin",
        "/%252e%252e/x",
        "/..;a=b/x",
    ] {
        assert_eq!(chosen(&upstreams, path, &none), "", "{path}");
    }
    for path in ["/v1/a..b", "/v1/.../x", "/v1/x?file=../y", "/v1/%2e/x", "/v1/100%"] {
        assert!(
            chosen(&upstreams, path, &none).starts_with("https://a.example/team/v1/"),
            "{path}"
        );
    }
}

#[test]
fn keys_of_clouds_go_nowhere_by_a_guess() {
    let upstreams = Upstreams::new();
    let header = |name: &'static str, value: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        headers
    };
    let azure = header("api-key", "k");
    let google = header("authorization", "Bearer ya29.k");
    let aws = header("authorization", "AWS4-HMAC-SHA256 Credential=k");
    for (path, headers) in [
        ("/openai/deployments/x/chat/completions", &google),
        ("/openai/v1/responses", &azure),
        ("/v1/chat/completions", &azure),
        ("/model/anthropic.claude-opus-4-5/invoke", &google),
        ("/v1/messages", &aws),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/c@1:rawPredict", &google),
        ("/v1/projects/p/locations/l/publishers/google/models/g:generateContent", &google),
        ("/api/hello", &google),
    ] {
        let refused = chosen(&upstreams, path, headers);
        let reasons =
            ["cannot tell which provider this request is for", "the request has a key for azure"];
        assert!(reasons.iter().any(|it| refused.starts_with(it)), "{path}: {refused}");
    }
    let named =
        upstreams.with_upstream(Upstream::new("work", "https://x.openai.azure.com").unwrap());
    let path = "/work/openai/deployments/x/chat/completions";
    let expected = "https://x.openai.azure.com/openai/deployments/x/chat/completions";
    assert_eq!(chosen(&named, path, &azure), expected);
}

#[test]
fn addresses_that_are_none_are_refused() {
    for address in ["", "api.example.com", "ftp://x", "https://", "https://k@x", "https://x/?a=b"] {
        assert!(Upstream::new("u", address).is_err(), "{address}");
    }
}
