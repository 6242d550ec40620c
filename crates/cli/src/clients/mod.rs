//! The client agents that foveal can be set up in, and the edits of their settings.

mod addresses;
mod agent_settings;
mod agent_settings_file;
mod client_table;
mod feature_losses;
mod foveal_entry;
mod hook_settings;
mod json_servers;
pub(crate) mod launch;
mod owned_file;
mod permission_rules;
mod program;
mod settings_edit;
pub(crate) mod shadowed_settings;
mod shell_quoting;
mod toml_servers;

pub(crate) use self::addresses::AddressLocation;
pub(crate) use self::agent_settings_file::{
    SettingsFileError, backup_path, is_linked_outside, read_settings_file, replace_settings_file,
};
pub(crate) use self::client_table::{
    CLIENT_AGENTS, ClientAgent, HOOKS_SINCE, HooksProblem, ServerCommand, SettingsTarget,
};
pub(crate) use self::foveal_entry::EditError;
pub(crate) use self::json_servers::to_cst_input;
pub(crate) use self::program::{FovealProgram, program_version};
pub(crate) use self::settings_edit::SettingsEdit;
pub(crate) use self::shell_quoting::shell_quote;
