//! What can go wrong with a server, and what to do about it.

use std::time::Duration;

use foveal_asking::Said;
use thiserror::Error;

/// The variable of the environment in which users give a key.
pub const KEY_VARIABLE: &str = "FOVEAL_EMBEDDINGS_KEY";

/// Why an address of a server is none.
#[derive(Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum SpecError {
    /// It does not begin with a protocol.
    #[error(
        "`{0}` is no embedder: write built-in, none, ollama:MODEL or openai:MODEL, \
         with @URL after the model for another server than the usual one"
    )]
    Unknown(String),
    #[error("`{0}` names no model: write it after the colon, such as ollama:nomic-embed-text")]
    NoModel(String),
    /// What is after the `@` is no address.
    #[error("`{0}` is no address of a server: write http://HOST:PORT or https://HOST")]
    Address(String),
    /// The model's name ends with what looks like a server.
    #[error(
        "`{host}` looks like a server without its scheme: write {begin}https://{host}, or http:// \
         for this machine"
    )]
    NoScheme {
        /// What stands before it: protocol and model.
        begin: String,
        host: String,
    },
    /// The address holds more than a server and a path: maybe a secret.
    #[error(
        "the address of a server must not hold a name, password, question or fragment: \
         give a key in {KEY_VARIABLE}"
    )]
    Secret,
    /// Everybody on the way could read what is sent.
    #[error(
        "`{address}` is another machine, and http would send your code there for everybody on \
         the way to read: use https, or write {protocol}+http:MODEL@{address} if you want that"
    )]
    Unencrypted { address: String, protocol: &'static str },
}

/// Why a server gave no vectors.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ServerError {
    #[error(
        "{url} cannot be reached ({reason}): check that the server runs and the address is right"
    )]
    Away { url: String, reason: String },
    /// Nobody the system trusts says that it is who it says.
    #[error(
        "{url} has a certificate that is not trusted ({reason}): add its authority to those of the \
         system, or give it in SSL_CERT_FILE"
    )]
    Certificate { url: String, reason: String },
    #[error("{url} gave no answer within {seconds} s: it is overloaded, or still loads the model")]
    Slow { url: String, seconds: u64 },
    #[error("{url} asks for a key: set {KEY_VARIABLE}")]
    NoKey { url: String },
    #[error("{url} refuses the key in {KEY_VARIABLE} ({status}{said})")]
    Key { url: String, status: u16, said: Said },
    #[error(
        "{url} knows no model `{model}`, or is no address for embeddings (404{said}): check both{hint}"
    )]
    Unknown {
        url: String,
        model: String,
        said: Said,
        /// What else can be done.
        hint: String,
    },
    #[error("{url} sends on to `{to}`, which is not followed: give that address if it is right")]
    Redirect { url: String, to: String },
    #[error("{url} is asked too often (429{said}): try again {}", when(*.wait))]
    Busy {
        url: String,
        /// How long it wants to be left alone, if it says so.
        wait: Option<Duration>,
        said: Said,
    },
    #[error("{url} refuses the texts ({status}{said}): check that `{model}` is an embedding model")]
    Refused { url: String, model: String, status: u16, said: Said },
    #[error("{url} fails ({status}{said}): see its log, or try again later")]
    Failing { url: String, status: u16, said: Said },
    #[error(
        "{url} answers with something else than vectors ({reason}): check that it speaks {protocol}"
    )]
    Answer { url: String, reason: String, protocol: &'static str },
    #[error("stopped before {url} gave an answer")]
    Cancelled { url: String },
}

fn when(wait: Option<Duration>) -> String {
    wait.map_or("later".to_owned(), |wait| format!("in {} s", wait.as_secs().max(1)))
}
