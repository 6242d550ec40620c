//! The parser for the client token of our servers.

use anyhow::Context;
use foveal_http_guard::AccessToken;

/// Parses the client token in an environment variable, if that is set.
///
/// # Errors
/// If the text is no token.
pub(crate) fn parse_client_token(
    text: Option<&str>,
    variable: &str,
) -> anyhow::Result<Option<AccessToken>> {
    let Some(text) = text else { return Ok(None) };
    let token = AccessToken::new(text);
    token.map(Some).with_context(|| {
        format!("{variable} is not a valid token: use at least 20 random letters and digits")
    })
}

#[cfg(test)]
mod tests {
    use super::parse_client_token;

    #[test]
    fn a_variable_holds_a_token_or_nothing() {
        assert_eq!(parse_client_token(None, "X").unwrap(), None);
        assert!(parse_client_token(Some("0123456789abcdef0123"), "X").unwrap().is_some());
        let error = parse_client_token(Some("short"), "X").unwrap_err().to_string();
        assert_eq!(error, "X is not a valid token: use at least 20 random letters and digits");
    }
}
