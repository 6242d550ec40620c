//! What agents do without where their requests go to another address than their maker's, as far as
//! no setting brings it back.

/// Something that an agent does without behind foveal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loss {
    cause: LossCause,
    /// A sentence or two for a person.
    pub(super) text: &'static str,
}

/// Why an agent does without something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LossCause {
    /// The address is not that of the model's maker.
    Address,
    /// The gateway refuses WebSockets.
    RefusedWebSockets,
}

impl Loss {
    /// Returns whether a gateway that passes WebSockets, or does not, takes it away.
    pub(super) fn applies(&self, passes_websockets: bool) -> bool {
        self.cause != LossCause::RefusedWebSockets || !passes_websockets
    }
}

/// Seen in 2.1.330, against the same program that was told to take the address for Anthropic's.
pub(super) const OF_CLAUDE_CODE: [Loss; 2] = [
    Loss {
        cause: LossCause::Address,
        text: "Claude Code sends to Anthropic's own address alone: `scope: \"global\"` on its cached \
               system prompt, cache diagnosis, thinking-binding controls, and headers that say what \
               a request is for. No documented setting brings these back.",
    },
    Loss {
        cause: LossCause::Address,
        text: "Remote Control works with Anthropic's own address alone.",
    },
];

/// Seen in 0.169.0.
pub(super) const OF_CODEX: [Loss; 1] = [Loss {
    cause: LossCause::RefusedWebSockets,
    text: "Codex speaks HTTP in place of a WebSocket, and sends its whole history with each request. \
           `websockets = \"pass\"` lets WebSockets through, of which foveal leaves nothing out.",
}];

/// Read in 0.73.1.
pub(super) const OF_PI: [Loss; 2] = [
    Loss {
        cause: LossCause::Address,
        text: "pi sends `prompt_cache_key` with Chat Completions to OpenAI's own address alone.",
    },
    Loss {
        cause: LossCause::Address,
        text: "pi knows by their addresses what the servers of z.ai, x.ai, DeepSeek, Moonshot, \
               Cerebras and Chutes take: for providers of your own with such an address say it in \
               `compat` of models.json.",
    },
];
