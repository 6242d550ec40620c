//! The launch of an agent on a gateway: its arguments and variables, and the upstreams of the
//! gateway.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use foveal_gateway::upstream_selection::{UpstreamConfig, UpstreamConfigError};
use tempfile::NamedTempFile;

use crate::addresses::split_version;
use crate::agent_settings::AgentSettingsError;
use crate::user_environment::UserEnvironment;

/// The placeholder for the gateway's address in arguments and variables.
pub(super) const GATEWAY: &str = "@GATEWAY@";

/// The inputs of a launch plan.
pub struct LaunchRequest<'a> {
    /// The user's environment.
    pub environment: &'a UserEnvironment,
    /// The current folder.
    pub folder: &'a Path,
    /// The agent's own arguments.
    pub arguments: &'a [String],
    /// The upstreams that the user gave. One that takes all requests replaces the addresses in the
    /// agent's settings.
    pub upstreams: UpstreamConfig,
}

/// The arguments, variables and files for one run of an agent on a gateway.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchPlan {
    /// The upstreams of the gateway.
    pub upstreams: UpstreamConfig,
    /// Environment variables, with [`GATEWAY`] for the gateway's address.
    pub(super) variables: Vec<(&'static str, String)>,
    /// Arguments before the user's own, with [`GATEWAY`] for the gateway's address.
    pub(super) arguments: Vec<String>,
    /// The extension and the text of a temporary file, whose path follows the arguments.
    pub(super) file: Option<(&'static str, String)>,
    /// Descriptions of requests that do not pass the gateway, for the user.
    pub bypassing: Vec<String>,
    /// Other remarks for the user.
    pub remarks: Vec<String>,
    /// Whether the agent would use its vendor's API without foveal, and so loses features.
    pub replaces_vendor_api: bool,
}

/// The reason why an agent cannot be launched on a gateway.
#[derive(Debug, thiserror::Error)]
pub enum WrapError {
    /// The agent's own settings or arguments prevent it.
    #[error("{0}")]
    Agent(String),
    /// The agent's settings cannot be read.
    #[error(transparent)]
    Settings(#[from] AgentSettingsError),
    /// The agent's settings cannot be parsed.
    #[error("`{}`: {what}", path.display())]
    Broken {
        /// The path of the settings.
        path: PathBuf,
        /// The fault.
        what: String,
    },
    /// The address in its settings is none of an API.
    #[error("its configured address cannot be an upstream: {0}")]
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

    /// Configures the agent's process for the gateway at `address`. Returns the temporary file made
    /// for that, which must exist as long as the agent runs.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn configure_command(
        &self,
        command: &mut Command,
        address: SocketAddr,
        environment: &UserEnvironment,
    ) -> io::Result<Option<NamedTempFile>> {
        let address = format!("http://{address}");
        let with_address = |text: &String| text.replace(GATEWAY, &address);
        for (name, value) in &self.variables {
            command.env(name, with_address(value));
        }
        // The user's proxy must not receive requests to this machine.
        for (name, proxies) in [
            ("NO_PROXY", ["HTTPS_PROXY", "HTTP_PROXY"]),
            ("no_proxy", ["https_proxy", "http_proxy"]),
        ] {
            let known = environment.agent_variable(name);
            let has_proxy = proxies.iter().any(|one| environment.agent_variable(one).is_some());
            if known.is_some() || has_proxy {
                let all = known.into_iter().chain(["127.0.0.1"]).collect::<Vec<_>>().join(",");
                command.env(name, all);
            }
        }
        command.args(self.arguments.iter().map(with_address));
        let Some((ending, text)) = &self.file else { return Ok(None) };
        let mut file = tempfile::Builder::new().prefix("foveal-wrap-").suffix(ending).tempfile()?;
        file.write_all(with_address(text).as_bytes())?;
        command.arg(file.path());
        Ok(Some(file))
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
