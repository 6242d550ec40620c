//! The folders and files of agents, by their own rules.

use std::path::{Path, PathBuf};

use crate::user_environment::UserEnvironment;

/// The names of opencode's settings file. The last is created if none exists.
const OPENCODE_FILES: [&str; 2] = ["opencode.jsonc", "opencode.json"];

/// The names of opencode's settings file in a project. The last is created if none exists.
const OPENCODE_PROJECT_FILES: [&str; 4] =
    ["opencode.jsonc", ".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.json"];

/// The variables that move agents' folders and files.
pub(crate) mod variables {
    pub(crate) const CLAUDE: &str = "CLAUDE_CONFIG_DIR";
    pub(crate) const CODEX: &str = "CODEX_HOME";
    pub(crate) const PI: &str = "PI_CODING_AGENT_DIR";
    /// Cline's file of MCP servers, its data folder and its folder.
    pub(crate) const CLINE_SERVERS: &str = "CLINE_MCP_SETTINGS_PATH";
    pub(crate) const CLINE_DATA: &str = "CLINE_DATA_DIR";
    pub(crate) const CLINE: &str = "CLINE_DIR";
    /// opencode's database, relative to its folder of data.
    pub(crate) const OPENCODE_DATABASE: &str = "OPENCODE_DB";
}

/// Returns Claude Code's folder.
pub(crate) fn claude_folder(environment: &UserEnvironment) -> Option<PathBuf> {
    environment.agent_path(variables::CLAUDE).or_else(|| environment.path_in_home(".claude"))
}

/// Returns the path of Claude Code's state, which lists its servers.
pub(crate) fn claude_servers_path(environment: &UserEnvironment) -> Option<PathBuf> {
    let moved = environment.agent_path(variables::CLAUDE);
    let moved = moved.map(|folder| folder.join(".claude.json"));
    moved.or_else(|| environment.path_in_home(".claude.json"))
}

/// Returns the path of Claude Code's settings.
pub(crate) fn claude_settings_path(environment: &UserEnvironment) -> Option<PathBuf> {
    Some(claude_folder(environment)?.join("settings.json"))
}

/// Returns the path of the settings of Claude Code that a project does not share.
pub(crate) fn claude_local_settings_path(project: &Path) -> PathBuf {
    project.join(".claude").join("settings.local.json")
}

/// Returns Codex's folder.
pub(crate) fn codex_folder(environment: &UserEnvironment) -> Option<PathBuf> {
    environment.agent_path(variables::CODEX).or_else(|| environment.path_in_home(".codex"))
}

/// Returns a path in Codex's folder.
pub(crate) fn codex_path(environment: &UserEnvironment, path: &str) -> Option<PathBuf> {
    Some(codex_folder(environment)?.join(path))
}

/// Returns pi's folder.
pub(crate) fn pi_folder(environment: &UserEnvironment) -> Option<PathBuf> {
    environment.agent_path(variables::PI).or_else(|| environment.path_in_home(".pi/agent"))
}

/// Returns opencode's settings folder.
pub(crate) fn opencode_folder(environment: &UserEnvironment) -> Option<PathBuf> {
    Some(environment.config_folder()?.join("opencode"))
}

/// Returns the path of opencode's settings.
pub(crate) fn opencode_settings_path(environment: &UserEnvironment) -> Option<PathBuf> {
    Some(first_existing(&opencode_folder(environment)?, &OPENCODE_FILES))
}

/// Returns the path of opencode's settings in a project.
pub(crate) fn opencode_project_path(project: &Path) -> PathBuf {
    first_existing(project, &OPENCODE_PROJECT_FILES)
}

/// Returns opencode's data folder, which is the same on every platform.
pub(crate) fn opencode_data_folder(environment: &UserEnvironment) -> Option<PathBuf> {
    let data = environment.data_home.clone().or_else(|| environment.path_in_home(".local/share"));
    Some(data?.join("opencode"))
}

/// Returns the path of opencode's database, if the user moved it.
pub(crate) fn opencode_database_path(environment: &UserEnvironment) -> Option<PathBuf> {
    let moved = environment.agent_path(variables::OPENCODE_DATABASE)?;
    let moved = Some(moved).filter(|path| path.as_os_str() != ":memory:")?;
    Some(opencode_data_folder(environment)?.join(moved))
}

/// Returns VS Code's folder of the default profile.
pub(crate) fn vscode_folder(environment: &UserEnvironment) -> Option<PathBuf> {
    let folder = if cfg!(target_os = "macos") {
        environment.path_in_home("Library/Application Support")?
    } else {
        environment.config_folder()?
    };
    Some(folder.join("Code").join("User"))
}

/// Returns the old path of Cline's servers, which its extension used before the program existed.
pub(crate) fn old_cline_servers_path(environment: &UserEnvironment) -> Option<PathBuf> {
    let own = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    Some(vscode_folder(environment)?.join(own))
}

/// Returns the path of Cline's servers.
pub(crate) fn cline_servers_path(environment: &UserEnvironment) -> Option<PathBuf> {
    if let Some(path) = environment.agent_path(variables::CLINE_SERVERS) {
        return Some(path);
    }
    let is_moved = [variables::CLINE_DATA, variables::CLINE]
        .iter()
        .any(|name| environment.agent_paths.contains_key(name));
    let is_new = environment.path_in_home(".cline").is_some_and(|own| own.exists());
    let old = old_cline_servers_path(environment).filter(|old| old.exists());
    match old.filter(|_| !is_moved && !is_new) {
        Some(old) => Some(old),
        None => Some(cline_data_folder(environment)?.join("settings/cline_mcp_settings.json")),
    }
}

/// Returns Cline's data folder.
pub(crate) fn cline_data_folder(environment: &UserEnvironment) -> Option<PathBuf> {
    let folder = environment.agent_path(variables::CLINE);
    let folder = folder.or_else(|| environment.path_in_home(".cline"));
    environment.agent_path(variables::CLINE_DATA).or_else(|| Some(folder?.join("data")))
}

/// Returns the file of variables that Gemini CLI reads outside of projects: the first that exists.
/// If none does, it is Gemini CLI's own; a new one must not hide an existing `.env` in the home
/// folder.
pub(crate) fn gemini_dot_env_path(environment: &UserEnvironment) -> Option<PathBuf> {
    let own = environment.path_in_home(".gemini/.env")?;
    let plain = environment.path_in_home(".env")?;
    Some(if !own.is_file() && plain.is_file() { plain } else { own })
}

/// Returns the path of the first name that exists, or of the last name.
fn first_existing(folder: &Path, names: &[&str]) -> PathBuf {
    let found = names.iter().find(|name| folder.join(name).exists());
    folder.join(found.or(names.last()).copied().unwrap_or_default())
}
