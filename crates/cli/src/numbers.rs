//! Numbers as people read them.

use foveal_context::tokens::Tokens;

pub(crate) use foveal_screen::numbers::{change, count, dollars, plural, signed_dollars};

/// Tokens in three digits or so: `950`, `2.1k`, `31.4M`.
pub(crate) fn tokens(tokens: Tokens) -> String {
    foveal_screen::numbers::tokens(tokens.0)
}
