//! The table of client agents, one row for each: how it is found, where its settings are and which
//! editor changes them, its hook, its launch, its answer limit, and its recorded sessions.

use std::path::{Path, PathBuf};

use foveal_mcp::ClientLimit;
use foveal_session_readers::SessionFormat;
use serde_json::{Value, json};

use crate::addresses::AddressFile;
use crate::agent_paths::{self as paths, variables};
use crate::feature_losses::{self, FeatureLoss};
use crate::foveal_entry::ServerCommand;
use crate::hook::{AgentHook, HookResultForm, TextResults};
use crate::hook_settings::{HookCommandForm, HookSettingsFormat};
use crate::launch::{self, LaunchPlan, LaunchPlanner, LaunchRequest, WrapError};
use crate::program::ProgramVersion;
use crate::sessions::{SessionFolder, SessionSearch};
use crate::user_environment::UserEnvironment;

/// A path of an agent; `None` if its folder is unknown.
pub(crate) type UserPath = fn(&UserEnvironment) -> Option<PathBuf>;

/// A path in the folder of a project.
pub(crate) type ProjectPath = fn(&Path) -> PathBuf;

/// A client agent.
pub struct ClientAgent {
    /// The name on the command line.
    pub name: &'static str,
    /// The name in messages.
    pub title: &'static str,
    /// The names of its program.
    pub programs: &'static [&'static str],
    /// The environment variables that move its folders and files.
    pub path_variables: &'static [&'static str],
    /// The environment variables that set its addresses, identities and features.
    pub variables: &'static [&'static str],
    /// Files and folders of which at least one exists if the agent was ever started.
    pub(crate) installation_paths: fn(&UserEnvironment) -> Vec<Option<PathBuf>>,
    /// Its list of MCP servers; `None` if it starts none.
    pub(crate) servers: Option<ServerList>,
    /// Its hook or plugin, if foveal can shape results of its own tools.
    pub(crate) hook: Option<HookSetup>,
    /// Its rules for tools that run without approval, as far as foveal writes them.
    pub(crate) permission_rules: Option<PermissionRulePlace>,
    /// The address of its model.
    pub(crate) address: AddressPlace,
    /// Plans a run on a gateway; `None` if the agent takes its address from settings alone.
    pub(crate) launch: Option<LaunchPlanner>,
    /// The features that it loses behind foveal's gateway.
    pub(crate) losses: &'static [FeatureLoss],
    /// How much of an answer it shows its model; `None` if that is unknown.
    pub answer_limit: Option<ClientLimit>,
    /// The format of its recorded sessions, if there is a reader for them.
    pub session_format: Option<SessionFormat>,
    /// The folders of its recorded sessions.
    pub session_folders: &'static [SessionFolder],
}

/// The file with an agent's list of servers.
pub(crate) struct ServerList {
    pub(crate) user_file: UserPath,
    /// `None` if the agent reads no list of a project.
    pub(crate) project_file: Option<ProjectPath>,
    pub(crate) format: EntryFormat,
}

/// The format of an agent's server entry.
#[derive(Clone, Copy)]
pub(crate) enum EntryFormat {
    /// An object in JSON below a key.
    Json(&'static str, fn(&ServerCommand<'_>) -> Value),
    /// opencode's format, which changed with its second version.
    Opencode,
    /// A table in TOML below a key.
    Toml(&'static str),
}

/// The setup of an agent's hook, and the hook itself.
pub(crate) struct HookSetup {
    pub(crate) place: HookPlace,
    pub(crate) requirement: HookRequirement,
    pub(crate) hook: AgentHook,
}

/// The place where an agent is told of foveal's hook.
pub(crate) enum HookPlace {
    /// An entry in its settings.
    Settings {
        user_file: UserPath,
        /// The settings of a project that are not shared, since they name a program of this
        /// machine; `None` if there are none.
        project_file: Option<ProjectPath>,
        format: HookSettingsFormat,
    },
    /// A plugin with this text, which passes results to foveal.
    Plugin { user_file: UserPath, template: &'static str },
}

/// The condition under which an agent's hook works.
pub(crate) enum HookRequirement {
    None,
    /// The first version that supports it.
    Version(ProgramVersion),
    /// The first version of opencode, with the package of its plugins.
    OpencodePackage,
}

/// The place of rules that let foveal's read-only tools run without approval.
pub(crate) enum PermissionRulePlace {
    /// A list in the agent's settings.
    List { user_file: UserPath, project_file: Option<ProjectPath> },
    /// A file of foveal's own, in Gemini CLI's format.
    GeminiFile(UserPath),
}

/// The place of an agent's provider addresses.
pub(crate) enum AddressPlace {
    /// The user's settings.
    Settings(AddressFile, UserPath),
    /// The reason why foveal cannot set them.
    Unsupported(&'static str),
}

/// The first version of Claude Code whose hooks are supported. Since 2.1.121 hooks can replace the
/// responses of its own tools; since this version they receive arguments without a shell.
const CLAUDE_CODE_HOOKS_SINCE: ProgramVersion = ProgramVersion(2, 1, 139);

const SET_BY_HAND: &str = "set the base URL of a provider in its own settings to \
     http://127.0.0.1:4117/NAME/v1, if it lets you; NAME is one of [gateway.upstreams], or openai";

/// All client agents. The answer limits were measured in runs of each agent against a scripted
/// model, and leave room for the text that it adds around an answer.
pub static CLIENT_AGENTS: [ClientAgent; 10] =
    [CLAUDE_CODE, CODEX, OPENCODE, CURSOR, VSCODE, ZED, CLINE, GEMINI, QWEN, PI];

const CLAUDE_CODE: ClientAgent = ClientAgent {
    name: "claude-code",
    title: "Claude Code",
    programs: &["claude"],
    path_variables: &[variables::CLAUDE],
    variables: &[
        "ANTHROPIC_BASE_URL",
        "CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING",
        "CLAUDE_CODE_USE_ANTHROPIC_AWS",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_FOUNDRY",
        "CLAUDE_CODE_USE_MANTLE",
        "CLAUDE_CODE_USE_VERTEX",
        "ENABLE_TOOL_SEARCH",
        CLAUDE_CODE_TOKENS_VARIABLE,
    ],
    installation_paths: |at| vec![paths::claude_folder(at), paths::claude_servers_path(at)],
    servers: Some(ServerList {
        user_file: paths::claude_servers_path,
        project_file: Some(|project| project.join(".mcp.json")),
        format: EntryFormat::Json(
            "mcpServers",
            |start| json!({ "type": "stdio", "command": start.program, "args": start.arguments, "env": {} }),
        ),
    }),
    hook: Some(HookSetup {
        place: HookPlace::Settings {
            user_file: paths::claude_settings_path,
            project_file: Some(paths::claude_local_settings_path),
            format: HookSettingsFormat {
                events: &[
                    ("PreToolUse", "mcp__foveal__.*"),
                    ("PostToolUse", "Read|Bash|Grep|Edit|Write|MultiEdit"),
                    ("PostToolUseFailure", "Bash"),
                    ("PreCompact", "manual|auto"),
                    ("SessionStart", "clear|compact"),
                ],
                command: HookCommandForm::Arguments,
                timeout_unit_ms: 1_000,
            },
        },
        requirement: HookRequirement::Version(CLAUDE_CODE_HOOKS_SINCE),
        hook: AgentHook {
            agent: "claude-code",
            address_variable: Some("ANTHROPIC_BASE_URL"),
            transcript_format: Some(SessionFormat::ClaudeCode),
            records_unshaped_results: true,
            keeps_exit_codes: true,
            // It moves a longer one to a file and shows its beginning.
            replacement_bytes_max: 30_000,
            output_bytes_max: 30_000,
            results: HookResultForm::ClaudeCode,
        },
    }),
    permission_rules: Some(PermissionRulePlace::List {
        user_file: paths::claude_settings_path,
        project_file: Some(paths::claude_local_settings_path),
    }),
    address: AddressPlace::Settings(AddressFile::ClaudeCode, paths::claude_settings_path),
    launch: Some(launch::claude_code::plan_launch),
    losses: &feature_losses::CLAUDE_CODE_LOSSES,
    // 2.1.330: 107,669 characters came through; it documents 25,000 tokens.
    answer_limit: Some(ClientLimit {
        name_prefix: "claude-code",
        characters: 100_000,
        is_json: false,
    }),
    session_format: Some(SessionFormat::ClaudeCode),
    session_folders: &[SessionFolder {
        rank: 1,
        title: "Claude Code",
        folder: |at| Some(paths::claude_folder(at)?.join("projects")),
        search: SessionSearch::JsonLines,
        is_optional: false,
    }],
};

const CODEX: ClientAgent = ClientAgent {
    name: "codex",
    title: "Codex",
    programs: &["codex"],
    path_variables: &[variables::CODEX],
    variables: &["OPENAI_BASE_URL"],
    installation_paths: |at| vec![paths::codex_folder(at)],
    servers: Some(ServerList {
        user_file: |at| paths::codex_path(at, "config.toml"),
        project_file: Some(|project| project.join(".codex").join("config.toml")),
        format: EntryFormat::Toml("mcp_servers"),
    }),
    hook: Some(HookSetup {
        place: HookPlace::Settings {
            user_file: |at| paths::codex_path(at, "hooks.json"),
            project_file: None,
            format: HookSettingsFormat {
                events: &[("PostToolUse", "^Bash$"), ("PostCompact", "manual|auto")],
                command: HookCommandForm::ShellLine("codex"),
                timeout_unit_ms: 1_000,
            },
        },
        requirement: HookRequirement::None,
        hook: AgentHook {
            agent: "codex",
            address_variable: None,
            transcript_format: Some(SessionFormat::Codex),
            records_unshaped_results: false,
            // It drops its lines about the exit code with the output, and hides them from the hook.
            keeps_exit_codes: false,
            // It cuts a text of about 10,000 bytes in the middle.
            replacement_bytes_max: 9_000,
            output_bytes_max: 40_000,
            results: HookResultForm::Text(TextResults {
                tools: &["Bash"],
                text: |response| Some(response.as_str()?.trim_end()),
                answer: |text| json!({ "decision": "block", "reason": text }),
            }),
        },
    }),
    permission_rules: None,
    address: AddressPlace::Settings(AddressFile::Codex, |at| paths::codex_path(at, "config.toml")),
    launch: Some(launch::codex::plan_launch),
    losses: &feature_losses::CODEX_LOSSES,
    // 0.169: 44,900 characters.
    answer_limit: Some(ClientLimit { name_prefix: "codex", characters: 40_000, is_json: false }),
    session_format: Some(SessionFormat::Codex),
    session_folders: &[
        SessionFolder {
            rank: 2,
            title: "Codex",
            folder: |at| paths::codex_path(at, "sessions"),
            search: SessionSearch::JsonLines,
            is_optional: false,
        },
        SessionFolder {
            rank: 3,
            title: "Codex (archived)",
            folder: |at| paths::codex_path(at, "archived_sessions"),
            search: SessionSearch::JsonLines,
            is_optional: true,
        },
    ],
};

const OPENCODE: ClientAgent = ClientAgent {
    name: "opencode",
    title: "opencode",
    programs: &["opencode"],
    path_variables: &[variables::OPENCODE_DATABASE],
    variables: &[
        "OPENCODE_CONFIG",
        "OPENCODE_CONFIG_CONTENT",
        "OPENCODE_CONFIG_DIR",
        // Of these keys only their presence is read.
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
    ],
    installation_paths: |at| vec![paths::opencode_folder(at)],
    servers: Some(ServerList {
        user_file: paths::opencode_settings_path,
        project_file: Some(paths::opencode_project_path),
        format: EntryFormat::Opencode,
    }),
    hook: Some(HookSetup {
        place: HookPlace::Plugin {
            user_file: |at| Some(paths::opencode_folder(at)?.join("plugin/foveal.js")),
            template: include_str!("plugins/opencode.js"),
        },
        requirement: HookRequirement::OpencodePackage,
        hook: AgentHook {
            agent: "opencode",
            address_variable: None,
            transcript_format: Some(SessionFormat::OpenCode),
            records_unshaped_results: false,
            keeps_exit_codes: true,
            replacement_bytes_max: 30_000,
            output_bytes_max: 50_000,
            results: HookResultForm::Text(TextResults {
                tools: &["bash", "read", "grep", "glob", "list"],
                text: Value::as_str,
                answer: plugin_answer,
            }),
        },
    }),
    // It does not ask about tools of servers by default.
    permission_rules: None,
    address: AddressPlace::Settings(AddressFile::Opencode, paths::opencode_settings_path),
    launch: Some(launch::opencode::plan_launch),
    losses: &[],
    // 1.18: 48,000 characters or 2,000 lines.
    answer_limit: Some(ClientLimit { name_prefix: "opencode", characters: 44_000, is_json: false }),
    session_format: Some(SessionFormat::OpenCode),
    session_folders: &[SessionFolder {
        rank: 8,
        title: "opencode",
        folder: paths::opencode_data_folder,
        search: SessionSearch::Opencode { database: paths::opencode_database_path },
        is_optional: false,
    }],
};

const CURSOR: ClientAgent = ClientAgent {
    name: "cursor",
    title: "Cursor",
    programs: &["cursor", "cursor-agent"],
    installation_paths: |at| vec![at.path_in_home(".cursor")],
    servers: Some(ServerList {
        user_file: |at| at.path_in_home(".cursor/mcp.json"),
        project_file: Some(|project| project.join(".cursor").join("mcp.json")),
        format: EntryFormat::Json("mcpServers", plain_entry),
    }),
    address: AddressPlace::Unsupported(
        "its requests go through its vendor's servers, which cannot reach foveal",
    ),
    ..SERVERS_ONLY
};

const VSCODE: ClientAgent = ClientAgent {
    name: "vscode",
    title: "VS Code",
    programs: &["code"],
    installation_paths: |at| vec![paths::vscode_folder(at)],
    servers: Some(ServerList {
        user_file: |at| Some(paths::vscode_folder(at)?.join("mcp.json")),
        project_file: Some(|project| project.join(".vscode").join("mcp.json")),
        format: EntryFormat::Json(
            "servers",
            |start| json!({ "type": "stdio", "command": start.program, "args": start.arguments }),
        ),
    }),
    address: AddressPlace::Unsupported(SET_BY_HAND),
    ..SERVERS_ONLY
};

const ZED: ClientAgent = ClientAgent {
    name: "zed",
    title: "Zed",
    programs: &["zed", "zeditor"],
    installation_paths: |at| vec![at.config_folder().map(|folder| folder.join("zed"))],
    servers: Some(ServerList {
        user_file: |at| Some(at.config_folder()?.join("zed").join("settings.json")),
        project_file: None,
        format: EntryFormat::Json("context_servers", |start| {
            // Older versions require a statement that the user wrote the entry.
            json!({ "source": "custom", "command": start.program, "args": start.arguments, "env": {} })
        }),
    }),
    address: AddressPlace::Unsupported(SET_BY_HAND),
    ..SERVERS_ONLY
};

const CLINE: ClientAgent = ClientAgent {
    name: "cline",
    title: "Cline",
    programs: &["cline"],
    path_variables: &[variables::CLINE_SERVERS, variables::CLINE_DATA, variables::CLINE],
    variables: &[],
    installation_paths: |at| vec![at.path_in_home(".cline"), paths::old_cline_servers_path(at)],
    servers: Some(ServerList {
        user_file: paths::cline_servers_path,
        project_file: None,
        format: EntryFormat::Json("mcpServers", |start| {
            json!({
                "command": start.program, "args": start.arguments, "env": {}, "disabled": false,
                "autoApprove": []
            })
        }),
    }),
    hook: None,
    permission_rules: None,
    address: AddressPlace::Settings(AddressFile::Cline, |at| {
        Some(paths::cline_servers_path(at)?.with_file_name("providers.json"))
    }),
    launch: None,
    losses: &[],
    // 3.0: 8,000 characters of the answer as JSON.
    answer_limit: Some(ClientLimit { name_prefix: "@cline", characters: 7_600, is_json: true }),
    session_format: Some(SessionFormat::Cline),
    session_folders: &[SessionFolder {
        rank: 6,
        title: "Cline",
        folder: |at| Some(paths::cline_data_folder(at)?.join("sessions")),
        search: SessionSearch::ClineMessages,
        is_optional: false,
    }],
};

const GEMINI: ClientAgent = ClientAgent {
    name: "gemini",
    title: "Gemini CLI",
    programs: &["gemini"],
    path_variables: &[],
    variables: &["GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI"],
    installation_paths: |at| vec![at.path_in_home(".gemini")],
    servers: Some(ServerList {
        user_file: |at| at.path_in_home(".gemini/settings.json"),
        project_file: Some(|project| project.join(".gemini").join("settings.json")),
        format: EntryFormat::Json("mcpServers", plain_entry),
    }),
    hook: Some(HookSetup {
        place: HookPlace::Settings {
            user_file: |at| at.path_in_home(".gemini/settings.json"),
            project_file: None,
            format: HookSettingsFormat {
                events: &[("AfterTool", "run_shell_command")],
                command: HookCommandForm::ShellLine("gemini"),
                timeout_unit_ms: 1,
            },
        },
        requirement: HookRequirement::None,
        hook: AgentHook {
            agent: "gemini",
            address_variable: Some("GOOGLE_GEMINI_BASE_URL"),
            // It adds text of its own to the recorded output.
            transcript_format: None,
            records_unshaped_results: false,
            keeps_exit_codes: true,
            replacement_bytes_max: 30_000,
            output_bytes_max: 40_000,
            results: HookResultForm::Text(TextResults {
                tools: &["run_shell_command"],
                text: |response| response["llmContent"].as_str(),
                answer: |text| json!({ "decision": "deny", "reason": text }),
            }),
        },
    }),
    permission_rules: Some(PermissionRulePlace::GeminiFile(|at| {
        at.path_in_home(".gemini/policies/foveal.toml")
    })),
    address: AddressPlace::Settings(AddressFile::Gemini, paths::gemini_dot_env_path),
    launch: Some(launch::gemini::plan_launch),
    losses: &[],
    // 0.61: 40,000 characters.
    answer_limit: Some(ClientLimit {
        name_prefix: "gemini-cli",
        characters: 38_000,
        is_json: false,
    }),
    session_format: Some(SessionFormat::GeminiCli),
    session_folders: &[SessionFolder {
        rank: 4,
        title: "Gemini CLI",
        folder: |at| at.path_in_home(".gemini/tmp"),
        search: SessionSearch::GeminiChats,
        is_optional: false,
    }],
};

const QWEN: ClientAgent = ClientAgent {
    name: "qwen",
    title: "Qwen Code",
    programs: &["qwen"],
    path_variables: &[],
    variables: &["DASHSCOPE_PROXY_BASE_URL", "OPENAI_BASE_URL"],
    installation_paths: |at| vec![at.path_in_home(".qwen")],
    servers: Some(ServerList {
        user_file: qwen_settings_path,
        project_file: Some(|project| project.join(".qwen").join("settings.json")),
        format: EntryFormat::Json("mcpServers", plain_entry),
    }),
    hook: None,
    // The settings of a project are shared.
    permission_rules: Some(PermissionRulePlace::List {
        user_file: qwen_settings_path,
        project_file: None,
    }),
    address: AddressPlace::Settings(AddressFile::Qwen, qwen_settings_path),
    launch: Some(launch::qwen::plan_launch),
    losses: &[],
    // 0.24: 25,600 characters.
    answer_limit: Some(ClientLimit { name_prefix: "qwen", characters: 24_000, is_json: false }),
    session_format: Some(SessionFormat::QwenCode),
    session_folders: &[SessionFolder {
        rank: 5,
        title: "Qwen Code",
        folder: |at| at.path_in_home(".qwen/projects"),
        search: SessionSearch::JsonLines,
        is_optional: false,
    }],
};

const PI: ClientAgent = ClientAgent {
    name: "pi",
    title: "pi",
    programs: &["pi"],
    path_variables: &[variables::PI],
    variables: &[],
    installation_paths: |at| vec![paths::pi_folder(at)],
    servers: None,
    hook: Some(HookSetup {
        place: HookPlace::Plugin {
            user_file: |at| Some(paths::pi_folder(at)?.join("extensions/foveal.ts")),
            template: include_str!("plugins/pi.ts"),
        },
        requirement: HookRequirement::None,
        hook: AgentHook {
            agent: "pi",
            address_variable: None,
            transcript_format: Some(SessionFormat::Pi),
            records_unshaped_results: false,
            keeps_exit_codes: true,
            replacement_bytes_max: 30_000,
            output_bytes_max: 50_000,
            results: HookResultForm::Text(TextResults {
                tools: &["bash", "read", "grep", "find", "ls"],
                text: Value::as_str,
                answer: plugin_answer,
            }),
        },
    }),
    permission_rules: None,
    address: AddressPlace::Settings(AddressFile::Pi, |at| {
        Some(paths::pi_folder(at)?.join("models.json"))
    }),
    launch: Some(launch::pi::plan_launch),
    losses: &feature_losses::PI_LOSSES,
    answer_limit: None,
    session_format: Some(SessionFormat::Pi),
    session_folders: &[SessionFolder {
        rank: 7,
        title: "pi",
        folder: |at| at.path_in_home(".pi/agent/sessions"),
        search: SessionSearch::JsonLines,
        is_optional: false,
    }],
};

/// The rest of a row for an agent that foveal reaches by its MCP server alone.
const SERVERS_ONLY: ClientAgent = ClientAgent {
    name: "",
    title: "",
    programs: &[],
    path_variables: &[],
    variables: &[],
    installation_paths: |_| Vec::new(),
    servers: None,
    hook: None,
    permission_rules: None,
    address: AddressPlace::Unsupported(""),
    launch: None,
    losses: &[],
    answer_limit: None,
    session_format: None,
    session_folders: &[],
};

/// The variable with the number of tokens of a tool's answer that Claude Code passes to its model.
pub const CLAUDE_CODE_TOKENS_VARIABLE: &str = "MAX_MCP_OUTPUT_TOKENS";

fn plain_entry(start: &ServerCommand<'_>) -> Value {
    json!({ "command": start.program, "args": start.arguments, "env": {} })
}

fn qwen_settings_path(environment: &UserEnvironment) -> Option<PathBuf> {
    environment.path_in_home(".qwen/settings.json")
}

/// Returns a hook answer in the form that foveal's own plugins read.
fn plugin_answer(text: &str) -> Value {
    json!({ "output": text })
}

impl ClientAgent {
    /// Returns the agent of this name.
    pub fn from_agent_name(name: &str) -> Option<&'static Self> {
        CLIENT_AGENTS.iter().find(|client| client.name == name)
    }

    /// Returns the agent whose program has this name.
    pub fn from_program_name(name: &str) -> Option<&'static Self> {
        CLIENT_AGENTS.iter().find(|client| client.programs.contains(&name))
    }

    /// Returns the agents that can be launched on a gateway.
    pub fn wrappable_agents() -> impl Iterator<Item = &'static Self> {
        CLIENT_AGENTS.iter().filter(|client| client.launch.is_some())
    }

    /// Plans the launch of the agent on a gateway.
    ///
    /// # Errors
    /// If the agent cannot be launched on one.
    pub fn plan_launch(&self, request: &LaunchRequest<'_>) -> Result<LaunchPlan, WrapError> {
        match self.launch {
            Some(plan) => plan(request),
            None => Err(WrapError::Agent(format!(
                "{} reads the address of its model only from its settings: run `foveal init \
                 --gateway {}` to see what can be set there",
                self.title, self.name
            ))),
        }
    }

    /// Returns the hook of the agent of this name.
    pub fn find_hook(name: &str) -> Option<&'static AgentHook> {
        Self::hooks().find(|hook| hook.agent == name)
    }

    /// Returns the hooks of all agents.
    pub fn hooks() -> impl Iterator<Item = &'static AgentHook> {
        CLIENT_AGENTS.iter().filter_map(|client| Some(&client.hook.as_ref()?.hook))
    }

    /// Returns the features that the agent loses behind foveal's gateway, in sentences.
    pub fn feature_losses(&self, passes_websockets: bool) -> impl Iterator<Item = &'static str> {
        let lost = self.losses.iter().filter(move |loss| loss.applies(passes_websockets));
        lost.map(|loss| loss.text)
    }

    /// Returns whether the agent starts MCP servers.
    pub fn starts_servers(&self) -> bool {
        self.servers.is_some()
    }
}

/// Returns the folders of all agents' sessions.
pub fn session_folders() -> impl Iterator<Item = &'static SessionFolder> {
    CLIENT_AGENTS.iter().flat_map(|client| client.session_folders)
}

/// Returns the answer limits of all agents.
pub fn answer_limits() -> Vec<ClientLimit> {
    CLIENT_AGENTS.iter().filter_map(|client| client.answer_limit).collect()
}

#[cfg(test)]
mod tests;
