//! What is told to an agent, and where its requests go then.

use std::path::{Path, PathBuf};

use crate::clients::settings::SettingsError;
use crate::environment::Environment;
use crate::gateway::{BadGiven, Given, split_version};

/// Stands for the gateway's address in what an agent is told.
pub(crate) const GATEWAY: &str = "@GATEWAY@";

/// What an agent would be started with, and where.
pub(crate) struct Asked<'a> {
    pub(crate) environment: &'a Environment,
    /// The current folder.
    pub(crate) folder: &'a Path,
    /// The agent's own arguments.
    pub(crate) arguments: &'a [String],
    /// The servers that the user gave. One that takes everything is in the place of what the agent
    /// has set.
    pub(crate) given: Given,
}

/// What an agent is told for one run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// Where its requests go.
    pub(crate) given: Given,
    /// Variables of its environment, with [`GATEWAY`] for the gateway's address.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// Arguments before its own, with the same.
    pub(crate) arguments: Vec<String>,
    /// A file for this run alone, whose path goes behind these arguments: its ending and its text.
    pub(crate) file: Option<(&'static str, String)>,
    /// What of it does not pass the gateway, for the user to know.
    pub(crate) beside: Vec<String>,
    /// What else the user should know.
    pub(crate) remarks: Vec<String>,
    /// Whether it would ask its model's maker without foveal, and so does without something.
    pub(crate) replaces_maker: bool,
}

/// Why an agent cannot be put on a gateway for one run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CannotWrap {
    #[error("{0}")]
    Agent(String),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("`{}`: {what}", path.display())]
    Broken { path: PathBuf, what: String },
    #[error("what it has set cannot be an upstream: {0}")]
    Upstream(#[from] BadGiven),
}

impl Plan {
    /// Nothing but what was given.
    pub(super) fn new(given: Given) -> Self {
        let (variables, arguments) = (Vec::new(), Vec::new());
        let (beside, remarks) = (Vec::new(), Vec::new());
        Self { given, variables, arguments, file: None, beside, remarks, replaces_maker: true }
    }

    /// What an agent with one address is told in its place: `set` is what it had, and goes to that;
    /// `usual` is what its own provider's address ends with.
    ///
    /// # Errors
    /// If what it had is no address.
    pub(super) fn one_address(
        &mut self,
        set: Option<&str>,
        usual: &str,
    ) -> Result<String, CannotWrap> {
        let Some(set) = set.filter(|_| !self.given.takes_all()) else {
            return Ok(format!("{GATEWAY}{usual}"));
        };
        self.given.set_every(set)?;
        Ok(format!("{GATEWAY}{}", split_version(set).1))
    }

    /// What an agent with several addresses is told in the place of `set`, which is `name`'s.
    ///
    /// # Errors
    /// If what it had is no address.
    pub(super) fn named_address(&mut self, name: &str, set: &str) -> Result<String, CannotWrap> {
        let (before, version) = split_version(set);
        if self.given.takes_all() {
            return Ok(format!("{GATEWAY}{version}"));
        }
        let own = self.given.add_new(name, before)?;
        Ok(format!("{GATEWAY}/{own}{version}"))
    }
}
