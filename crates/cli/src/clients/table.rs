//! The table of agents: how each is found, which of its files say which servers it starts, and
//! what our entry looks like there. One row each.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::addresses::{self, AddressFile, AddressSource, Addresses};
use super::edit::Edit;
use super::entry::PROFILE;
use super::file::read;
use super::hooks::HookHost;
use super::json as json_entry;
use super::launch::{providers_in_use, unset_variables};
use super::losses::{self, Loss};
use super::own_file::OwnFile;
use super::program::{self, Program, Version, version_of};
use super::settings::gemini_variables;
use crate::environment::Environment;
use crate::gateway::Routes;
use crate::user_settings::file::place_of_upstreams;

/// The first version of Claude Code whose hooks can be used: since 2.1.121 they may replace what
/// its own tools answer, and since this one commands are given their arguments without a shell.
pub(crate) const HOOKS_SINCE: Version = Version(2, 1, 139);

/// One agent.
pub(crate) struct Client {
    /// As it is named on the command line.
    pub(crate) name: &'static str,
    /// As people call it.
    pub(crate) title: &'static str,
    pub(crate) programs: &'static [&'static str],
    /// Files and folders of which one is there if it was ever started.
    marks: fn(&Environment) -> Vec<Option<PathBuf>>,
    /// The user's file.
    user: fn(&Environment) -> Option<PathBuf>,
    /// The file of the project in a folder; `None`: it has none, or none that counts.
    project: fn(&Path) -> Option<PathBuf>,
    /// What is written.
    form: Form,
    /// What it does without where foveal is the address of its model.
    losses: &'static [Loss],
}

/// What an entry looks like.
#[derive(Clone, Copy)]
enum Form {
    /// An object in JSON, below a key.
    Json(&'static str, fn(&Start<'_>) -> Value),
    /// opencode's, which changed with its second version.
    Opencode,
    /// A table in TOML, below a key.
    Toml(&'static str),
    /// None: it starts no servers.
    None,
}

/// Why hooks are not set up.
pub(crate) enum HooksProblem {
    /// This version cannot use them.
    Version(String),
    /// Something has to be done first.
    NotYet(String),
}

/// How an agent is to start the server.
pub(crate) struct Start<'a> {
    pub(crate) program: &'a str,
    /// What it is started with.
    pub(crate) arguments: Vec<&'static str>,
    /// The profile that was asked for, if any was: an entry that is there gets it too.
    pub(crate) profile: Option<&'static str>,
}

impl<'a> Start<'a> {
    /// The server of this program, as it is written, with a choice of tools where one was asked
    /// for.
    pub(crate) fn new(program: &'a str, profile: Option<&'static str>) -> Self {
        let choice = profile.into_iter().flat_map(|profile| [PROFILE, profile]);
        let arguments = std::iter::once("mcp").chain(choice).collect();
        Self { program, arguments, profile }
    }
}

/// One file that is to be changed.
pub(crate) struct Target {
    /// The file.
    pub(crate) path: PathBuf,
    /// What is changed in it.
    pub(crate) edit: Edit,
    /// What for, in few words.
    pub(crate) purpose: &'static str,
    /// Whether it is of hooks alone, which not every version of an agent heeds.
    pub(crate) is_hooks: bool,
    /// Whether foveal works without it, so that it is asked for by itself.
    pub(crate) is_extra: bool,
}

/// All agents.
pub(crate) const CLIENTS: [Client; 10] = [
    Client {
        name: "claude-code",
        title: "Claude Code",
        programs: &["claude"],
        marks: |at| vec![at.claude_folder(), claude_servers(at)],
        user: claude_servers,
        project: |folder| Some(folder.join(".mcp.json")),
        form: Form::Json(
            "mcpServers",
            |start| json!({ "type": "stdio", "command": start.program, "args": start.arguments, "env": {} }),
        ),
        losses: &losses::OF_CLAUDE_CODE,
    },
    Client {
        name: "codex",
        title: "Codex",
        programs: &["codex"],
        marks: |at| vec![at.codex_folder()],
        user: |at| Some(at.codex_folder()?.join("config.toml")),
        project: |folder| Some(folder.join(".codex").join("config.toml")),
        form: Form::Toml("mcp_servers"),
        losses: &losses::OF_CODEX,
    },
    Client {
        name: "opencode",
        title: "opencode",
        programs: &["opencode"],
        marks: |at| vec![opencode_folder(at)],
        user: |at| Some(one_of(&opencode_folder(at)?, &OPENCODE_FILES)),
        project: |folder| Some(one_of(folder, &OPENCODE_PROJECT_FILES)),
        form: Form::Opencode,
        losses: &[],
    },
    Client {
        name: "cursor",
        title: "Cursor",
        programs: &["cursor", "cursor-agent"],
        marks: |at| vec![at.in_home(".cursor")],
        user: |at| at.in_home(".cursor/mcp.json"),
        project: |folder| Some(folder.join(".cursor").join("mcp.json")),
        form: Form::Json(
            "mcpServers",
            |start| json!({ "command": start.program, "args": start.arguments, "env": {} }),
        ),
        losses: &[],
    },
    Client {
        name: "vscode",
        title: "VS Code",
        programs: &["code"],
        marks: |at| vec![vscode_folder(at)],
        user: |at| Some(vscode_folder(at)?.join("mcp.json")),
        project: |folder| Some(folder.join(".vscode").join("mcp.json")),
        form: Form::Json(
            "servers",
            |start| json!({ "type": "stdio", "command": start.program, "args": start.arguments }),
        ),
        losses: &[],
    },
    Client {
        name: "zed",
        title: "Zed",
        programs: &["zed", "zeditor"],
        marks: |at| vec![at.config_folder().map(|folder| folder.join("zed"))],
        user: |at| Some(at.config_folder()?.join("zed").join("settings.json")),
        project: |_| None,
        form: Form::Json("context_servers", |start| {
            // Older versions want to be told that the user wrote it.
            json!({ "source": "custom", "command": start.program, "args": start.arguments, "env": {} })
        }),
        losses: &[],
    },
    Client {
        name: "cline",
        title: "Cline",
        programs: &["cline"],
        marks: |at| vec![at.in_home(".cline"), cline_old(at)],
        user: cline_servers,
        project: |_| None,
        form: Form::Json("mcpServers", |start| {
            json!({
                "command": start.program, "args": start.arguments, "env": {}, "disabled": false,
                "autoApprove": []
            })
        }),
        losses: &[],
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        programs: &["gemini"],
        marks: |at| vec![at.in_home(".gemini")],
        user: |at| at.in_home(".gemini/settings.json"),
        project: |folder| Some(folder.join(".gemini").join("settings.json")),
        form: Form::Json(
            "mcpServers",
            |start| json!({ "command": start.program, "args": start.arguments, "env": {} }),
        ),
        losses: &[],
    },
    Client {
        name: "qwen",
        title: "Qwen Code",
        programs: &["qwen"],
        marks: |at| vec![at.in_home(".qwen")],
        user: |at| at.in_home(".qwen/settings.json"),
        project: |folder| Some(folder.join(".qwen").join("settings.json")),
        form: Form::Json(
            "mcpServers",
            |start| json!({ "command": start.program, "args": start.arguments, "env": {} }),
        ),
        losses: &[],
    },
    Client {
        name: "pi",
        title: "pi",
        programs: &["pi"],
        marks: |at| vec![at.pi_folder()],
        user: |_| None,
        project: |_| None,
        form: Form::None,
        losses: &losses::OF_PI,
    },
];

/// What opencode installs where its settings are, before it loads any plugin.
const OPENCODE_PLUGIN: &str = "@opencode-ai/plugin";

/// Names that opencode's settings may have; the last is made where there is none.
const OPENCODE_FILES: [&str; 2] = ["opencode.jsonc", "opencode.json"];

/// The same for a project.
const OPENCODE_PROJECT_FILES: [&str; 4] =
    ["opencode.jsonc", ".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.json"];

impl Client {
    /// The agent of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// The agent whose program is called so.
    pub(crate) fn with_program(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.programs.contains(&name))
    }

    /// Whether it seems to be installed: its program is found, or it was started before.
    pub(crate) fn is_installed(&self, environment: &Environment) -> bool {
        self.program(environment).is_some()
            || (self.marks)(environment).iter().flatten().any(|path| path.exists())
    }

    /// Where its program is.
    pub(crate) fn program(&self, environment: &Environment) -> Option<PathBuf> {
        self.programs.iter().find_map(|name| program::find(name, environment))
    }

    /// The file that says which servers it starts: the user's, or that of the project in
    /// `folder`.
    pub(crate) fn servers(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
        start: &Start<'_>,
    ) -> Option<Target> {
        let path = match folder {
            Some(folder) => (self.project)(folder)?,
            None => (self.user)(environment)?,
        };
        let profile = start.profile;
        let server = |keys, entry| Edit::Server { keys, entry, profile };
        let edit = match self.form {
            Form::Json(key, entry) => server(vec![key], entry(start)),
            Form::Toml(key) => Edit::Table {
                key,
                command: start.program.to_owned(),
                arguments: start.arguments.clone(),
                profile,
            },
            Form::None => return None,
            Form::Opencode => {
                let (keys, entry) = opencode(&path, start, self.program(environment));
                server(keys, entry)
            }
        };
        Some(Target {
            path,
            edit,
            purpose: "the server of the tools",
            is_hooks: false,
            is_extra: false,
        })
    }

    /// The file with its hooks, if it has any that can be used.
    pub(crate) fn hooks(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
        program: &Program,
    ) -> Option<Target> {
        let host = match self.name {
            "claude-code" => HookHost::ClaudeCode,
            "codex" => HookHost::Codex,
            "gemini" => HookHost::Gemini,
            _ => return self.plugin(environment, folder, program),
        };
        // What is shared with others must not name a program of this machine.
        let path = match (host, folder) {
            (HookHost::ClaudeCode, Some(folder)) => {
                folder.join(".claude").join("settings.local.json")
            }
            (HookHost::Codex | HookHost::Gemini, Some(_)) => return None,
            (HookHost::ClaudeCode, None) => environment.claude_folder()?.join("settings.json"),
            (HookHost::Codex, None) => environment.codex_folder()?.join("hooks.json"),
            (HookHost::Gemini, None) => environment.in_home(".gemini/settings.json")?,
        };
        let edit = Edit::Hooks { host, command: program.shown().to_owned() };
        let purpose = "the hook that shapes what its own tools answer";
        Some(Target { path, edit, purpose, is_hooks: true, is_extra: false })
    }

    /// The file of its plugin, which does what hooks do elsewhere.
    fn plugin(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
        program: &Program,
    ) -> Option<Target> {
        // What is shared with others must not name a program of this machine.
        let (file, path) = match (self.name, folder) {
            ("opencode", None) => {
                (OwnFile::OpencodePlugin, opencode_folder(environment)?.join("plugin/foveal.js"))
            }
            ("pi", None) => {
                (OwnFile::PiPlugin, environment.pi_folder()?.join("extensions/foveal.ts"))
            }
            _ => return None,
        };
        let edit = Edit::OwnFile { file, command: program.shown().to_owned() };
        let purpose = "the plugin that shapes what its own tools answer";
        Some(Target { path, edit, purpose, is_hooks: true, is_extra: false })
    }

    /// The file with rules by which it lets our tools that only read run without asking, if it asks
    /// at all and has such rules.
    pub(crate) fn rules(&self, environment: &Environment, folder: Option<&Path>) -> Option<Target> {
        let (path, edit) = match (self.name, folder) {
            ("claude-code", Some(folder)) => {
                (folder.join(".claude").join("settings.local.json"), Edit::Rules)
            }
            ("claude-code", None) => {
                (environment.claude_folder()?.join("settings.json"), Edit::Rules)
            }
            ("qwen", None) => (environment.in_home(".qwen/settings.json")?, Edit::Rules),
            ("gemini", None) => {
                let path = environment.in_home(".gemini/policies/foveal.toml")?;
                (path, Edit::OwnFile { file: OwnFile::GeminiRules, command: String::new() })
            }
            // opencode asks for no tool of a server by itself. The settings that a project shares with
            // others, and agents whose rules foveal does not know, are left alone.
            _ => return None,
        };
        let purpose = "rules that let the tools of foveal that only read run without asking";
        Some(Target { path, edit, purpose, is_hooks: false, is_extra: true })
    }

    /// The file with the addresses by which it finds its model, if foveal knows how to set them.
    pub(crate) fn addresses(&self, environment: &Environment, routes: &Routes) -> Option<Target> {
        let (file, path) = match self.name {
            "claude-code" => {
                (AddressFile::ClaudeCode, environment.claude_folder()?.join("settings.json"))
            }
            "codex" => (AddressFile::Codex, environment.codex_folder()?.join("config.toml")),
            "opencode" => {
                (AddressFile::Opencode, one_of(&opencode_folder(environment)?, &OPENCODE_FILES))
            }
            "gemini" => (AddressFile::Gemini, gemini_variables(environment)?),
            "qwen" => (AddressFile::Qwen, environment.in_home(".qwen/settings.json")?),
            "cline" => {
                let servers = cline_servers(environment)?;
                (AddressFile::Cline, servers.with_file_name("providers.json"))
            }
            "pi" => (AddressFile::Pi, environment.pi_folder()?.join("models.json")),
            _ => return None,
        };
        let providers = match file {
            AddressFile::Opencode => providers_in_use(environment),
            _ => Vec::new(),
        };
        let told = file.variable().filter(|variable| {
            environment.told(variable).is_some_and(|address| !routes.is_ours(address))
        });
        let (routes, names) = (routes.clone(), place_of_upstreams(environment));
        let edit = Edit::Addresses(Addresses { file, providers, routes, told, names });
        let purpose = "the address of its model, which becomes foveal's";
        Some(Target { path, edit, purpose, is_hooks: false, is_extra: false })
    }

    /// Returns the addresses that it asks where it is started in `folder`, as far as foveal knows
    /// where they stand.
    pub(crate) fn address_sources(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
        routes: &Routes,
    ) -> Vec<AddressSource> {
        match self.addresses(environment, routes) {
            Some(Target { path, edit: Edit::Addresses(all), .. }) => {
                addresses::sources(&all, &path, folder, environment)
            }
            _ => Vec::new(),
        }
    }

    /// Returns the variables that bring back what it leaves off for addresses that are not its
    /// maker's, and that are set nowhere.
    pub(crate) fn unset_variables(
        &self,
        environment: &Environment,
        folder: Option<&Path>,
    ) -> Vec<&'static str> {
        match self.name {
            "claude-code" => unset_variables(environment, folder),
            _ => Vec::new(),
        }
    }

    /// Why its hooks are of no use on this machine, or would do harm.
    pub(crate) fn hooks_problem(&self, environment: &Environment) -> Option<HooksProblem> {
        let version = || self.program(environment).and_then(|program| version_of(&program));
        match self.name {
            "claude-code" => version().filter(|version| *version < HOOKS_SINCE).map(|version| {
                HooksProblem::Version(format!(
                    "its hooks can shape answers since version {HOOKS_SINCE}, and this is \
                     {version}: update it, or say --no-hooks"
                ))
            }),
            "opencode" => {
                let folder = opencode_folder(environment)?;
                if version().is_some_and(|version| version.0 >= 2) {
                    let why = "foveal does not know the plugins of its second version".to_owned();
                    return Some(HooksProblem::NotYet(why));
                }
                // With a plugin opencode waits for this at its start, offline more than a minute.
                (!has_installed(&folder, OPENCODE_PLUGIN)).then(|| {
                    HooksProblem::NotYet(format!(
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

    /// Returns what it does without where foveal is the address of its model, in sentences.
    pub(crate) fn losses(&self, passes_websockets: bool) -> impl Iterator<Item = &'static str> {
        let lost = self.losses.iter().filter(move |loss| loss.applies(passes_websockets));
        lost.map(|loss| loss.text)
    }

    /// Whether it starts servers of tools.
    pub(crate) fn starts_servers(&self) -> bool {
        !matches!(self.form, Form::None)
    }
}

/// Where opencode's settings are.
fn opencode_folder(environment: &Environment) -> Option<PathBuf> {
    Some(environment.config_folder()?.join("opencode"))
}

/// Whether npm has installed `package` in a folder, as opencode looks for it.
fn has_installed(folder: &Path, package: &str) -> bool {
    let lock = read(&folder.join("package-lock.json")).ok().flatten().unwrap_or_default();
    let lock: Value = serde_json::from_str(&lock).unwrap_or_default();
    let is_listed = !lock["packages"][""]["dependencies"][package].is_null();
    is_listed && folder.join("node_modules").is_dir()
}

impl Target {
    /// Both changes as one, if they are of one file; else the second is given back.
    pub(crate) fn with(self, other: Target) -> (Self, Option<Target>) {
        if self.path != other.path {
            return (self, Some(other));
        }
        let purpose = match other.is_extra {
            true => "all that foveal wrote",
            false => "the server of the tools, and the hook that shapes what its own answer",
        };
        let edit = Edit::All(vec![self.edit, other.edit]);
        (Self { edit, purpose, ..self }, None)
    }
}

/// The entry for opencode: of its second version where that is installed, or its settings are
/// already those of the second version.
fn opencode(
    path: &Path,
    start: &Start<'_>,
    program: Option<PathBuf>,
) -> (Vec<&'static str>, Value) {
    let has_servers =
        read(path).ok().flatten().is_some_and(|text| json_entry::has(&text, &["mcp", "servers"]));
    let is_second =
        || program.and_then(|program| version_of(&program)).is_some_and(|version| version.0 >= 2);
    let command: Vec<&str> =
        std::iter::once(start.program).chain(start.arguments.iter().copied()).collect();
    if has_servers || is_second() {
        (vec!["mcp", "servers"], json!({ "type": "local", "command": command }))
    } else {
        (vec!["mcp"], json!({ "type": "local", "command": command, "enabled": true }))
    }
}

/// Claude Code's state, servers among it.
fn claude_servers(environment: &Environment) -> Option<PathBuf> {
    let moved = environment.claude.as_ref().map(|folder| folder.join(".claude.json"));
    moved.or_else(|| environment.in_home(".claude.json"))
}

/// The folder of the default profile.
fn vscode_folder(environment: &Environment) -> Option<PathBuf> {
    let folder = if cfg!(target_os = "macos") {
        environment.in_home("Library/Application Support")?
    } else {
        environment.config_folder()?
    };
    Some(folder.join("Code").join("User"))
}

/// Where Cline's extension kept its servers before the program did.
fn cline_old(environment: &Environment) -> Option<PathBuf> {
    let own = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    Some(vscode_folder(environment)?.join(own))
}

fn cline_servers(environment: &Environment) -> Option<PathBuf> {
    if let Some(path) = &environment.cline_servers {
        return Some(path.clone());
    }
    let own = environment.in_home(".cline");
    let old = cline_old(environment).filter(|old| old.exists());
    if let (Some(old), None, None) = (old, &environment.cline_data, &environment.cline)
        && !own.as_ref().is_some_and(|own| own.exists())
    {
        return Some(old);
    }
    let folder = environment.cline.clone().or(own).map(|folder| folder.join("data"));
    let data = environment.cline_data.clone().or(folder)?;
    Some(data.join("settings").join("cline_mcp_settings.json"))
}

/// The first of these that exists, or the last.
fn one_of(folder: &Path, names: &[&str]) -> PathBuf {
    let found = names.iter().find(|name| folder.join(name).exists());
    folder.join(found.or(names.last()).copied().unwrap_or_default())
}
