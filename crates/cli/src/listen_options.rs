//! Parsers for the listen address and the client token of our servers.

use std::net::{AddrParseError, Ipv4Addr, SocketAddr};

use anyhow::Context;
use foveal_http_guard::AccessToken;

/// Parses a listen address; a port alone means the loopback interface.
pub(crate) fn parse_listen_address(text: &str) -> Result<SocketAddr, AddrParseError> {
    let local = text.replacen("localhost:", "127.0.0.1:", 1);
    match text.parse::<u16>() {
        Ok(port) => Ok((Ipv4Addr::LOCALHOST, port).into()),
        Err(_) => local.parse(),
    }
}

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
        format!("{variable} is no token: at least 20 letters and digits, by chance")
    })
}

#[cfg(test)]
mod tests {
    use super::{parse_client_token, parse_listen_address};

    #[test]
    fn a_port_is_one_of_this_machine() {
        assert_eq!(parse_listen_address("4117").unwrap().to_string(), "127.0.0.1:4117");
        assert_eq!(parse_listen_address("localhost:1").unwrap().to_string(), "127.0.0.1:1");
        assert_eq!(parse_listen_address("0.0.0.0:1").unwrap().to_string(), "0.0.0.0:1");
        assert!(parse_listen_address("nowhere").is_err());
    }

    #[test]
    fn a_variable_holds_a_token_or_nothing() {
        assert_eq!(parse_client_token(None, "X").unwrap(), None);
        assert!(parse_client_token(Some("0123456789abcdef0123"), "X").unwrap().is_some());
        let error = parse_client_token(Some("short"), "X").unwrap_err().to_string();
        assert_eq!(error, "X is no token: at least 20 letters and digits, by chance");
    }
}
