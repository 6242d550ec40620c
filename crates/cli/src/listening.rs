//! What the command lines of servers say of where and to whom they listen.

use std::net::{AddrParseError, Ipv4Addr, SocketAddr};

use anyhow::Context;
use foveal_listening::Token;

/// An address to listen at; of this machine alone where only a port is given.
pub(crate) fn address(text: &str) -> Result<SocketAddr, AddrParseError> {
    let local = text.replacen("localhost:", "127.0.0.1:", 1);
    match text.parse::<u16>() {
        Ok(port) => Ok((Ipv4Addr::LOCALHOST, port).into()),
        Err(_) => local.parse(),
    }
}

/// The token in an environment variable, where that is set.
///
/// # Errors
/// If it is no token.
pub(crate) fn token(text: Option<&str>, variable: &str) -> anyhow::Result<Option<Token>> {
    let Some(text) = text else { return Ok(None) };
    let token = Token::new(text);
    token.map(Some).with_context(|| {
        format!("{variable} is no token: at least 20 letters and digits, by chance")
    })
}

#[cfg(test)]
mod tests {
    use super::{address, token};

    #[test]
    fn a_port_is_one_of_this_machine() {
        assert_eq!(address("4117").unwrap().to_string(), "127.0.0.1:4117");
        assert_eq!(address("localhost:1").unwrap().to_string(), "127.0.0.1:1");
        assert_eq!(address("0.0.0.0:1").unwrap().to_string(), "0.0.0.0:1");
        assert!(address("nowhere").is_err());
    }

    #[test]
    fn a_variable_holds_a_token_or_nothing() {
        assert_eq!(token(None, "X").unwrap(), None);
        assert!(token(Some("0123456789abcdef0123"), "X").unwrap().is_some());
        let error = token(Some("short"), "X").unwrap_err().to_string();
        assert_eq!(error, "X is no token: at least 20 letters and digits, by chance");
    }
}
