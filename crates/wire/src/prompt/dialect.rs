//! The model APIs that foveal speaks itself.

use crate::protocol::Protocol;

/// A model API that prompts are put into and whose answers are read to the last word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Chat Completions, which most other servers speak.
    Chat,
    /// OpenAI's Responses, with nothing stored at the provider.
    Responses,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 3] = [Dialect::Messages, Dialect::Chat, Dialect::Responses];

    /// The protocol that it is among all that are read.
    pub const fn protocol(self) -> Protocol {
        match self {
            Dialect::Messages => Protocol::Messages,
            Dialect::Chat => Protocol::Chat,
            Dialect::Responses => Protocol::Responses,
        }
    }

    /// The name in messages and settings.
    pub const fn name(self) -> &'static str {
        self.protocol().name()
    }

    /// The path of a request behind a base address that ends with the version (`…/v1`).
    pub const fn path(self) -> &'static str {
        match self {
            Dialect::Messages => "/messages",
            Dialect::Chat => "/chat/completions",
            Dialect::Responses => "/responses",
        }
    }
}
