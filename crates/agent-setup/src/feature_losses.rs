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
        text: "Claude Code sends to Anthropic's own address alone: `scope: \"global\"` on its cached \
               system prompt, cache diagnosis, thinking-binding controls, and headers that say what \
               a request is for. No documented setting brings these back.",
    },
    FeatureLoss {
        cause: LossCause::Address,
        text: "Remote Control works with Anthropic's own address alone.",
    },
];

/// Observed in 0.169.0.
pub(crate) const CODEX_LOSSES: [FeatureLoss; 1] = [FeatureLoss {
    cause: LossCause::RefusedWebSockets,
    text: "Codex speaks HTTP in place of a WebSocket, and sends its whole history with each request. \
           `websockets = \"pass\"` lets WebSockets through, of which foveal leaves nothing out.",
}];

/// From the source of 0.73.1.
pub(crate) const PI_LOSSES: [FeatureLoss; 2] = [
    FeatureLoss {
        cause: LossCause::Address,
        text: "pi sends `prompt_cache_key` with Chat Completions to OpenAI's own address alone.",
    },
    FeatureLoss {
        cause: LossCause::Address,
        text: "pi knows by their addresses what the servers of z.ai, x.ai, DeepSeek, Moonshot, \
               Cerebras and Chutes take: for providers of your own with such an address say it in \
               `compat` of models.json.",
    },
];
