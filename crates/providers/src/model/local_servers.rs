//! Discovery of model servers on this machine.

use std::time::Duration;

use crate::body;
use http_body_util::{BodyExt as _, Limited};
use hyper::Method;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::model::error::LlmError;
use crate::model::exchange::{build_request, fetch_head, read_error_response};
use crate::model::retrying_client::LlmClient;
use crate::model::server::ModelServer;
use crate::model::spec::ModelSpec;

/// Bytes of a model list that are read.
const LIST_BYTES_MAX: usize = 8 << 20;

/// Models of one server that are reported.
const MODELS_MAX: usize = 1_000;

/// The longest model name, in bytes; longer ones are ignored.
const NAME_BYTES_MAX: usize = 256;

/// The time-out for a local server to list its models.
const LOCAL_TIMEOUT: Duration = Duration::from_millis(1_500);

/// A local server that may be running, with any model.
pub type LocalModelSpec = ModelSpec;

/// A local server, and its list of models.
#[derive(Debug)]
pub struct DiscoveredServer {
    /// The server.
    pub server: ModelServer,
    /// The names of its models, in its order, or the error.
    pub models: Result<Vec<String>, LlmError>,
}

/// Asks local servers for their models, all at once. Returns those that answer or ask for a key, in
/// the order of `locals`; skips addresses without a server or with another kind of server.
pub async fn find_local_servers(
    client: &LlmClient,
    locals: &[LocalModelSpec],
) -> Vec<DiscoveredServer> {
    let mut asked = JoinSet::new();
    for (place, local) in locals.iter().enumerate() {
        let (client, server) = (client.clone(), local.to_server(None));
        asked.spawn(async move {
            let models = timeout(LOCAL_TIMEOUT, list_model_names(&client, &server)).await;
            (
                place,
                DiscoveredServer {
                    models: models.unwrap_or_else(|_| Err(timeout_error(&server))),
                    server,
                },
            )
        });
    }
    let mut found = asked.join_all().await;
    found.sort_by_key(|(place, _)| *place);
    let told = found.into_iter().map(|(_, found)| found);
    told.filter(|found| matches!(found.models, Ok(_) | Err(LlmError::KeyMissing { .. }))).collect()
}

fn timeout_error(server: &ModelServer) -> LlmError {
    LlmError::ResponseTimeout { url: server.models_url(), seconds: LOCAL_TIMEOUT.as_secs().max(1) }
}

/// JSON pointers to the size of the context window in a listed model, the most reliable first: as
/// vLLM, LM Studio, Anthropic, OpenRouter, Groq, Mistral, llama.cpp and Gemini name it.
const WINDOW_FIELDS: [&str; 9] = [
    "/max_model_len",
    "/loaded_context_length",
    "/max_input_tokens",
    "/context_length",
    "/context_window",
    "/max_context_length",
    "/meta/n_ctx",
    "/meta/n_ctx_train",
    "/inputTokenLimit",
];

/// Smaller values are not taken for a context window.
const WINDOW_TOKENS_MIN: u64 = 1_000;

impl LlmClient {
    /// Returns the context window of a server's model in tokens, if the server's model list states
    /// it.
    pub async fn context_window(&self, server: &ModelServer) -> Option<u64> {
        let list = timeout(LOCAL_TIMEOUT, fetch_model_list(self, server)).await.ok()?.ok()?;
        let is_it = |model: &&Value| model.get("id").and_then(Value::as_str) == Some(&server.model);
        let only = (list.len() == 1).then(|| &list[0]);
        let model = list.iter().find(is_it).or(only)?;
        let tokens = |field: &&str| model.pointer(field)?.as_u64();
        WINDOW_FIELDS.iter().find_map(tokens).filter(|tokens| *tokens >= WINDOW_TOKENS_MIN)
    }
}

/// Returns the names of the models of a server.
async fn list_model_names(
    client: &LlmClient,
    server: &ModelServer,
) -> Result<Vec<String>, LlmError> {
    let list = fetch_model_list(client, server).await?;
    let names = list.iter().filter_map(|model| model.get("id")?.as_str());
    let is_name = |name: &&str| {
        !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.contains(char::is_control)
    };
    Ok(names.filter(is_name).take(MODELS_MAX).map(str::to_owned).collect())
}

/// Fetches the models of a server, as all three APIs list them: `{"data": [{"id": …}, …]}`.
async fn fetch_model_list(
    client: &LlmClient,
    server: &ModelServer,
) -> Result<Vec<Value>, LlmError> {
    let url = server.models_url();
    let not_a_list = || LlmError::NotAStream { url: url.clone(), protocol: "models" };
    let asked = build_request(server, Method::GET, &url, body::full_body(""))?;
    let (parts, body) =
        fetch_head(&client.upward, &client.patience, &url, asked).await?.into_parts();
    if !parts.status.is_success() {
        return Err(read_error_response(server, parts.status, &parts.headers, body).await);
    }
    let read = Limited::new(body, LIST_BYTES_MAX).collect().await.map_err(|_| not_a_list())?;
    let mut list: Value = serde_json::from_slice(&read.to_bytes()).map_err(|_| not_a_list())?;
    // Ollama without models returns null.
    match list.get_mut("data").map(Value::take) {
        Some(Value::Array(list)) => Ok(list),
        Some(Value::Null) => Ok(Vec::new()),
        _ => Err(not_a_list()),
    }
}
