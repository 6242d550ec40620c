//! The model APIs for which foveal is a client.

use crate::protocol::Protocol;

/// A model API for which prompts are encoded and whole answers are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApiDialect {
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Chat Completions, which most other servers support.
    Chat,
    /// OpenAI's Responses, with nothing stored at the provider.
    Responses,
}

impl ApiDialect {
    /// All dialects.
    pub const ALL: [ApiDialect; 3] =
        [ApiDialect::Messages, ApiDialect::Chat, ApiDialect::Responses];

    /// Returns the dialect's protocol.
    pub const fn protocol(self) -> Protocol {
        match self {
            ApiDialect::Messages => Protocol::Messages,
            ApiDialect::Chat => Protocol::Chat,
            ApiDialect::Responses => Protocol::Responses,
        }
    }

    /// Returns the name used in messages and settings.
    pub const fn name(self) -> &'static str {
        self.protocol().name()
    }

    /// Returns the path of a request, relative to a base address that ends with the version
    /// (`…/v1`).
    pub const fn request_path(self) -> &'static str {
        match self {
            ApiDialect::Messages => "/messages",
            ApiDialect::Chat => "/chat/completions",
            ApiDialect::Responses => "/responses",
        }
    }
}
