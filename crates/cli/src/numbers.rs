//! Numbers formatted for people.

use foveal_pricing::tokens::Tokens;

pub(crate) use foveal_screen::numbers::{
    format_count, format_dollars, format_percent_change, format_plural, format_signed_dollars,
};

/// Formats a token count with about three digits: `950`, `2.1k`, `31.4M`.
pub(crate) fn format_tokens(tokens: Tokens) -> String {
    foveal_screen::numbers::format_tokens(tokens.0)
}
