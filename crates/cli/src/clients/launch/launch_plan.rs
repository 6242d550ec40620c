//! The launch of an agent on a gateway: its arguments and variables, and the upstreams of the
//! gateway.

use std::path::{Path, PathBuf};

use crate::clients::agent_settings::AgentSettingsError;
use crate::environment::Environment;
use crate::gateway::{UpstreamConfig, UpstreamConfigError, split_version};

/// The placeholder for the gateway's address in arguments and variables.
pub(crate) const GATEWAY: &str = "@GATEWAY@";

/// The inputs of a launch plan.
pub(crate) struct LaunchRequest<'a> {
    pub(crate) environment: &'a Environment,
    /// The current folder.
    pub(crate) folder: &'a Path,
    /// The agent's own arguments.
    pub(crate) arguments: &'a [String],
    /// The upstreams that the user gave. One that takes all requests replaces the addresses in the
    /// agent's settings.
    pub(crate) upstreams: UpstreamConfig,
}

/// The arguments, variables and files for one run of an agent on a gateway.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LaunchPlan {
    /// The upstreams of the gateway.
    pub(crate) upstreams: UpstreamConfig,
    /// Environment variables, with [`GATEWAY`] for the gateway's address.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// Arguments before the user's own, with [`GATEWAY`] for the gateway's address.
    pub(crate) arguments: Vec<String>,
    /// The extension and the text of a temporary file, whose path follows the arguments.
    pub(crate) file: Option<(&'static str, String)>,
    /// Descriptions of requests that do not pass the gateway, for the user.
    pub(crate) bypassing: Vec<String>,
    /// Other remarks for the user.
    pub(crate) remarks: Vec<String>,
    /// Whether the agent would use its vendor's API without foveal, and so loses features.
    pub(crate) replaces_vendor_api: bool,
}

/// The reason why an agent cannot be launched on a gateway.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WrapError {
    #[error("{0}")]
    Agent(String),
    #[error(transparent)]
    Settings(#[from] AgentSettingsError),
    #[error("`{}`: {what}", path.display())]
    Broken { path: PathBuf, what: String },
    #[error("what it has set cannot be an upstream: {0}")]
    Upstream(#[from] UpstreamConfigError),
}

impl LaunchPlan {
    /// Creates a plan without arguments and variables.
    pub(super) fn new(upstreams: UpstreamConfig) -> Self {
        let (variables, arguments) = (Vec::new(), Vec::new());
        let (bypassing, remarks) = (Vec::new(), Vec::new());
        Self {
            upstreams,
            variables,
            arguments,
            file: None,
            bypassing,
            remarks,
            replaces_vendor_api: true,
        }
    }

    /// Returns the new address of an agent with a single address. `set` is its configured address,
    /// which becomes the upstream; `usual` is the suffix for the default provider.
    ///
    /// # Errors
    /// If `set` is not a usable address.
    pub(super) fn plan_single_address(
        &mut self,
        set: Option<&str>,
        usual: &str,
    ) -> Result<String, WrapError> {
        let Some(set) = set.filter(|_| !self.upstreams.has_default()) else {
            return Ok(format!("{GATEWAY}{usual}"));
        };
        self.upstreams.set_default(set)?;
        Ok(format!("{GATEWAY}{}", split_version(set).1))
    }

    /// Returns the new address of the provider `name`, whose configured address is `set`, for an
    /// agent with several providers.
    ///
    /// # Errors
    /// If `set` is not a usable address.
    pub(super) fn plan_provider_address(
        &mut self,
        name: &str,
        set: &str,
    ) -> Result<String, WrapError> {
        let (before, version) = split_version(set);
        if self.upstreams.has_default() {
            return Ok(format!("{GATEWAY}{version}"));
        }
        let own = self.upstreams.add_with_free_name(name, before)?;
        Ok(format!("{GATEWAY}/{own}{version}"))
    }
}
