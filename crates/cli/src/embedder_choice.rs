//! The choice of an embedder: the built-in one, none, or a model behind a server.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use foveal_providers::{
    ApiKey, EmbeddingRequestLimits, EmbeddingServerSpec, EmbeddingSpecError, ServerEmbedder,
};
use foveal_relevance::embedding::{Embedder, StaticModel};
use foveal_transcript::CancelToken;

const BUILT_IN: &str = "built-in";
const NONE: &str = "none";

/// The options of commands that use an index.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct EmbedderOptions {
    /// The embedder of this index from now on: `built-in`, `none`, `ollama:MODEL` or
    /// `openai:MODEL`, with `@URL` for another server than the default one. A key is taken from
    /// FOVEAL_EMBEDDINGS_KEY.
    #[arg(long, value_name = "EMBEDDER")]
    pub(crate) embedder: Option<EmbedderChoice>,
    /// Does not use vectors this time: finds parts by their words.
    #[arg(long, conflicts_with = "embedder")]
    pub(crate) no_embeddings: bool,
}

/// An embedder as users write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EmbedderChoice {
    BuiltIn,
    None,
    Server(EmbeddingServerSpec),
}

impl EmbedderChoice {
    /// Returns the embedder; `None` if the user chose none. No request is sent yet. A server gets
    /// `key`.
    pub(crate) fn build_embedder(
        &self,
        patience: EmbeddingRequestLimits,
        key: Option<ApiKey>,
        cancel: &CancelToken<'static>,
    ) -> Option<Arc<dyn Embedder>> {
        match self {
            Self::BuiltIn => Some(Arc::new(StaticModel::built_in())),
            Self::None => None,
            Self::Server(spec) => {
                Some(Arc::new(ServerEmbedder::new(spec.clone(), key, patience, cancel.clone())))
            }
        }
    }

    /// Returns true if both are behind the same server, so that one key serves both.
    pub(crate) fn shares_server(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Server(one), Self::Server(other)) => one.has_same_origin(other),
            _ => false,
        }
    }
}

impl FromStr for EmbedderChoice {
    type Err = EmbeddingSpecError;

    fn from_str(text: &str) -> Result<Self, EmbeddingSpecError> {
        match text {
            BUILT_IN => Ok(Self::BuiltIn),
            NONE => Ok(Self::None),
            other => other.parse().map(Self::Server),
        }
    }
}

impl fmt::Display for EmbedderChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => formatter.write_str(BUILT_IN),
            Self::None => formatter.write_str(NONE),
            Self::Server(spec) => write!(formatter, "{spec}"),
        }
    }
}
