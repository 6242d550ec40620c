//! foveal in client agents: one table of them, the edits of their settings, their launch on a
//! gateway, their hooks, and their recorded sessions.

mod addresses;
mod agent_paths;
mod agent_settings;
mod agent_settings_file;
pub mod client_agents;
mod feature_losses;
mod foveal_entry;
pub mod hook;
mod hook_settings;
mod json_servers;
pub mod launch;
mod owned_file;
mod permission_rules;
mod program;
pub mod sessions;
mod settings_edit;
mod settings_targets;
pub mod setup;
mod shell_quoting;
mod toml_servers;
mod user_environment;

pub use self::addresses::{AddressLocation, GatewayAddressMap, ListeningProgram};
pub use self::agent_settings::AgentSettingsError;
pub use self::agent_settings_file::{SettingsFileError, read_settings_file, replace_settings_file};
pub use self::foveal_entry::{EditError, ServerCommand};
pub use self::json_servers::to_cst_input;
pub use self::program::{FovealProgram, ProgramPathError, ProgramVersion, program_version};
pub use self::settings_targets::{SettingsTarget, SetupState};
pub use self::user_environment::UserEnvironment;
