//! The edits of an agent's settings, by its row in the table.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::addresses::{self, AddressFile, AddressSource, Addresses, GatewayAddressMap};
use crate::agent_paths::opencode_folder;
use crate::agent_settings_file::read_settings_file;
use crate::client_agents::{
    AddressPlace, ClientAgent, EntryFormat, HookPlace, HookRequirement, PermissionRulePlace,
};
use crate::foveal_entry::{EditError, ServerCommand};
use crate::json_servers;
use crate::launch::claude_code;
use crate::owned_file::OwnedFile;
use crate::program::{self, FovealProgram, ProgramVersion, program_version};
use crate::settings_edit::SettingsEdit;
use crate::user_environment::UserEnvironment;

/// A settings file and its edit.
pub struct SettingsTarget {
    /// The path of the file.
    pub path: PathBuf,
    pub(crate) edit: SettingsEdit,
    /// The purpose in a few words.
    pub purpose: &'static str,
    /// Whether the edit only sets up hooks, which not every version of the agent supports.
    pub(crate) is_hooks: bool,
    /// Whether foveal works without the edit, so that the that it can be left out.
    pub(crate) is_optional: bool,
}

/// The setup of foveal in a settings file.
#[derive(Debug, PartialEq, Eq)]
pub enum SetupState {
    /// The file does not name foveal.
    Absent,
    /// The file names foveal, and the program exists.
    Active,
    /// The file names foveal, and the agent has it switched off.
    SwitchedOff,
    /// The file names this program, which does not exist.
    MissingProgram(String),
    /// The file cannot be read or parsed, for this reason.
    Unreadable(String),
}

/// The reason why hooks are not set up.
pub(crate) enum HooksProblem {
    /// This version does not support them.
    UnsupportedVersion(String),
    /// The user has to do something first.
    SetupNeeded(String),
}

/// The package that opencode installs in its settings folder before it loads any plugin.
const OPENCODE_PLUGIN: &str = "@opencode-ai/plugin";

impl ClientAgent {
    /// Returns whether the agent seems to be installed: its program is in PATH, or it was started
    /// before.
    pub fn is_installed(&self, environment: &UserEnvironment) -> bool {
        self.program_path(environment).is_some()
            || (self.installation_paths)(environment).iter().flatten().any(|path| path.exists())
    }

    /// Returns the path of the agent's program.
    pub fn program_path(&self, environment: &UserEnvironment) -> Option<PathBuf> {
        self.programs.iter().find_map(|name| program::find_in_path(name, environment))
    }

    /// Returns the edit that adds foveal's MCP server to the user's file, or to that of the project
    /// in `folder`.
    pub fn server_target(
        &self,
        environment: &UserEnvironment,
        folder: Option<&Path>,
        start: &ServerCommand<'_>,
    ) -> Option<SettingsTarget> {
        let servers = self.servers.as_ref()?;
        let path = match folder {
            Some(folder) => servers.project_file?(folder),
            None => (servers.user_file)(environment)?,
        };
        let profile = start.profile;
        let server = |keys, entry| SettingsEdit::JsonServer { keys, entry, profile };
        let edit = match servers.format {
            EntryFormat::Json(key, entry) => server(vec![key], entry(start)),
            EntryFormat::Toml(key) => SettingsEdit::TomlServer {
                key,
                command: start.program.to_owned(),
                arguments: start.arguments.clone(),
                profile,
            },
            EntryFormat::Opencode => {
                let (keys, entry) = opencode_entry(&path, start, self.program_path(environment));
                server(keys, entry)
            }
        };
        Some(SettingsTarget {
            path,
            edit,
            purpose: "the tool server",
            is_hooks: false,
            is_optional: false,
        })
    }

    /// Returns the edit that sets up foveal's hooks or plugin, if the agent has usable ones. A
    /// shared file must not name a program of this machine.
    pub fn hook_target(
        &self,
        environment: &UserEnvironment,
        folder: Option<&Path>,
        program: &FovealProgram,
    ) -> Option<SettingsTarget> {
        let command = program.path().to_owned();
        let (path, edit, purpose) = match (&self.hook.as_ref()?.place, folder) {
            (HookPlace::Settings { user_file, project_file, format }, folder) => (
                match folder {
                    Some(folder) => (*project_file)?(folder),
                    None => user_file(environment)?,
                },
                SettingsEdit::Hooks { format: *format, command },
                "the hook that reduces results of its own tools",
            ),
            (HookPlace::Plugin { user_file, template }, None) => (
                user_file(environment)?,
                SettingsEdit::OwnFile { file: OwnedFile::Plugin(template), command },
                "the plugin that reduces results of its own tools",
            ),
            (HookPlace::Plugin { .. }, Some(_)) => return None,
        };
        Some(SettingsTarget { path, edit, purpose, is_hooks: true, is_optional: false })
    }

    /// Returns true if the agent has permission rules and none of foveal's among them.
    pub fn lacks_permission_rules(
        &self,
        environment: &UserEnvironment,
        folder: Option<&Path>,
    ) -> bool {
        let Some(target) = self.permission_target(environment, folder) else { return false };
        let text = read_settings_file(&target.path).ok().flatten().unwrap_or_default();
        matches!(target.edit.remove(&text), Ok(None))
    }

    /// Returns the edit that lets foveal's read-only tools run without approval, if the agent has
    /// such rules.
    pub(crate) fn permission_target(
        &self,
        environment: &UserEnvironment,
        folder: Option<&Path>,
    ) -> Option<SettingsTarget> {
        let (path, edit) = match (self.permission_rules.as_ref()?, folder) {
            (PermissionRulePlace::List { project_file, .. }, Some(folder)) => {
                ((*project_file)?(folder), SettingsEdit::PermissionRules)
            }
            (PermissionRulePlace::List { user_file, .. }, None) => {
                (user_file(environment)?, SettingsEdit::PermissionRules)
            }
            (PermissionRulePlace::GeminiFile(user_file), None) => {
                let (file, command) = (OwnedFile::GeminiRules, String::new());
                (user_file(environment)?, SettingsEdit::OwnFile { file, command })
            }
            (PermissionRulePlace::GeminiFile(_), Some(_)) => return None,
        };
        let purpose = "rules that allow foveal's read-only tools without asking";
        Some(SettingsTarget { path, edit, purpose, is_hooks: false, is_optional: true })
    }

    /// Returns the edit that points the agent at a gateway, if foveal knows where its addresses
    /// are.
    pub(crate) fn address_target(
        &self,
        environment: &UserEnvironment,
        routes: &GatewayAddressMap,
    ) -> Option<SettingsTarget> {
        let (file, path) = self.address_file(environment)?;
        let edit = SettingsEdit::Addresses(Addresses::new(file, routes, environment));
        let purpose = "foveal's gateway as the address of its model";
        Some(SettingsTarget { path, edit, purpose, is_hooks: false, is_optional: false })
    }

    /// Returns the provider addresses that the agent uses in `folder`, as far as foveal knows where
    /// they are set.
    pub(crate) fn address_sources(
        &self,
        environment: &UserEnvironment,
        folder: Option<&Path>,
        routes: &GatewayAddressMap,
    ) -> Vec<AddressSource> {
        let Some((file, path)) = self.address_file(environment) else { return Vec::new() };
        let all = Addresses::new(file, routes, environment);
        addresses::find_address_sources(&all, &path, folder, environment)
    }

    /// Returns the file with the agent's addresses, and its path.
    pub(crate) fn address_file(
        &self,
        environment: &UserEnvironment,
    ) -> Option<(AddressFile, PathBuf)> {
        match self.address {
            AddressPlace::Settings(file, path) => Some((file, path(environment)?)),
            AddressPlace::Unsupported(_) => None,
        }
    }

    /// Returns the unset variables that restore features which the agent disables at other
    /// addresses than its vendor's.
    pub fn unset_feature_variables(
        &self,
        environment: &UserEnvironment,
        folder: Option<&Path>,
    ) -> Vec<&'static str> {
        match self.address {
            AddressPlace::Settings(AddressFile::ClaudeCode, _) => {
                claude_code::unset_feature_variables(environment, folder)
            }
            _ => Vec::new(),
        }
    }

    /// Returns the first version whose hooks work, if others may be installed.
    pub fn hooks_since(&self) -> Option<ProgramVersion> {
        match self.hook.as_ref()?.requirement {
            HookRequirement::Version(version) => Some(version),
            HookRequirement::None | HookRequirement::OpencodePackage => None,
        }
    }

    /// Returns the reason why the agent's hooks do not work on this machine, or would do harm.
    pub(crate) fn hooks_problem(&self, environment: &UserEnvironment) -> Option<HooksProblem> {
        let version =
            || self.program_path(environment).and_then(|program| program_version(&program));
        match self.hook.as_ref()?.requirement {
            HookRequirement::None => None,
            HookRequirement::Version(since) => {
                version().filter(|version| *version < since).map(|version| {
                    HooksProblem::UnsupportedVersion(format!(
                        "its hooks can change results since version {since}, but version {version} \
                         is installed: update it, or pass --no-hooks"
                    ))
                })
            }
            HookRequirement::OpencodePackage => {
                let folder = opencode_folder(environment)?;
                if version().is_some_and(|version| version.0 >= 2) {
                    let why = "foveal does not support plugins of its version 2".to_owned();
                    return Some(HooksProblem::SetupNeeded(why));
                }
                // With a plugin opencode waits for this package at start, without a network more
                // than a minute.
                (!has_npm_package(&folder, OPENCODE_PLUGIN)).then(|| {
                    HooksProblem::SetupNeeded(format!(
                        "opencode has not installed `{OPENCODE_PLUGIN}` in {} yet, and would wait \
                         for that: start opencode once with a network connection, then run this \
                         again",
                        folder.display()
                    ))
                })
            }
        }
    }
}

/// Returns whether npm has installed `package` in a folder, by the files that opencode checks.
fn has_npm_package(folder: &Path, package: &str) -> bool {
    let lock =
        read_settings_file(&folder.join("package-lock.json")).ok().flatten().unwrap_or_default();
    let lock: Value = serde_json::from_str(&lock).unwrap_or_default();
    let is_listed = !lock["packages"][""]["dependencies"][package].is_null();
    is_listed && folder.join("node_modules").is_dir()
}

/// Returns the keys and the entry for opencode, in the format of its second version if that is
/// installed or the settings already have that format.
fn opencode_entry(
    path: &Path,
    start: &ServerCommand<'_>,
    program: Option<PathBuf>,
) -> (Vec<&'static str>, Value) {
    let has_servers = read_settings_file(path)
        .ok()
        .flatten()
        .is_some_and(|text| json_servers::has_object(&text, &["mcp", "servers"]));
    let is_second = || {
        program.and_then(|program| program_version(&program)).is_some_and(|version| version.0 >= 2)
    };
    let command: Vec<&str> =
        std::iter::once(start.program).chain(start.arguments.iter().copied()).collect();
    if has_servers || is_second() {
        (vec!["mcp", "servers"], json!({ "type": "local", "command": command }))
    } else {
        (vec!["mcp"], json!({ "type": "local", "command": command, "enabled": true }))
    }
}

impl SettingsTarget {
    /// Reads the file, and returns how foveal is set up in it.
    pub fn setup_state(&self) -> SetupState {
        let text = match read_settings_file(&self.path) {
            Ok(None) => return SetupState::Absent,
            Ok(Some(text)) => text,
            Err(error) => return SetupState::Unreadable(error.to_string()),
        };
        if let Err(EditError::Broken { line, what }) = self.edit.remove(&text) {
            return SetupState::Unreadable(format!("line {line}: {what}"));
        }
        match self.edit.installed_program(&text) {
            None => SetupState::Absent,
            // The agent resolves a bare name through PATH.
            Some(program) if program.contains('/') && !Path::new(&program).exists() => {
                SetupState::MissingProgram(program)
            }
            Some(_) if self.edit.is_disabled(&text) => SetupState::SwitchedOff,
            Some(_) => SetupState::Active,
        }
    }

    /// Merges an edit of the same file into this one.
    pub(crate) fn merge(self, other: SettingsTarget) -> Self {
        let purpose = match other.is_optional {
            true => "everything that foveal wrote",
            false => "the tool server, and the hook that reduces results of its own tools",
        };
        let edit = SettingsEdit::All(vec![self.edit, other.edit]);
        Self { edit, purpose, ..self }
    }
}
