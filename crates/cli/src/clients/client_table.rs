//! The table of client agents: how each is detected, which of its files lists the servers that it
//! starts, and the format of foveal's entry there. One row for each agent.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::addresses::{self, AddressFile, AddressSource, Addresses};
use super::agent_settings::gemini_dot_env_path;
use super::agent_settings_file::read_settings_file;
use super::feature_losses::{self, FeatureLoss};
use super::foveal_entry::PROFILE_OPTION;
use super::hook_settings::HookSettingsFormat;
use super::json_servers;
use super::launch::{providers_in_use, unset_feature_variables};
use super::owned_file::OwnedFile;
use super::program::{self, FovealProgram, ProgramVersion, program_version};
use super::settings_edit::SettingsEdit;
use crate::environment::Environment;
use crate::gateway::GatewayAddressMap;
use crate::user_settings::settings_file::upstreams_place;

/// The first supported version of Claude Code's hooks. Since 2.1.121 hooks can replace the
/// responses of its own tools; since this version they receive arguments without a shell.
pub(crate) const HOOKS_SINCE: ProgramVersion = ProgramVersion(2, 1, 139);

/// A client agent.
pub(crate) struct ClientAgent {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// The name in messages.
    pub(crate) title: &'static str,
    pub(crate) programs: &'static [&'static str],
    /// Files and folders of which at least one exists if the agent was ever started.
    installation_paths: fn(&Environment) -> Vec<Option<PathBuf>>,
    /// The user's file with the list of servers.
    user_file: fn(&Environment) -> Option<PathBuf>,
    /// The project's file in a folder; `None` if the agent reads none.
    project_file: fn(&Path) -> Option<PathBuf>,
    /// The format of foveal's entry.
    entry_format: EntryFormat,
    /// The features that the agent loses behind foveal's gateway.
    losses: &'static [FeatureLoss],
}

/// The format of an agent's server entry.
#[derive(Clone, Copy)]
enum EntryFormat {
    /// An object in JSON below a key.
    Json(&'static str, fn(&ServerCommand<'_>) -> Value),
    /// opencode's format, which changed with its second version.
    Opencode,
    /// A table in TOML below a key.
    Toml(&'static str),
    /// The agent starts no servers.
    None,
}

/// The reason why hooks are not set up.
pub(crate) enum HooksProblem {
    /// This version does not support them.
    UnsupportedVersion(String),
    /// The user has to do something first.
    SetupNeeded(String),
}

/// The command with which an agent starts foveal's MCP server.
pub(crate) struct ServerCommand<'a> {
    pub(crate) program: &'a str,
    pub(crate) arguments: Vec<&'static str>,
    /// The profile that the user asked for. An existing entry gets it as well.
    pub(crate) profile: Option<&'static str>,
}

impl<'a> ServerCommand<'a> {
    /// Creates the command for `program`, with the option for `profile` if there is one.
    pub(crate) fn new(program: &'a str, profile: Option<&'static str>) -> Self {
        let choice = profile.into_iter().flat_map(|profile| [PROFILE_OPTION, profile]);
        let arguments = std::iter::once("mcp").chain(choice).collect();
        Self { program, arguments, profile }
    }
}

/// A settings file and its edit.
pub(crate) struct SettingsTarget {
    pub(crate) path: PathBuf,
    pub(crate) edit: SettingsEdit,
    /// The purpose in a few words.
    pub(crate) purpose: &'static str,
    /// Whether the edit only sets up hooks, which not every version of the agent supports.
    pub(crate) is_hooks: bool,
    /// Whether foveal works without the edit, so that the user is asked about it separately.
    pub(crate) is_optional: bool,
}

/// All client agents.
pub(crate) const CLIENT_AGENTS: [ClientAgent; 10] = [
    ClientAgent {
        name: "claude-code",
        title: "Claude Code",
        programs: &["claude"],
        installation_paths: |at| vec![at.claude_folder(), claude_servers_path(at)],
        user_file: claude_servers_path,
        project_file: |folder| Some(folder.join(".mcp.json")),
        entry_format: EntryFormat::Json(
            "mcpServers",
            |start| json!({ "type": "stdio", "command": start.program, "args": start.arguments, "env": {} }),
        ),
        losses: &feature_losses::CLAUDE_CODE_LOSSES,
    },
    ClientAgent {
        name: "codex",
        title: "Codex",
        programs: &["codex"],
        installation_paths: |at| vec![at.codex_folder()],
        user_file: |at| Some(at.codex_folder()?.join("config.toml")),
        project_file: |folder| Some(folder.join(".codex").join("config.toml")),
        entry_format: EntryFormat::Toml("mcp_servers"),
        losses: &feature_losses::CODEX_LOSSES,
    },
    ClientAgent {
        name: "opencode",
        title: "opencode",
        programs: &["opencode"],
        installation_paths: |at| vec![opencode_folder(at)],
        user_file: |at| Some(first_existing(&opencode_folder(at)?, &OPENCODE_FILES)),
        project_file: |folder| Some(first_existing(folder, &OPENCODE_PROJECT_FILES)),
        entry_format: EntryFormat::Opencode,
        losses: &[],
    },
    ClientAgent {
        name: "cursor",
        title: "Cursor",
        programs: &["cursor", "cursor-agent"],
        installation_paths: |at| vec![at.path_in_home(".cursor")],
        user_file: |at| at.path_in_home(".cursor/mcp.json"),
        project_file: |folder| Some(folder.join(".cursor").join("mcp.json")),
        entry_format: EntryFormat::Json(
            "mcpServers",
            |start| json!({ "command": start.program, "args": start.arguments, "env": {} }),
        ),
        losses: &[],
    },
    ClientAgent {
        name: "vscode",
        title: "VS Code",
        programs: &["code"],
        installation_paths: |at| vec![vscode_folder(at)],
        user_file: |at| Some(vscode_folder(at)?.join("mcp.json")),
        project_file: |folder| Some(folder.join(".vscode").join("mcp.json")),
        entry_format: EntryFormat::Json(
            "servers",
            |start| json!({ "type": "stdio", "command": start.program, "args": start.arguments }),
        ),
        losses: &[],
    },
    ClientAgent {
        name: "zed",
        title: "Zed",
        programs: &["zed", "zeditor"],
        installation_paths: |at| vec![at.config_folder().map(|folder| folder.join("zed"))],
        user_file: |at| Some(at.config_folder()?.join("zed").join("settings.json")),
        project_file: |_| None,
        entry_format: EntryFormat::Json("context_servers", |start| {
            // Older versions require a statement that the user wrote the entry.
            json!({ "source": "custom", "command": start.program, "args": start.arguments, "env": {} })
        }),
        losses: &[],
    },
    ClientAgent {
        name: "cline",
        title: "Cline",
        programs: &["cline"],
        installation_paths: |at| vec![at.path_in_home(".cline"), old_cline_servers_path(at)],
        user_file: cline_servers_path,
        project_file: |_| None,
        entry_format: EntryFormat::Json("mcpServers", |start| {
            json!({
                "command": start.program, "args": start.arguments, "env": {}, "disabled": false,
                "autoApprove": []
            })
        }),
        losses: &[],
    },
    ClientAgent {
        name: "gemini",
        title: "Gemini CLI",
        programs: &["gemini"],
        installation_paths: |at| vec![at.path_in_home(".gemini")],
        user_file: |at| at.path_in_home(".gemini/settings.json"),
        project_file: |folder| Some(folder.join(".gemini").join("settings.json")),
        entry_format: EntryFormat::Json(
            "mcpServers",
            |start| json!({ "command": start.program, "args": start.arguments, "env": {} }),
        ),
        losses: &[],
    },
    ClientAgent {
        name: "qwen",
        title: "Qwen Code",
        programs: &["qwen"],
        installation_paths: |at| vec![at.path_in_home(".qwen")],
        user_file: |at| at.path_in_home(".qwen/settings.json"),
        project_file: |folder| Some(folder.join(".qwen").join("settings.json")),
        entry_format: EntryFormat::Json(
            "mcpServers",
            |start| json!({ "command": start.program, "args": start.arguments, "env": {} }),
        ),
        losses: &[],
    },
    ClientAgent {
        name: "pi",
        title: "pi",
        programs: &["pi"],
        installation_paths: |at| vec![at.pi_folder()],
        user_file: |_| None,
        project_file: |_| None,
        entry_format: EntryFormat::None,
        losses: &feature_losses::PI_LOSSES,
    },
];

/// The package that opencode installs in its settings folder before it loads any plugin.
const OPENCODE_PLUGIN: &str = "@opencode-ai/plugin";

/// The names of opencode's settings file. The last is created if none exists.
const OPENCODE_FILES: [&str; 2] = ["opencode.jsonc", "opencode.json"];

/// The names of opencode's settings file in a project. The last is created if none exists.
const OPENCODE_PROJECT_FILES: [&str; 4] =
    ["opencode.jsonc", ".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.json"];

impl ClientAgent {
    /// Returns the agent of this name.
    pub(crate) fn from_agent_name(name: &str) -> Option<&'static Self> {
        CLIENT_AGENTS.iter().find(|client| client.name == name)
    }

    /// Returns the agent whose program has this name.
    pub(crate) fn from_program_name(name: &str) -> Option<&'static Self> {
        CLIENT_AGENTS.iter().find(|client| client.programs.contains(&name))
    }

    /// Returns whether the agent seems to be installed: its program is in PATH, or it was started
    /// before.
    pub(crate) fn is_installed(&self, environment: &Environment) -> bool {
        self.program_path(environment).is_some()
            || (self.installation_paths)(environment).iter().flatten().any(|path| path.exists())
    }

    /// Returns the path of the agent's program.
    pub(crate) fn program_path(&self, environment: &Environment) -> Option<PathBuf> {
        self.programs.iter().find_map(|name| program::find_in_path(name, environment))
    }

    /// Returns the edit that adds foveal's MCP server to the user's file, or to that of the project
    /// in `folder`.
    pub(crate) fn server_target(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
        start: &ServerCommand<'_>,
    ) -> Option<SettingsTarget> {
        let path = match folder {
            Some(folder) => (self.project_file)(folder)?,
            None => (self.user_file)(environment)?,
        };
        let profile = start.profile;
        let server = |keys, entry| SettingsEdit::JsonServer { keys, entry, profile };
        let edit = match self.entry_format {
            EntryFormat::Json(key, entry) => server(vec![key], entry(start)),
            EntryFormat::Toml(key) => SettingsEdit::TomlServer {
                key,
                command: start.program.to_owned(),
                arguments: start.arguments.clone(),
                profile,
            },
            EntryFormat::None => return None,
            EntryFormat::Opencode => {
                let (keys, entry) = opencode_entry(&path, start, self.program_path(environment));
                server(keys, entry)
            }
        };
        Some(SettingsTarget {
            path,
            edit,
            purpose: "the server of the tools",
            is_hooks: false,
            is_optional: false,
        })
    }

    /// Returns the edit that sets up foveal's hooks, if the agent has usable ones.
    pub(crate) fn hook_target(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
        program: &FovealProgram,
    ) -> Option<SettingsTarget> {
        let host = match self.name {
            "claude-code" => HookSettingsFormat::ClaudeCode,
            "codex" => HookSettingsFormat::Codex,
            "gemini" => HookSettingsFormat::Gemini,
            _ => return self.plugin_target(environment, folder, program),
        };
        // A shared file must not name a program of this machine.
        let path = match (host, folder) {
            (HookSettingsFormat::ClaudeCode, Some(folder)) => {
                folder.join(".claude").join("settings.local.json")
            }
            (HookSettingsFormat::Codex | HookSettingsFormat::Gemini, Some(_)) => return None,
            (HookSettingsFormat::ClaudeCode, None) => {
                environment.claude_folder()?.join("settings.json")
            }
            (HookSettingsFormat::Codex, None) => environment.codex_folder()?.join("hooks.json"),
            (HookSettingsFormat::Gemini, None) => {
                environment.path_in_home(".gemini/settings.json")?
            }
        };
        let edit = SettingsEdit::Hooks { host, command: program.path().to_owned() };
        let purpose = "the hook that shapes what its own tools answer";
        Some(SettingsTarget { path, edit, purpose, is_hooks: true, is_optional: false })
    }

    /// Returns the edit that writes foveal's plugin, which serves as the hook of this agent.
    fn plugin_target(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
        program: &FovealProgram,
    ) -> Option<SettingsTarget> {
        // A shared file must not name a program of this machine.
        let (file, path) = match (self.name, folder) {
            ("opencode", None) => {
                (OwnedFile::OpencodePlugin, opencode_folder(environment)?.join("plugin/foveal.js"))
            }
            ("pi", None) => {
                (OwnedFile::PiPlugin, environment.pi_folder()?.join("extensions/foveal.ts"))
            }
            _ => return None,
        };
        let edit = SettingsEdit::OwnFile { file, command: program.path().to_owned() };
        let purpose = "the plugin that shapes what its own tools answer";
        Some(SettingsTarget { path, edit, purpose, is_hooks: true, is_optional: false })
    }

    /// Returns the edit that lets foveal's read-only tools run without approval, if the agent has
    /// such rules.
    pub(crate) fn permission_target(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
    ) -> Option<SettingsTarget> {
        let (path, edit) = match (self.name, folder) {
            ("claude-code", Some(folder)) => {
                (folder.join(".claude").join("settings.local.json"), SettingsEdit::PermissionRules)
            }
            ("claude-code", None) => {
                (environment.claude_folder()?.join("settings.json"), SettingsEdit::PermissionRules)
            }
            ("qwen", None) => {
                (environment.path_in_home(".qwen/settings.json")?, SettingsEdit::PermissionRules)
            }
            ("gemini", None) => {
                let path = environment.path_in_home(".gemini/policies/foveal.toml")?;
                (
                    path,
                    SettingsEdit::OwnFile { file: OwnedFile::GeminiRules, command: String::new() },
                )
            }
            // opencode does not ask about tools of servers by default. Settings that a project
            // shares, and agents whose rules foveal does not know, stay unchanged.
            _ => return None,
        };
        let purpose = "rules that let the tools of foveal that only read run without asking";
        Some(SettingsTarget { path, edit, purpose, is_hooks: false, is_optional: true })
    }

    /// Returns the edit that points the agent at a gateway, if foveal knows where its addresses
    /// are.
    pub(crate) fn address_target(
        &self,
        environment: &Environment,
        routes: &GatewayAddressMap,
    ) -> Option<SettingsTarget> {
        let (file, path) = match self.name {
            "claude-code" => {
                (AddressFile::ClaudeCode, environment.claude_folder()?.join("settings.json"))
            }
            "codex" => (AddressFile::Codex, environment.codex_folder()?.join("config.toml")),
            "opencode" => (
                AddressFile::Opencode,
                first_existing(&opencode_folder(environment)?, &OPENCODE_FILES),
            ),
            "gemini" => (AddressFile::Gemini, gemini_dot_env_path(environment)?),
            "qwen" => (AddressFile::Qwen, environment.path_in_home(".qwen/settings.json")?),
            "cline" => {
                let servers = cline_servers_path(environment)?;
                (AddressFile::Cline, servers.with_file_name("providers.json"))
            }
            "pi" => (AddressFile::Pi, environment.pi_folder()?.join("models.json")),
            _ => return None,
        };
        let providers = match file {
            AddressFile::Opencode => providers_in_use(environment),
            _ => Vec::new(),
        };
        let told = file.address_variable().filter(|variable| {
            environment
                .agent_variable(variable)
                .is_some_and(|address| !routes.is_gateway_address(address))
        });
        let (routes, names) = (routes.clone(), upstreams_place(environment));
        let edit = SettingsEdit::Addresses(Addresses {
            file,
            providers,
            routes,
            address_variable: told,
            upstream_names_place: names,
        });
        let purpose = "the address of its model, which becomes foveal's";
        Some(SettingsTarget { path, edit, purpose, is_hooks: false, is_optional: false })
    }

    /// Returns the provider addresses that the agent uses in `folder`, as far as foveal knows where
    /// they are set.
    pub(crate) fn address_sources(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
        routes: &GatewayAddressMap,
    ) -> Vec<AddressSource> {
        match self.address_target(environment, routes) {
            Some(SettingsTarget { path, edit: SettingsEdit::Addresses(all), .. }) => {
                addresses::find_address_sources(&all, &path, folder, environment)
            }
            _ => Vec::new(),
        }
    }

    /// Returns the unset variables that restore features which the agent disables at other
    /// addresses than its vendor's.
    pub(crate) fn unset_feature_variables(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
    ) -> Vec<&'static str> {
        match self.name {
            "claude-code" => unset_feature_variables(environment, folder),
            _ => Vec::new(),
        }
    }

    /// Returns the reason why the agent's hooks do not work on this machine, or would do harm.
    pub(crate) fn hooks_problem(&self, environment: &Environment) -> Option<HooksProblem> {
        let version =
            || self.program_path(environment).and_then(|program| program_version(&program));
        match self.name {
            "claude-code" => version().filter(|version| *version < HOOKS_SINCE).map(|version| {
                HooksProblem::UnsupportedVersion(format!(
                    "its hooks can shape answers since version {HOOKS_SINCE}, and this is \
                     {version}: update it, or say --no-hooks"
                ))
            }),
            "opencode" => {
                let folder = opencode_folder(environment)?;
                if version().is_some_and(|version| version.0 >= 2) {
                    let why = "foveal does not know the plugins of its second version".to_owned();
                    return Some(HooksProblem::SetupNeeded(why));
                }
                // With a plugin opencode waits for this package at start, without a network more
                // than a minute.
                (!has_npm_package(&folder, OPENCODE_PLUGIN)).then(|| {
                    HooksProblem::SetupNeeded(format!(
                        "opencode has not installed `{OPENCODE_PLUGIN}` in {} yet, and would wait \
                         for that: start opencode once while there is a network, then run this \
                         again",
                        folder.display()
                    ))
                })
            }
            _ => None,
        }
    }

    /// Returns the features that the agent loses behind foveal's gateway, in sentences.
    pub(crate) fn feature_losses(
        &self,
        passes_websockets: bool,
    ) -> impl Iterator<Item = &'static str> {
        let lost = self.losses.iter().filter(move |loss| loss.applies(passes_websockets));
        lost.map(|loss| loss.text)
    }

    /// Returns whether the agent starts MCP servers.
    pub(crate) fn starts_servers(&self) -> bool {
        !matches!(self.entry_format, EntryFormat::None)
    }
}

/// Returns opencode's settings folder.
fn opencode_folder(environment: &Environment) -> Option<PathBuf> {
    Some(environment.config_folder()?.join("opencode"))
}

/// Returns whether npm has installed `package` in a folder, by the files that opencode checks.
fn has_npm_package(folder: &Path, package: &str) -> bool {
    let lock =
        read_settings_file(&folder.join("package-lock.json")).ok().flatten().unwrap_or_default();
    let lock: Value = serde_json::from_str(&lock).unwrap_or_default();
    let is_listed = !lock["packages"][""]["dependencies"][package].is_null();
    is_listed && folder.join("node_modules").is_dir()
}

impl SettingsTarget {
    /// Merges two edits of one file. Edits of different files are both returned.
    pub(crate) fn merge(self, other: SettingsTarget) -> (Self, Option<SettingsTarget>) {
        if self.path != other.path {
            return (self, Some(other));
        }
        let purpose = match other.is_optional {
            true => "all that foveal wrote",
            false => "the server of the tools, and the hook that shapes what its own answer",
        };
        let edit = SettingsEdit::All(vec![self.edit, other.edit]);
        (Self { edit, purpose, ..self }, None)
    }
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

/// Returns the path of Claude Code's state, which lists its servers.
fn claude_servers_path(environment: &Environment) -> Option<PathBuf> {
    let moved = environment.claude.as_ref().map(|folder| folder.join(".claude.json"));
    moved.or_else(|| environment.path_in_home(".claude.json"))
}

/// Returns VS Code's folder of the default profile.
fn vscode_folder(environment: &Environment) -> Option<PathBuf> {
    let folder = if cfg!(target_os = "macos") {
        environment.path_in_home("Library/Application Support")?
    } else {
        environment.config_folder()?
    };
    Some(folder.join("Code").join("User"))
}

/// Returns the old path of Cline's servers, which its extension used before the program existed.
fn old_cline_servers_path(environment: &Environment) -> Option<PathBuf> {
    let own = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    Some(vscode_folder(environment)?.join(own))
}

fn cline_servers_path(environment: &Environment) -> Option<PathBuf> {
    if let Some(path) = &environment.cline_servers {
        return Some(path.clone());
    }
    let own = environment.path_in_home(".cline");
    let old = old_cline_servers_path(environment).filter(|old| old.exists());
    if let (Some(old), None, None) = (old, &environment.cline_data, &environment.cline)
        && !own.as_ref().is_some_and(|own| own.exists())
    {
        return Some(old);
    }
    let folder = environment.cline.clone().or(own).map(|folder| folder.join("data"));
    let data = environment.cline_data.clone().or(folder)?;
    Some(data.join("settings").join("cline_mcp_settings.json"))
}

/// Returns the path of the first name that exists, or of the last name.
fn first_existing(folder: &Path, names: &[&str]) -> PathBuf {
    let found = names.iter().find(|name| folder.join(name).exists());
    folder.join(found.or(names.last()).copied().unwrap_or_default())
}
