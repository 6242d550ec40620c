//! Errors of embedding servers, with advice for the user.

use std::time::Duration;

use crate::ServerMessage;
use crate::backoff::retry_advice;
use thiserror::Error;

/// The environment variable of the API key.
pub const EMBEDDINGS_KEY_VARIABLE: &str = "FOVEAL_EMBEDDINGS_KEY";

/// The reason why a text is not a specification of an embedder.
#[derive(Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum EmbeddingSpecError {
    /// The text does not begin with a protocol.
    #[error(
        "`{0}` is not a valid embedder: use built-in, none, ollama:MODEL or openai:MODEL, with \
         @URL after the model for a server other than the default"
    )]
    Unknown(String),
    #[error("`{0}` has no model: add it after the colon, as in ollama:nomic-embed-text")]
    NoModel(String),
    /// The part after the `@` is not an address.
    #[error("`{0}` is not a valid server address: use http://HOST:PORT or https://HOST")]
    Address(String),
    /// The port is no number from 0 to 65535.
    #[error("the port of `{0}` is not valid: use a number up to 65535")]
    Port(String),
    /// The name of the model ends with a text that looks like a server.
    #[error(
        "`{host}` looks like a server address without a scheme: use {begin}https://{host}, or \
         http:// for this machine"
    )]
    NoScheme {
        /// The part before the server: protocol and model.
        begin: String,
        host: String,
    },
    /// The address holds more than a server and a path, perhaps a secret.
    #[error(
        "a server address must not contain a user name, password, query or fragment: set the key \
         in {EMBEDDINGS_KEY_VARIABLE}"
    )]
    Secret,
    /// The texts would travel unencrypted.
    #[error(
        "`{address}` is another machine, and http would send your code there unencrypted: use \
         https, or {protocol}+http:MODEL@{address} to allow that"
    )]
    Unencrypted { address: String, protocol: &'static str },
}

/// The reason why a server returned no vectors.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum EmbeddingServerError {
    #[error(
        "cannot reach {url} ({reason}): check that the server is running and the address is correct"
    )]
    Unreachable { url: String, reason: String },
    /// No authority that the system trusts signed the certificate.
    #[error(
        "{url} has an untrusted certificate ({reason}): add its certificate authority to those of \
         the system, or set SSL_CERT_FILE to it"
    )]
    Certificate { url: String, reason: String },
    #[error(
        "{url} did not answer within {seconds} s: it may be overloaded, or still loading the model"
    )]
    RequestTimeout { url: String, seconds: u64 },
    #[error("{url} requires a key: set {EMBEDDINGS_KEY_VARIABLE}")]
    KeyMissing { url: String },
    #[error("{url} rejected the key in {EMBEDDINGS_KEY_VARIABLE} ({status}{said})")]
    KeyRejected { url: String, status: u16, said: ServerMessage },
    #[error(
        "{url} has no model `{model}`, or is not an embeddings address (404{said}): check \
         both{hint}"
    )]
    UnknownModel {
        url: String,
        model: String,
        said: ServerMessage,
        /// Further advice.
        hint: String,
    },
    #[error("{url} redirects to `{to}`, which is not followed: use that address if it is correct")]
    Redirect { url: String, to: String },
    #[error("{url} received too many requests (429{said}): try again {}", retry_advice(*.wait))]
    RateLimited {
        url: String,
        /// The delay that the server asked for, if any.
        wait: Option<Duration>,
        said: ServerMessage,
    },
    #[error(
        "{url} rejected the texts ({status}{said}): check that `{model}` is an embedding model"
    )]
    RequestRejected { url: String, model: String, status: u16, said: ServerMessage },
    #[error("{url} failed ({status}{said}): see its log, or try again later")]
    ServerFailed { url: String, status: u16, said: ServerMessage },
    #[error("{url} did not return valid vectors ({reason}): check that it supports {protocol}")]
    InvalidAnswer { url: String, reason: String, protocol: &'static str },
    #[error("stopped before {url} answered")]
    Cancelled { url: String },
}
