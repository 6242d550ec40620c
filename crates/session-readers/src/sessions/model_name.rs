//! Names of models in recordings that name the provider apart.

use std::sync::Arc;

use foveal_protocols::json::{self, JsonObject};

/// Returns whether agents call a provider on this machine by this name.
pub fn is_local_provider(name: &str) -> bool {
    matches!(name, "llama.cpp" | "llamacpp" | "lmstudio" | "lm_studio" | "ollama" | "ollama_chat")
}

/// Returns the model in `model_key`. The name of a model on this machine begins with its provider,
/// the one in `provider_key`: the model's own name does not tell that it costs nothing.
pub(super) fn recorded_model(
    message: &JsonObject,
    provider_key: &str,
    model_key: &str,
) -> Option<Arc<str>> {
    let model = json::get_text(message, model_key)?;
    let provider = json::get_text(message, provider_key);
    let local = provider.filter(|provider| is_local_provider(provider));
    Some(local.map_or_else(|| model.into(), |provider| format!("{provider}/{model}").into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_local_models_are_named_with_their_provider() {
        let name = |provider: &str| {
            let message = json!({"provider": provider, "model": "qwen3"});
            recorded_model(message.as_object().expect("an object"), "provider", "model")
        };
        assert_eq!(name("ollama").as_deref(), Some("ollama/qwen3"));
        assert_eq!(name("openrouter").as_deref(), Some("qwen3"));
    }
}
