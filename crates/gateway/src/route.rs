//! What a path asks for.

use foveal_wire::Protocol;
use hyper::Method;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, UPGRADE};

use crate::credentials::{Credentials, KeyOwner};

/// Whose API a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provider {
    Anthropic,
    OpenAi,
    Gemini,
    /// OpenAI, for who has logged in with ChatGPT: another address, and no version in its paths.
    ChatGpt,
}

/// The header by which such a login says whose it is.
const CHATGPT_ACCOUNT: HeaderName = HeaderName::from_static("chatgpt-account-id");

impl Provider {
    /// The name of its upstream.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::ChatGpt => "chatgpt",
        }
    }

    /// The provider with this name, if it can be asked for this path.
    fn of_key(owner: &str, path: &str) -> Option<Self> {
        match owner {
            "anthropic" => Some(Self::Anthropic),
            "gemini" => Some(Self::Gemini),
            "openai" if path.starts_with("/v1/") => Some(Self::OpenAi),
            _ => None,
        }
    }

    /// The path that it is asked for where a client asks for this one.
    pub(crate) fn path(self, path: &str) -> &str {
        match self {
            Self::ChatGpt => path.strip_prefix("/v1").unwrap_or(path),
            Self::Anthropic | Self::OpenAi | Self::Gemini => path,
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
    /// A model's answer, asked for by a request whose signature covers its body.
    Signed(Protocol),
    /// A connection over which a client would speak on its own terms.
    WebSocket(Option<Protocol>),
    /// Anything else: passed on as it is.
    Other,
}

impl Route {
    /// The API that it speaks, where it is one of a model.
    pub(crate) fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Answer(protocol) | Self::Count(protocol) | Self::Signed(protocol) => {
                Some(protocol)
            }
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
        Some((protocol, _)) if method == Method::POST && is_signed(headers) => {
            Route::Signed(protocol)
        }
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
    let (before, last) = path.rsplit_once('/')?;
    // Claude behind Bedrock: the body is that of Messages, without the model.
    if matches!(last, "invoke" | "invoke-with-response-stream") && before.contains("/model/") {
        return Some((Protocol::Messages, false));
    }
    let (name, action) = last.rsplit_once(':')?;
    match action {
        "generateContent" | "streamGenerateContent" => Some((Protocol::Gemini, false)),
        "countTokens" => Some((Protocol::Gemini, true)),
        // Claude behind Vertex: the body is that of Messages, without the model.
        "rawPredict" | "streamRawPredict" if is_claude_of_vertex(before) => {
            Some((Protocol::Messages, name == "count-tokens"))
        }
        _ => None,
    }
}

/// Whether models of Anthropic stand there: those of others speak otherwise.
fn is_claude_of_vertex(path: &str) -> bool {
    path.ends_with("/publishers/anthropic/models")
}

/// Whether a request is signed as AWS wants it (SigV4): with another body it would be refused.
fn is_signed(headers: &HeaderMap) -> bool {
    headers.get_all(AUTHORIZATION).iter().any(|value| value.as_bytes().starts_with(b"AWS4-"))
}

/// Whether a path, without what stands before it, is one of Azure's API of OpenAI's models.
pub(crate) fn is_of_azure(path: &str) -> bool {
    path.starts_with("deployments/")
}

/// The model that a path names: `/v1beta/models/NAME:generateContent`, `/model/NAME/invoke`,
/// `/openai/deployments/NAME/chat/completions`.
pub(crate) fn model(path: &str) -> Option<String> {
    let path = path.split('?').next().unwrap_or_default();
    let (before, last) = path.rsplit_once('/')?;
    if let Some((_, deployment)) = path.split_once("/deployments/") {
        return Some(deployment.split('/').next()?.to_owned());
    }
    if last.starts_with("invoke") {
        let (_, name) = before.split_once("/model/")?;
        let name = name.replace("%3A", ":").replace("%3a", ":");
        let name = name.replace("%2F", "/").replace("%2f", "/");
        // A profile of one's own is named by a number, which tells nothing of the model.
        let is_told = !name.starts_with("arn:") || name.contains("claude");
        return is_told.then(|| name.rsplit('/').next().unwrap_or_default().to_owned());
    }
    let (name, _) = last.rsplit_once(':')?;
    (name != "count-tokens").then(|| name.to_owned())
}

/// Whose API a request speaks, where no upstream is named for it; `None` where that is not clear:
/// a guess could send a key to somebody else. A request with keys goes to the provider whose they
/// all are, whatever its path is.
pub(crate) fn provider(path: &str, headers: &HeaderMap) -> Option<Provider> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if is_of_cloud(path) || is_signed(headers) {
        return None;
    }
    let keys = Credentials::find(headers, query);
    if headers.contains_key(CHATGPT_ACCOUNT) {
        let is_login = path.starts_with("/v1/") && keys.are_logins();
        return is_login.then_some(Provider::ChatGpt);
    }
    let of_request = provider_of_request(path, headers);
    match keys.owner() {
        KeyOwner::Unclear => None,
        KeyOwner::NoKey => of_request,
        KeyOwner::Provider(owner) => match of_request {
            Some(provider) => (provider.name() == owner).then_some(provider),
            None => Provider::of_key(owner, path),
        },
    }
}

/// Whose API path and headers are, apart from keys.
fn provider_of_request(path: &str, headers: &HeaderMap) -> Option<Provider> {
    let of_path = asked(path).map(|(protocol, _)| match protocol {
        Protocol::Messages => Provider::Anthropic,
        Protocol::Chat | Protocol::Responses => Provider::OpenAi,
        Protocol::Gemini => Provider::Gemini,
    });
    // Claude Code asks for `/api/hello` at its start, so that the connection is there.
    let is_of_anthropic = path == "/api/hello"
        || ["anthropic-version", "anthropic-beta"].iter().any(|it| headers.contains_key(*it));
    of_path
        .or_else(|| is_of_anthropic.then_some(Provider::Anthropic))
        .or_else(|| path.contains("/v1beta/").then_some(Provider::Gemini))
}

/// Whether a path is one of Bedrock, Azure or Vertex: their addresses differ from one customer to
/// the next, and nobody else is to get their keys.
fn is_of_cloud(path: &str) -> bool {
    let of_bedrock = ["/model/", "/inference-profiles"];
    of_bedrock.iter().any(|start| path.starts_with(start))
        || path.contains("/publishers/")
        || path.contains("/deployments/")
}

#[cfg(test)]
mod tests {
    use foveal_wire::Protocol;
    use hyper::Method;
    use hyper::header::HeaderMap;

    use super::{Route, model, route};

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
            (
                "/v1/projects/p/locations/l/publishers/anthropic/models/claude@2:streamRawPredict",
                Route::Answer(Protocol::Messages),
            ),
            (
                "/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict",
                Route::Count(Protocol::Messages),
            ),
            ("/v1/p/publishers/mistralai/models/m:rawPredict", Route::Other),
            ("/model/anthropic.claude-opus-4-5/invoke", Route::Answer(Protocol::Messages)),
            (
                "/bedrock/model/arn%3Aaws%2Fx/invoke-with-response-stream",
                Route::Answer(Protocol::Messages),
            ),
            ("/model/anthropic.claude-opus-4-5/count-tokens", Route::Other),
            ("/model/anthropic.claude-opus-4-5/converse", Route::Other),
            ("/anthropic/v1/messages", Route::Answer(Protocol::Messages)),
            ("/openai/v1/responses", Route::Answer(Protocol::Responses)),
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

    #[test]
    fn a_signed_request_stays_as_it_is() {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", "AWS4-HMAC-SHA256 Credential=k".parse().unwrap());
        let path = "/model/anthropic.claude-opus-4-5/invoke";
        let expected = Route::Signed(Protocol::Messages);
        assert_eq!(route(&Method::POST, path, &headers), expected);
        headers.insert("authorization", "Bearer k".parse().unwrap());
        let expected = Route::Answer(Protocol::Messages);
        assert_eq!(route(&Method::POST, path, &headers), expected);
    }

    #[test]
    fn models_are_named_by_paths() {
        let cases = [
            ("/v1beta/models/gemini-3:streamGenerateContent?alt=sse", Some("gemini-3")),
            ("/v1/publishers/anthropic/models/claude-x@2:rawPredict", Some("claude-x@2")),
            ("/v1/publishers/anthropic/models/count-tokens:rawPredict", None),
            ("/model/us.anthropic.claude-x-v1%3A0/invoke", Some("us.anthropic.claude-x-v1:0")),
            ("/model/arn:aws:bedrock:us-east-1:1:application-inference-profile%2Fab/invoke", None),
            ("/model/arn:aws:bedrock:eu::foundation-model%2Fclaude-x/invoke", Some("claude-x")),
            ("/openai/deployments/mine/chat/completions?api-version=1", Some("mine")),
            ("/v1/messages", None),
        ];
        for (path, expected) in cases {
            assert_eq!(model(path).as_deref(), expected, "{path}");
        }
    }
}
