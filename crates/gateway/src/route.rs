//! What a path asks for.

use foveal_wire::Protocol;
use hyper::Method;
use hyper::header::{AUTHORIZATION, HeaderMap, UPGRADE};

/// Whose API a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provider {
    Anthropic,
    OpenAi,
    Gemini,
}

impl Provider {
    /// The name of its upstream.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
        }
    }
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// A model's answer to a conversation.
    Answer(Protocol),
    /// The tokens of a conversation.
    Count(Protocol),
    /// A connection over which a client would speak on its own terms.
    WebSocket(Option<Protocol>),
    /// Anything else: passed on as it is.
    Other,
}

impl Route {
    /// The API that it speaks, where it is one of a model.
    pub(crate) fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Answer(protocol) | Self::Count(protocol) => Some(protocol),
            Self::WebSocket(protocol) => protocol,
            Self::Other => None,
        }
    }
}

/// What a request asks for, by its method, its path without query, and its headers.
pub(crate) fn route(method: &Method, path: &str, headers: &HeaderMap) -> Route {
    let asked = asked(path);
    let upgrade = headers.get(UPGRADE).map(|value| value.as_bytes());
    if upgrade.is_some_and(|value| value.eq_ignore_ascii_case(b"websocket")) {
        return Route::WebSocket(asked.map(|(protocol, _)| protocol));
    }
    match asked {
        Some((protocol, false)) if method == Method::POST => Route::Answer(protocol),
        Some((protocol, true)) if method == Method::POST => Route::Count(protocol),
        Some(_) | None => Route::Other,
    }
}

/// The protocol that a path belongs to, and whether it counts tokens only.
fn asked(path: &str) -> Option<(Protocol, bool)> {
    let path = path.trim_end_matches('/');
    // Other APIs have messages too, of threads say: those of Anthropic stand behind the version.
    if let Some((_, rest)) = path.rsplit_once("/v1/") {
        match rest {
            "messages" => return Some((Protocol::Messages, false)),
            "messages/count_tokens" => return Some((Protocol::Messages, true)),
            _ => {}
        }
    }
    if path.ends_with("/chat/completions") {
        return Some((Protocol::Chat, false));
    }
    if path.ends_with("/responses") {
        return Some((Protocol::Responses, false));
    }
    let (_, action) = path.rsplit_once('/')?.1.rsplit_once(':')?;
    match action {
        "generateContent" | "streamGenerateContent" => Some((Protocol::Gemini, false)),
        "countTokens" => Some((Protocol::Gemini, true)),
        // Claude behind Vertex: the body is that of Messages, without the model.
        "rawPredict" | "streamRawPredict" => Some((Protocol::Messages, false)),
        _ => None,
    }
}

/// Whose API a request speaks, where no upstream is named for it; `None` where that is not clear:
/// a guess could send a key to somebody else.
pub(crate) fn provider(path: &str, headers: &HeaderMap) -> Option<Provider> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    match asked(path) {
        Some((Protocol::Messages, _)) => return Some(Provider::Anthropic),
        Some((Protocol::Chat | Protocol::Responses, _)) => return Some(Provider::OpenAi),
        Some((Protocol::Gemini, _)) => return Some(Provider::Gemini),
        None => {}
    }
    let bearer = headers.get(AUTHORIZATION).map(|value| value.as_bytes());
    let bearer = bearer.and_then(|value| value.get(..7).map(|start| (start, &value[7..])));
    let key =
        bearer.filter(|(start, _)| start.eq_ignore_ascii_case(b"bearer ")).map(|(_, key)| key);
    let of_anthropic = ["anthropic-version", "anthropic-beta", "x-api-key"];
    let has_key = query.split('&').any(|part| part.starts_with("key="));
    if of_anthropic.iter().any(|name| headers.contains_key(*name))
        || key.is_some_and(|key| key.starts_with(b"sk-ant-"))
    {
        Some(Provider::Anthropic)
    } else if headers.contains_key("x-goog-api-key") || has_key || path.contains("/v1beta/") {
        Some(Provider::Gemini)
    } else if path.starts_with("/v1/") && key.is_some_and(|key| key.starts_with(b"sk-")) {
        Some(Provider::OpenAi)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use foveal_wire::Protocol;
    use hyper::Method;
    use hyper::header::HeaderMap;

    use super::{Route, route};

    #[test]
    fn paths_say_what_is_asked_for() {
        let cases = [
            ("/v1/messages", Route::Answer(Protocol::Messages)),
            ("/api/v1/messages/count_tokens", Route::Count(Protocol::Messages)),
            ("/v1/chat/completions", Route::Answer(Protocol::Chat)),
            ("/openai/deployments/x/chat/completions", Route::Answer(Protocol::Chat)),
            ("/v1/responses", Route::Answer(Protocol::Responses)),
            ("/v1/responses/compact", Route::Other),
            ("/v1/responses/resp_1", Route::Other),
            ("/v1beta/models/g:streamGenerateContent", Route::Answer(Protocol::Gemini)),
            ("/v1beta/models/g:countTokens", Route::Count(Protocol::Gemini)),
            ("/v1beta/models/g:embedContent", Route::Other),
            ("/v1/p/models/claude@2:streamRawPredict", Route::Answer(Protocol::Messages)),
            ("/v1/models", Route::Other),
            ("/v1/threads/t_1/messages", Route::Other),
            ("/", Route::Other),
            ("", Route::Other),
        ];
        for (path, expected) in cases {
            assert_eq!(route(&Method::POST, path, &HeaderMap::new()), expected, "{path}");
        }
        assert_eq!(route(&Method::GET, "/v1/messages", &HeaderMap::new()), Route::Other);
        let mut headers = HeaderMap::new();
        headers.insert("upgrade", "WebSocket".parse().unwrap());
        let expected = Route::WebSocket(Some(Protocol::Responses));
        assert_eq!(route(&Method::GET, "/v1/responses", &headers), expected);
    }
}
