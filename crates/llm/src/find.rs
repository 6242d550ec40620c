//! Which models there are on this machine.

use std::time::Duration;

use foveal_asking::body;
use http_body_util::{BodyExt as _, Limited};
use hyper::Method;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::attempt::{head, refused, request};
use crate::client::Client;
use crate::error::AskError;
use crate::server::Server;
use crate::spec::ModelSpec;

/// Bytes of a list of models that are read.
const LIST_BYTES_MAX: usize = 8 << 20;

/// Models of one server that are told.
const MODELS_MAX: usize = 1_000;

/// Bytes of a model's name; a longer one is none.
const NAME_BYTES_MAX: usize = 256;

/// How long a server on this machine may take to list its models.
const LOCAL_TIME: Duration = Duration::from_millis(1_500);

/// A local server that may be there, with any model.
pub type Local = ModelSpec;

/// A local server, and what became of the question for its models.
#[derive(Debug)]
pub struct Found {
    /// The server.
    pub server: Server,
    /// Its models, in its order.
    pub models: Result<Vec<String>, AskError>,
}

/// Asks local servers for their models, all at once. Given back are those that answer or refuse, in
/// the order of `locals`; where nobody listens, or somebody else, nothing is told.
pub async fn find(client: &Client, locals: &[Local]) -> Vec<Found> {
    let mut asked = JoinSet::new();
    for (place, local) in locals.iter().enumerate() {
        let (client, server) = (client.clone(), local.server(None));
        asked.spawn(async move {
            let models = timeout(LOCAL_TIME, models(&client, &server)).await;
            (place, Found { models: models.unwrap_or_else(|_| Err(slow(&server))), server })
        });
    }
    let mut found = asked.join_all().await;
    found.sort_by_key(|(place, _)| *place);
    let told = found.into_iter().map(|(_, found)| found);
    told.filter(|found| matches!(found.models, Ok(_) | Err(AskError::NoKey { .. }))).collect()
}

fn slow(server: &Server) -> AskError {
    AskError::Slow { url: server.models_url(), seconds: LOCAL_TIME.as_secs().max(1) }
}

/// Fields of a listed model with the tokens that its window holds, the surest first: as vLLM,
/// LM Studio, Anthropic, OpenRouter, Groq, Mistral, llama.cpp and Gemini have them.
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

/// A window of fewer tokens is none.
const WINDOW_TOKENS_MIN: u64 = 1_000;

impl Client {
    /// Tokens of the longest prompt that a server's model takes, where its list of models says that.
    pub async fn window(&self, server: &Server) -> Option<u64> {
        let list = timeout(LOCAL_TIME, list(self, server)).await.ok()?.ok()?;
        let is_it = |model: &&Value| model.get("id").and_then(Value::as_str) == Some(&server.model);
        let only = (list.len() == 1).then(|| &list[0]);
        let model = list.iter().find(is_it).or(only)?;
        let tokens = |field: &&str| model.pointer(field)?.as_u64();
        WINDOW_FIELDS.iter().find_map(tokens).filter(|tokens| *tokens >= WINDOW_TOKENS_MIN)
    }
}

/// The names of a server's models.
async fn models(client: &Client, server: &Server) -> Result<Vec<String>, AskError> {
    let list = list(client, server).await?;
    let names = list.iter().filter_map(|model| model.get("id")?.as_str());
    let is_name = |name: &&str| {
        !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.contains(char::is_control)
    };
    Ok(names.filter(is_name).take(MODELS_MAX).map(str::to_owned).collect())
}

/// The models of a server, as all three APIs list them: `{"data": [{"id": …}, …]}`.
async fn list(client: &Client, server: &Server) -> Result<Vec<Value>, AskError> {
    let url = server.models_url();
    let not_a_list = || AskError::NotAStream { url: url.clone(), protocol: "models" };
    let asked = request(server, Method::GET, &url, body::whole(""))?;
    let (parts, body) = head(&client.upward, &client.patience, &url, asked).await?.into_parts();
    if !parts.status.is_success() {
        return Err(refused(server, parts.status, &parts.headers, body).await);
    }
    let read = Limited::new(body, LIST_BYTES_MAX).collect().await.map_err(|_| not_a_list())?;
    let mut list: Value = serde_json::from_slice(&read.to_bytes()).map_err(|_| not_a_list())?;
    // Ollama without models says null.
    match list.get_mut("data").map(Value::take) {
        Some(Value::Array(list)) => Ok(list),
        Some(Value::Null) => Ok(Vec::new()),
        _ => Err(not_a_list()),
    }
}
