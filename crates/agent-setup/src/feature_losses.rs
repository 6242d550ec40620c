//! The features that agents lose at another address than their vendor's, as far as no setting
//! restores them.

/// A feature that an agent loses behind foveal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FeatureLoss {
    cause: LossCause,
    /// One or two sentences for the user.
    pub(crate) text: &'static str,
}

/// The cause of a feature loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LossCause {
    /// The address is not the vendor's.
    Address,
    /// The gateway refuses WebSockets.
    RefusedWebSockets,
}

impl FeatureLoss {
    /// Returns whether the loss occurs with a gateway that passes WebSockets, or refuses them.
    pub(crate) fn applies(&self, passes_websockets: bool) -> bool {
        self.cause != LossCause::RefusedWebSockets || !passes_websockets
    }
}

/// Observed in 2.1.330, in comparison with a run that treated the gateway's address as Anthropic's.
pub(crate) const CLAUDE_CODE_LOSSES: [FeatureLoss; 2] = [
    FeatureLoss {
        cause: LossCause::Address,
        text: "Claude Code sends these only to Anthropic's own address: `scope: \"global\"` on its \
               cached system prompt, cache diagnosis, thinking-binding controls, and headers with \
               the purpose of a request. No documented setting restores them.",
    },
    FeatureLoss {
        cause: LossCause::Address,
        text: "Remote Control works only with Anthropic's own address.",
    },
];

/// Observed in 0.169.0.
pub(crate) const CODEX_LOSSES: [FeatureLoss; 1] = [FeatureLoss {
    cause: LossCause::RefusedWebSockets,
    text: "Codex uses HTTP instead of a WebSocket, and sends its whole history with each request. \
           `websockets = \"pass\"` lets WebSockets through, but foveal does not reduce their \
           prompts.",
}];

/// From the source of 0.73.1.
pub(crate) const PI_LOSSES: [FeatureLoss; 2] = [
    FeatureLoss {
        cause: LossCause::Address,
        text: "pi sends `prompt_cache_key` with Chat Completions only to OpenAI's own address.",
    },
    FeatureLoss {
        cause: LossCause::Address,
        text: "pi recognises the servers of z.ai, x.ai, DeepSeek, Moonshot, Cerebras and Chutes, \
               and what they accept, by their addresses: for your own providers with such an \
               address, set it in `compat` of models.json.",
    },
];
