//! Which embedder is meant: the one built in, none, or a model behind a server.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use foveal_cancel::Cancel;
use foveal_code::embed::{Embedder, StaticModel};
use foveal_embedder::{ApiKey, Patience, ServerEmbedder, ServerSpec, SpecError};

const BUILT_IN: &str = "built-in";
const NONE: &str = "none";

/// The options of commands that use an index.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct EmbedderOptions {
    /// What makes vectors for this index from now on: `built-in`, `none`, `ollama:MODEL` or
    /// `openai:MODEL`, with `@URL` for another server than the usual one. A key is taken from
    /// FOVEAL_EMBEDDINGS_KEY.
    #[arg(long, value_name = "EMBEDDER")]
    pub(crate) embedder: Option<Choice>,
    /// Does not use vectors this time: finds parts by their words.
    #[arg(long, conflicts_with = "embedder")]
    pub(crate) no_embeddings: bool,
}

/// An embedder as users write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    BuiltIn,
    None,
    Server(ServerSpec),
}

impl Choice {
    /// Makes it; nothing is sent yet. A server is given `key`.
    pub(crate) fn embedder(
        &self,
        patience: Patience,
        key: Option<ApiKey>,
        cancel: &Cancel<'static>,
    ) -> Option<Arc<dyn Embedder>> {
        match self {
            Self::BuiltIn => Some(Arc::new(StaticModel::built_in())),
            Self::None => None,
            Self::Server(spec) => {
                Some(Arc::new(ServerEmbedder::new(spec.clone(), key, patience, cancel.clone())))
            }
        }
    }

    /// Whether both are behind the same server, so that the same key may be for both.
    pub(crate) fn shares_server(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Server(one), Self::Server(other)) => one.is_at_server_of(other),
            _ => false,
        }
    }
}

impl FromStr for Choice {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text {
            BUILT_IN => Ok(Self::BuiltIn),
            NONE => Ok(Self::None),
            other => other.parse().map(Self::Server),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => formatter.write_str(BUILT_IN),
            Self::None => formatter.write_str(NONE),
            Self::Server(spec) => write!(formatter, "{spec}"),
        }
    }
}
