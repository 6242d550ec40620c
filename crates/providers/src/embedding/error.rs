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
        "`{0}` is no embedder: write built-in, none, ollama:MODEL or openai:MODEL, \
         with @URL after the model for another server than the usual one"
    )]
    Unknown(String),
    #[error("`{0}` names no model: write it after the colon, such as ollama:nomic-embed-text")]
    NoModel(String),
    /// The part after the `@` is not an address.
    #[error("`{0}` is no address of a server: write http://HOST:PORT or https://HOST")]
    Address(String),
    /// The name of the model ends with a text that looks like a server.
    #[error(
        "`{host}` looks like a server without its scheme: write {begin}https://{host}, or http:// \
         for this machine"
    )]
    NoScheme {
        /// The part before the server: protocol and model.
        begin: String,
        host: String,
    },
    /// The address holds more than a server and a path, perhaps a secret.
    #[error(
        "the address of a server must not hold a name, password, question or fragment: \
         give a key in {EMBEDDINGS_KEY_VARIABLE}"
    )]
    Secret,
    /// The texts would travel unencrypted.
    #[error(
        "`{address}` is another machine, and http would send your code there for everybody on \
         the way to read: use https, or write {protocol}+http:MODEL@{address} if you want that"
    )]
    Unencrypted { address: String, protocol: &'static str },
}

/// The reason why a server returned no vectors.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum EmbeddingServerError {
    #[error(
        "{url} cannot be reached ({reason}): check that the server runs and the address is right"
    )]
    Unreachable { url: String, reason: String },
    /// No authority that the system trusts signed the certificate.
    #[error(
        "{url} has a certificate that is not trusted ({reason}): add its authority to those of the \
         system, or give it in SSL_CERT_FILE"
    )]
    Certificate { url: String, reason: String },
    #[error("{url} gave no answer within {seconds} s: it is overloaded, or still loads the model")]
    RequestTimeout { url: String, seconds: u64 },
    #[error("{url} asks for a key: set {EMBEDDINGS_KEY_VARIABLE}")]
    KeyMissing { url: String },
    #[error("{url} refuses the key in {EMBEDDINGS_KEY_VARIABLE} ({status}{said})")]
    KeyRejected { url: String, status: u16, said: ServerMessage },
    #[error(
        "{url} knows no model `{model}`, or is no address for embeddings (404{said}): check both{hint}"
    )]
    UnknownModel {
        url: String,
        model: String,
        said: ServerMessage,
        /// Further advice.
        hint: String,
    },
    #[error("{url} sends on to `{to}`, which is not followed: give that address if it is right")]
    Redirect { url: String, to: String },
    #[error("{url} is asked too often (429{said}): try again {}", retry_advice(*.wait))]
    RateLimited {
        url: String,
        /// The delay that the server asked for, if any.
        wait: Option<Duration>,
        said: ServerMessage,
    },
    #[error("{url} refuses the texts ({status}{said}): check that `{model}` is an embedding model")]
    RequestRejected { url: String, model: String, status: u16, said: ServerMessage },
    #[error("{url} fails ({status}{said}): see its log, or try again later")]
    ServerFailed { url: String, status: u16, said: ServerMessage },
    #[error(
        "{url} answers with something else than vectors ({reason}): check that it speaks {protocol}"
    )]
    InvalidAnswer { url: String, reason: String, protocol: &'static str },
    #[error("stopped before {url} gave an answer")]
    Cancelled { url: String },
}
