//! The purpose of a request and its API, from its path and headers.

use foveal_protocols::Protocol;
use hyper::Method;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, UPGRADE};

use crate::credentials::{Credentials, KeyOwner};

/// The providers that can be recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApiProvider {
    Anthropic,
    OpenAi,
    Gemini,
    /// OpenAI with a ChatGPT login: another address, and paths without a version.
    ChatGpt,
}

/// The header that names the account of a ChatGPT login.
const CHATGPT_ACCOUNT_HEADER: HeaderName = HeaderName::from_static("chatgpt-account-id");

impl ApiProvider {
    /// Returns the name of its upstream.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::ChatGpt => "chatgpt",
        }
    }

    /// Returns the provider with this name, if its API has this path.
    fn from_key_owner(owner: &str, path: &str) -> Option<Self> {
        match owner {
            "anthropic" => Some(Self::Anthropic),
            "gemini" => Some(Self::Gemini),
            "openai" if path.starts_with("/v1/") => Some(Self::OpenAi),
            _ => None,
        }
    }

    /// Returns the provider's path for the path that a client asked for.
    pub(crate) fn upstream_path(self, path: &str) -> &str {
        match self {
            Self::ChatGpt => path.strip_prefix("/v1").unwrap_or(path),
            Self::Anthropic | Self::OpenAi | Self::Gemini => path,
        }
    }
}

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestRoute {
    /// To get a model's answer to a conversation.
    Answer(Protocol),
    /// To count the tokens of a conversation.
    Count(Protocol),
    /// To get a model's answer, by a request whose signature covers its body.
    Signed(Protocol),
    /// To open a WebSocket.
    WebSocket(Option<Protocol>),
    /// Anything else: forwarded unchanged.
    Other,
}

impl RequestRoute {
    /// Returns the protocol, if the API is one of a model.
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

/// Returns the purpose of a request, by its method, its path without query, and its headers.
pub(crate) fn classify_request(method: &Method, path: &str, headers: &HeaderMap) -> RequestRoute {
    let asked = protocol_of_path(path);
    let upgrade = headers.get(UPGRADE).map(|value| value.as_bytes());
    if upgrade.is_some_and(|value| value.eq_ignore_ascii_case(b"websocket")) {
        return RequestRoute::WebSocket(asked.map(|(protocol, _)| protocol));
    }
    match asked {
        Some((protocol, _)) if method == Method::POST && is_signed(headers) => {
            RequestRoute::Signed(protocol)
        }
        Some((protocol, false)) if method == Method::POST => RequestRoute::Answer(protocol),
        Some((protocol, true)) if method == Method::POST => RequestRoute::Count(protocol),
        Some(_) | None => RequestRoute::Other,
    }
}

/// Returns the protocol of a path, and whether it only counts tokens.
fn protocol_of_path(path: &str) -> Option<(Protocol, bool)> {
    let path = path.trim_end_matches('/');
    // Other APIs have messages too, for example of threads; Anthropic's stand right behind the
    // version.
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
    // Claude on Bedrock: the body is that of the Messages API, without the model.
    if matches!(last, "invoke" | "invoke-with-response-stream") && before.contains("/model/") {
        return Some((Protocol::Messages, false));
    }
    let (name, action) = last.rsplit_once(':')?;
    match action {
        "generateContent" | "streamGenerateContent" => Some((Protocol::Gemini, false)),
        "countTokens" => Some((Protocol::Gemini, true)),
        // Claude on Vertex: the body is that of the Messages API, without the model.
        "rawPredict" | "streamRawPredict" if is_vertex_claude_path(before) => {
            Some((Protocol::Messages, name == "count-tokens"))
        }
        _ => None,
    }
}

/// Returns whether a path leads to Anthropic's models on Vertex; others have another protocol.
fn is_vertex_claude_path(path: &str) -> bool {
    path.ends_with("/publishers/anthropic/models")
}

/// Returns whether a request has an AWS signature (SigV4), which is invalid for another body.
fn is_signed(headers: &HeaderMap) -> bool {
    headers.get_all(AUTHORIZATION).iter().any(|value| value.as_bytes().starts_with(b"AWS4-"))
}

/// Returns whether a path, without its prefix, belongs to Azure's API of OpenAI's models.
pub(crate) fn is_azure_path(path: &str) -> bool {
    path.starts_with("deployments/")
}

/// Returns the model that a path names: `/v1beta/models/NAME:generateContent`,
/// `/model/NAME/invoke`, `/openai/deployments/NAME/chat/completions`.
pub(crate) fn model_in_path(path: &str) -> Option<String> {
    let path = path.split('?').next().unwrap_or_default();
    let (before, last) = path.rsplit_once('/')?;
    if let Some((_, deployment)) = path.split_once("/deployments/") {
        return Some(deployment.split('/').next()?.to_owned());
    }
    if last.starts_with("invoke") {
        let (_, name) = before.split_once("/model/")?;
        let name = name.replace("%3A", ":").replace("%3a", ":");
        let name = name.replace("%2F", "/").replace("%2f", "/");
        // A customer's inference profile is named by a number that does not identify the model.
        let is_told = !name.starts_with("arn:") || name.contains("claude");
        return is_told.then(|| name.rsplit('/').next().unwrap_or_default().to_owned());
    }
    let (name, _) = last.rsplit_once(':')?;
    (name != "count-tokens").then(|| name.to_owned())
}

/// Returns the provider of a request that names no upstream; `None` if it is unclear, because a
/// guess could send a key to a stranger. A request with keys goes to the owner of all its keys,
/// whatever its path is.
pub(crate) fn detect_provider(path: &str, headers: &HeaderMap) -> Option<ApiProvider> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if is_cloud_path(path) || is_signed(headers) {
        return None;
    }
    let keys = Credentials::from_request(headers, query);
    if headers.contains_key(CHATGPT_ACCOUNT_HEADER) {
        let is_login = path.starts_with("/v1/") && keys.are_logins();
        return is_login.then_some(ApiProvider::ChatGpt);
    }
    let of_request = provider_without_keys(path, headers);
    match keys.owner() {
        KeyOwner::Unclear => None,
        KeyOwner::NoKey => of_request,
        KeyOwner::Provider(owner) => match of_request {
            Some(provider) => (provider.name() == owner).then_some(provider),
            None => ApiProvider::from_key_owner(owner, path),
        },
    }
}

/// Returns the provider by path and headers, apart from keys.
fn provider_without_keys(path: &str, headers: &HeaderMap) -> Option<ApiProvider> {
    let of_path = protocol_of_path(path).map(|(protocol, _)| match protocol {
        Protocol::Messages => ApiProvider::Anthropic,
        Protocol::Chat | Protocol::Responses => ApiProvider::OpenAi,
        Protocol::Gemini => ApiProvider::Gemini,
    });
    // Claude Code requests `/api/hello` at its start, to open the connection early.
    let is_of_anthropic = path == "/api/hello"
        || ["anthropic-version", "anthropic-beta"].iter().any(|it| headers.contains_key(*it));
    of_path
        .or_else(|| is_of_anthropic.then_some(ApiProvider::Anthropic))
        .or_else(|| path.contains("/v1beta/").then_some(ApiProvider::Gemini))
}

/// Returns whether a path belongs to Bedrock, Azure or Vertex. Their addresses differ between
/// customers, and no other server may get their keys.
fn is_cloud_path(path: &str) -> bool {
    let of_bedrock = ["/model/", "/inference-profiles"];
    of_bedrock.iter().any(|start| path.starts_with(start))
        || path.contains("/publishers/")
        || path.contains("/deployments/")
}

#[cfg(test)]
mod tests {
    use foveal_protocols::Protocol;
    use hyper::Method;
    use hyper::header::HeaderMap;

    use super::{RequestRoute, classify_request, model_in_path};

    #[test]
    fn paths_say_what_is_asked_for() {
        let cases = [
            ("/v1/messages", RequestRoute::Answer(Protocol::Messages)),
            ("/api/v1/messages/count_tokens", RequestRoute::Count(Protocol::Messages)),
            ("/v1/chat/completions", RequestRoute::Answer(Protocol::Chat)),
            ("/openai/deployments/x/chat/completions", RequestRoute::Answer(Protocol::Chat)),
            ("/v1/responses", RequestRoute::Answer(Protocol::Responses)),
            ("/v1/responses/compact", RequestRoute::Other),
            ("/v1/responses/resp_1", RequestRoute::Other),
            ("/v1beta/models/g:streamGenerateContent", RequestRoute::Answer(Protocol::Gemini)),
            ("/v1beta/models/g:countTokens", RequestRoute::Count(Protocol::Gemini)),
            ("/v1beta/models/g:embedContent", RequestRoute::Other),
            (
                "/v1/projects/p/locations/l/publishers/anthropic/models/claude@2:streamRawPredict",
                RequestRoute::Answer(Protocol::Messages),
            ),
            (
                "/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict",
                RequestRoute::Count(Protocol::Messages),
            ),
            ("/v1/p/publishers/mistralai/models/m:rawPredict", RequestRoute::Other),
            ("/model/anthropic.claude-opus-4-5/invoke", RequestRoute::Answer(Protocol::Messages)),
            (
                "/bedrock/model/arn%3Aaws%2Fx/invoke-with-response-stream",
                RequestRoute::Answer(Protocol::Messages),
            ),
            ("/model/anthropic.claude-opus-4-5/count-tokens", RequestRoute::Other),
            ("/model/anthropic.claude-opus-4-5/converse", RequestRoute::Other),
            ("/anthropic/v1/messages", RequestRoute::Answer(Protocol::Messages)),
            ("/openai/v1/responses", RequestRoute::Answer(Protocol::Responses)),
            ("/v1/models", RequestRoute::Other),
            ("/v1/threads/t_1/messages", RequestRoute::Other),
            ("/", RequestRoute::Other),
            ("", RequestRoute::Other),
        ];
        for (path, expected) in cases {
            assert_eq!(
                classify_request(&Method::POST, path, &HeaderMap::new()),
                expected,
                "{path}"
            );
        }
        assert_eq!(
            classify_request(&Method::GET, "/v1/messages", &HeaderMap::new()),
            RequestRoute::Other
        );
        let mut headers = HeaderMap::new();
        headers.insert("upgrade", "WebSocket".parse().unwrap());
        let expected = RequestRoute::WebSocket(Some(Protocol::Responses));
        assert_eq!(classify_request(&Method::GET, "/v1/responses", &headers), expected);
    }

    #[test]
    fn a_signed_request_stays_as_it_is() {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", "AWS4-HMAC-SHA256 Credential=k".parse().unwrap());
        let path = "/model/anthropic.claude-opus-4-5/invoke";
        let expected = RequestRoute::Signed(Protocol::Messages);
        assert_eq!(classify_request(&Method::POST, path, &headers), expected);
        headers.insert("authorization", "Bearer k".parse().unwrap());
        let expected = RequestRoute::Answer(Protocol::Messages);
        assert_eq!(classify_request(&Method::POST, path, &headers), expected);
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
            assert_eq!(model_in_path(path).as_deref(), expected, "{path}");
        }
    }
}
