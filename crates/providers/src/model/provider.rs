//! The table of providers and local servers.

use foveal_protocols::prompt::ApiDialect;

/// A provider of models, and its API.
#[derive(Debug, PartialEq, Eq)]
pub struct Provider {
    /// The name in settings: the part before the model in `NAME:MODEL`.
    pub name: &'static str,
    /// The display name.
    pub title: &'static str,
    /// The API at the usual address.
    pub dialect: ApiDialect,
    /// The API of other servers at an address that the user gives: most speak Chat Completions.
    pub custom_address_dialect: ApiDialect,
    /// The usual address, with the version; `None` if the user has to give one.
    pub address: Option<&'static str>,
    /// The environment variable of its key.
    pub key_variable: Option<&'static str>,
    /// The environment variable of another address.
    pub address_variable: Option<&'static str>,
    /// A default model that is good at agent work, if there is one.
    pub model: Option<&'static str>,
}

/// All providers: hosted ones in order of preference, local servers, and the APIs of any other
/// server.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        name: "anthropic",
        title: "Anthropic",
        dialect: ApiDialect::Messages,
        custom_address_dialect: ApiDialect::Messages,
        address: Some("https://api.anthropic.com/v1"),
        key_variable: Some("ANTHROPIC_API_KEY"),
        address_variable: Some("ANTHROPIC_BASE_URL"),
        model: Some("claude-sonnet-4-5"),
    },
    Provider {
        name: "openai",
        title: "OpenAI",
        dialect: ApiDialect::Responses,
        custom_address_dialect: ApiDialect::Chat,
        address: Some("https://api.openai.com/v1"),
        key_variable: Some("OPENAI_API_KEY"),
        address_variable: Some("OPENAI_BASE_URL"),
        model: Some("gpt-5"),
    },
    Provider {
        name: "openrouter",
        title: "OpenRouter",
        model: Some("anthropic/claude-sonnet-4.5"),
        key_variable: Some("OPENROUTER_API_KEY"),
        ..chat_provider_at("https://openrouter.ai/api/v1")
    },
    Provider {
        name: "ollama",
        title: "Ollama",
        address_variable: Some("OLLAMA_HOST"),
        ..chat_provider_at("http://127.0.0.1:11434/v1")
    },
    Provider {
        name: "lmstudio",
        title: "LM Studio",
        ..chat_provider_at("http://127.0.0.1:1234/v1")
    },
    Provider {
        name: "llamacpp",
        title: "llama.cpp",
        ..chat_provider_at("http://127.0.0.1:8080/v1")
    },
    Provider { name: "vllm", title: "vLLM", ..chat_provider_at("http://127.0.0.1:8000/v1") },
    Provider { name: "chat", title: "Chat Completions", address: None, ..chat_provider_at("") },
    provider_without_address("messages", "Messages", ApiDialect::Messages),
    provider_without_address("responses", "Responses", ApiDialect::Responses),
];

/// Creates a provider that speaks Chat Completions at `address`.
const fn chat_provider_at(address: &'static str) -> Provider {
    let provider = provider_without_address("", "", ApiDialect::Chat);
    Provider { address: Some(address), ..provider }
}

const fn provider_without_address(
    name: &'static str,
    title: &'static str,
    dialect: ApiDialect,
) -> Provider {
    Provider {
        name,
        title,
        dialect,
        custom_address_dialect: dialect,
        address: None,
        key_variable: None,
        address_variable: None,
        model: None,
    }
}

impl Provider {
    /// Returns the provider with this name.
    pub fn find_by_name(name: &str) -> Option<&'static Provider> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }

    /// Returns whether the provider usually runs on this machine.
    pub fn is_local(&self) -> bool {
        self.address.is_some_and(|address| address.starts_with("http:"))
    }
}
