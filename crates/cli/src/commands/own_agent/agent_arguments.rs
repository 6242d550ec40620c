//! Options that `foveal run` and `foveal chat` share.

use std::path::Path;

use anyhow::{Context, bail};
use foveal_agent_runtime::ResumableSession;
use foveal_providers::ModelSpec;
use foveal_settings::PROFILES;

use super::session_lookup::{open_latest_session, open_session_by_name};
use crate::environment::Environment;

/// The session, the model and the files that an agent starts with.
#[derive(Debug, clap::Args)]
pub(crate) struct AgentArguments {
    /// Resumes a session of this folder, as `foveal sessions` lists it; the beginning of its name
    /// is enough.
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Resumes the latest session of this folder.
    #[arg(long = "continue", conflicts_with = "session")]
    goes_on: bool,
    /// The model, as NAME:MODEL, with @URL for another server than the default one
    /// (`anthropic:claude-sonnet-4-5`, `ollama:qwen3`, `chat:MODEL@https://HOST/v1`). If not given,
    /// that of the session, that in FOVEAL_MODEL, or the first that `foveal models` shows.
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<ModelSpec>,
    /// Puts a file of the folder into the system prompt, with the project's own instructions.
    /// Repeat it for several. A resumed session keeps the files that it started with.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["session", "goes_on"])]
    pub(crate) pin: Vec<String>,
    /// How much is omitted from prompts: off (nothing), lossless, balanced (old results), curated
    /// (as balanced, and of long files the lines that do not matter), or max. The strategies of
    /// design documents (first-last-sampled, first-last-sampled-max5, content-reset) rewrite earlier
    /// messages: where the provider caches prompts, they cost more than balanced. If not given,
    /// that of the session, of your settings, or curated.
    #[arg(long, value_name = "PROFILE", value_parser = PROFILES)]
    pub(crate) profile: Option<String>,
}

impl AgentArguments {
    /// Opens the session that `--session` or `--continue` names, if any.
    ///
    /// # Errors
    /// If there is no such session, or it cannot be continued.
    pub(crate) fn open_resumable_session(
        &self,
        folder: &Path,
        environment: &Environment,
    ) -> anyhow::Result<Option<ResumableSession>> {
        match (&self.session, self.goes_on) {
            (Some(name), _) => open_session_by_name(name, folder, environment).map(Some),
            (None, true) => open_latest_session(folder, environment).map(Some),
            (None, false) => Ok(None),
        }
    }
}

/// Parses a sum of money in US dollars.
///
/// # Errors
/// If it is no number, not finite, or negative.
pub(crate) fn parse_dollars(text: &str) -> anyhow::Result<f64> {
    let amount: f64 = text.parse().context("not a number")?;
    if !amount.is_finite() || amount < 0.0 {
        bail!("not an amount of money: use a number of dollars such as 0.50");
    }
    Ok(amount)
}
