//! The providers and local servers that need not be described: one table.

use foveal_wire::prompt::Dialect;

/// Who answers, and how it is asked.
#[derive(Debug, PartialEq, Eq)]
pub struct Provider {
    /// The name in settings: what stands before the model in `NAME:MODEL`.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The API that it is asked by.
    pub dialect: Dialect,
    /// The API of another server at an address that the user gives: most speak Chat Completions.
    pub dialect_elsewhere: Dialect,
    /// Where it usually is, with the version; `None`: the user has to say.
    pub address: Option<&'static str>,
    /// The variable of the environment that holds its key.
    pub key_variable: Option<&'static str>,
    /// The variable that holds another address of it.
    pub address_variable: Option<&'static str>,
    /// A model of it that is good at the work of an agent, where it can be known beforehand.
    pub model: Option<&'static str>,
}

/// All of them: hosted ones in the order in which they are preferred, local servers, and what any
/// other server speaks.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        name: "anthropic",
        title: "Anthropic",
        dialect: Dialect::Messages,
        dialect_elsewhere: Dialect::Messages,
        address: Some("https://api.anthropic.com/v1"),
        key_variable: Some("ANTHROPIC_API_KEY"),
        address_variable: Some("ANTHROPIC_BASE_URL"),
        model: Some("claude-sonnet-4-5"),
    },
    Provider {
        name: "openai",
        title: "OpenAI",
        dialect: Dialect::Responses,
        dialect_elsewhere: Dialect::Chat,
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
        ..at("https://openrouter.ai/api/v1")
    },
    Provider {
        name: "ollama",
        title: "Ollama",
        address_variable: Some("OLLAMA_HOST"),
        ..at("http://127.0.0.1:11434/v1")
    },
    Provider { name: "lmstudio", title: "LM Studio", ..at("http://127.0.0.1:1234/v1") },
    Provider { name: "llamacpp", title: "llama.cpp", ..at("http://127.0.0.1:8080/v1") },
    Provider { name: "vllm", title: "vLLM", ..at("http://127.0.0.1:8000/v1") },
    Provider { name: "chat", title: "Chat Completions", address: None, ..at("") },
    elsewhere("messages", "Messages", Dialect::Messages),
    elsewhere("responses", "Responses", Dialect::Responses),
];

/// Who speaks Chat Completions there.
const fn at(address: &'static str) -> Provider {
    let provider = elsewhere("", "", Dialect::Chat);
    Provider { address: Some(address), ..provider }
}

const fn elsewhere(name: &'static str, title: &'static str, dialect: Dialect) -> Provider {
    Provider {
        name,
        title,
        dialect,
        dialect_elsewhere: dialect,
        address: None,
        key_variable: None,
        address_variable: None,
        model: None,
    }
}

impl Provider {
    /// The one of this name.
    pub fn named(name: &str) -> Option<&'static Provider> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }

    /// Whether it usually runs on this machine.
    pub fn is_local(&self) -> bool {
        self.address.is_some_and(|address| address.starts_with("http:"))
    }
}
