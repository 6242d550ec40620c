//! Numbers formatted for people.

use foveal_pricing::tokens::Tokens;

pub(crate) use foveal_screen::numbers::{
    format_count, format_dollars, format_percent_change, format_plural, format_signed_dollars,
};

/// Formats a token count with about three digits: `950`, `2.1k`, `31.4M`.
pub(crate) fn format_tokens(tokens: Tokens) -> String {
    foveal_screen::numbers::format_tokens(tokens.0)
}

/// Describes a saving, which may be negative: `saved $0.10`, `cost $0.10 more`.
pub(crate) fn describe_saving(saved: f64) -> String {
    let amount = format_dollars(saved.abs());
    if saved < 0.0 { format!("cost {amount} more") } else { format!("saved {amount}") }
}

#[cfg(test)]
mod tests {
    use super::describe_saving;

    #[test]
    fn a_saving_is_never_negative() {
        assert_eq!(describe_saving(0.1), "saved $0.10");
        assert_eq!(describe_saving(0.0), "saved $0.00");
        assert_eq!(describe_saving(-0.02), "cost $0.0200 more");
    }
}
