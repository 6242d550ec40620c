//! The environment of the process: the only module that reads it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use crate::colour::{Painter, TerminalColourChoice};
use crate::debug_topics::{self, DebugTopics};
use foveal_agent_setup::UserEnvironment;
use foveal_agent_setup::client_agents::CLIENT_AGENTS;
use foveal_gateway::traces::{TRACE_VARIABLES, TraceVariables};
use foveal_providers::{
    ApiKey, EMBEDDINGS_KEY_VARIABLE, MODEL_KEY_VARIABLE, PROVIDERS, ProxySettings,
};
use foveal_settings::UserSettings;
use foveal_settings::settings_file::{self, SettingsFileError};

/// The variable with the token that HTTP clients of `foveal mcp` must present. It is no argument,
/// because every user of the machine can read those.
pub(crate) const MCP_TOKEN_VARIABLE: &str = "FOVEAL_MCP_TOKEN";

/// The variable with the token that clients of `foveal serve` must present if other machines reach
/// it.
pub(crate) const SERVE_TOKEN_VARIABLE: &str = "FOVEAL_SERVE_TOKEN";

/// The variable with the model that `foveal run` uses if neither arguments nor settings name one.
pub(crate) const MODEL_VARIABLE: &str = "FOVEAL_MODEL";

/// Variables with proxies and servers, beside those of client agents.
const SERVER_VARIABLES: [&str; 9] = [
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "OLLAMA_HOST",
    "all_proxy",
    "https_proxy",
    "http_proxy",
    "no_proxy",
];

/// The variable with the number of arenas that glibc's allocator may create.
pub(crate) const ARENAS_VARIABLE: &str = "MALLOC_ARENA_MAX";

/// The environment, read once at the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// The user's folders, and the variables that agents read.
    pub(crate) user: UserEnvironment,
    /// The values of the variables that configure the export of traces.
    pub(crate) trace_variables: TraceVariables,
    /// The key for an embedding server.
    pub(crate) embeddings_key: Option<ApiKey>,
    /// The keys for models, by the variables that hold them.
    pub(crate) model_keys: BTreeMap<&'static str, ApiKey>,
    /// The model that the user named.
    pub(crate) model: Option<String>,
    /// The token that HTTP clients of `foveal mcp` must present.
    pub(crate) mcp_token: Option<String>,
    /// The token that clients of `foveal serve` must present.
    pub(crate) serve_token: Option<String>,
    /// The user's text editor.
    pub(crate) editor: Option<String>,
    /// True if the number of the allocator's arenas is set.
    pub(crate) has_arena_setting: bool,
    /// The user's pager.
    pub(crate) pager: Option<String>,
    /// True if the user set options for `less`.
    pub(crate) has_less_options: bool,
    /// The values of `FOVEAL_DEBUG` and `DEBUG_GRAPHRAG`.
    pub(crate) debug_variables: [Option<String>; 2],
    /// The standard streams that are terminals.
    pub(crate) terminal: TerminalStreams,
    /// The columns of the terminal that is standard output.
    pub(crate) stdout_columns: Option<usize>,
    /// True if the output is coloured.
    pub(crate) colour: bool,
    /// True if the terminal declares 256 colours or more.
    pub(crate) has_256_colours: bool,
}

/// The standard streams that are terminals.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TerminalStreams {
    /// Standard input.
    pub(crate) input: bool,
    /// Standard output.
    pub(crate) output: bool,
    /// Standard error.
    pub(crate) error: bool,
}

impl Environment {
    /// Returns the topics that are explained on standard error.
    ///
    /// # Errors
    /// For an unknown topic in `FOVEAL_DEBUG`.
    pub(crate) fn debug_topics(&self) -> anyhow::Result<DebugTopics> {
        let [wanted, graph] = &self.debug_variables;
        DebugTopics::parse(wanted.as_deref(), graph.as_deref())
    }

    /// Reads the user's settings; without a file they are the defaults.
    ///
    /// # Errors
    /// If the file cannot be read or is invalid.
    pub(crate) fn read_user_settings(&self) -> Result<UserSettings, SettingsFileError> {
        foveal_settings::read_user_settings(self.user.config_folder().as_deref())
    }

    /// Returns the path of the settings file, which need not exist.
    pub(crate) fn settings_path(&self) -> Option<PathBuf> {
        settings_file::settings_path(self.user.config_folder().as_deref())
    }

    /// Returns whether contents may be written to disk. They may not if the settings cannot be read.
    pub(crate) fn may_keep_contents(&self) -> bool {
        foveal_settings::may_keep_contents(self.user.config_folder().as_deref())
    }

    /// Returns the proxies from the environment. The lower-case spelling takes precedence, as in
    /// `curl`.
    pub(crate) fn proxies(&self) -> ProxySettings {
        let told = |names: [&str; 2]| {
            names
                .into_iter()
                .find_map(|name| self.user.agent_variable(name))
                .unwrap_or_default()
                .to_owned()
        };
        ProxySettings {
            all: told(["all_proxy", "ALL_PROXY"]),
            https: told(["https_proxy", "HTTPS_PROXY"]),
            http: told(["http_proxy", "HTTP_PROXY"]),
            no: told(["no_proxy", "NO_PROXY"]),
        }
    }

    /// Returns the painter for standard output.
    pub(crate) fn painter(&self) -> Painter {
        Painter { on: self.colour, for_person: self.colour || self.terminal.output }
    }

    /// Reads the environment of this process.
    pub(crate) fn read(choice: TerminalColourChoice) -> Self {
        let [term, colour_term] = ["TERM", "COLORTERM"].map(|name| {
            nonempty_variable(name)
                .map(|told| told.to_string_lossy().into_owned())
                .unwrap_or_default()
        });
        let refused = nonempty_variable("NO_COLOR").is_some() || term == "dumb";
        Self {
            user: read_user_environment(),
            trace_variables: read_trace_variables(),
            embeddings_key: nonempty_variable(EMBEDDINGS_KEY_VARIABLE)
                .and_then(|key| ApiKey::new(&key.to_string_lossy())),
            model_keys: read_model_keys(),
            model: nonempty_variable(MODEL_VARIABLE)
                .map(|model| model.to_string_lossy().into_owned()),
            mcp_token: nonempty_variable(MCP_TOKEN_VARIABLE)
                .map(|token| token.to_string_lossy().into_owned()),
            serve_token: nonempty_variable(SERVE_TOKEN_VARIABLE)
                .map(|token| token.to_string_lossy().into_owned()),
            editor: nonempty_variable("VISUAL")
                .or_else(|| nonempty_variable("EDITOR"))
                .map(|editor| editor.to_string_lossy().into_owned()),
            has_arena_setting: nonempty_variable(ARENAS_VARIABLE).is_some()
                || nonempty_variable("GLIBC_TUNABLES")
                    .is_some_and(|told| told.to_string_lossy().contains("arena")),
            // An empty value is a choice too: no pager.
            pager: std::env::var_os("PAGER").map(|pager| pager.to_string_lossy().into_owned()),
            has_less_options: nonempty_variable("LESS").is_some(),
            debug_variables: [debug_topics::DEBUG_VARIABLE, debug_topics::GRAPH_DEBUG_VARIABLE]
                .map(|name| Some(nonempty_variable(name)?.to_string_lossy().into_owned())),
            terminal: TerminalStreams {
                input: std::io::stdin().is_terminal(),
                output: std::io::stdout().is_terminal(),
                error: std::io::stderr().is_terminal(),
            },
            stdout_columns: stdout_columns(),
            colour: match choice {
                TerminalColourChoice::Auto => std::io::stdout().is_terminal() && !refused,
                TerminalColourChoice::Always => true,
                TerminalColourChoice::Never => false,
            },
            has_256_colours: has_256_colours(&term, &colour_term),
        }
    }
}

/// Prefixes of `TERM` for terminals that have more colours than the name says.
const TERMS_WITH_256_COLOURS: [&str; 6] =
    ["alacritty", "foot", "wezterm", "xterm-ghostty", "xterm-kitty", "contour"];

/// Returns true if `TERM` and `COLORTERM` declare 256 colours or more. `COLORTERM` is lost on the
/// way to another machine.
fn has_256_colours(term: &str, colour_term: &str) -> bool {
    let is_known = TERMS_WITH_256_COLOURS.iter().any(|known| term.starts_with(known));
    let is_told = term.contains("256color") || term.ends_with("-direct");
    is_known || is_told || matches!(colour_term, "truecolor" | "24bit")
}

/// Reads the variables that say where the user and agents have their files.
fn read_user_environment() -> UserEnvironment {
    let paths = CLIENT_AGENTS.iter().flat_map(|client| client.path_variables);
    UserEnvironment {
        home: path_variable("HOME").or_else(|| path_variable("USERPROFILE")),
        program_path: nonempty_variable("PATH"),
        data_home: path_variable("XDG_DATA_HOME"),
        local_app_data: path_variable("LOCALAPPDATA"),
        config_home: path_variable("XDG_CONFIG_HOME"),
        agent_paths: paths.filter_map(|name| Some((*name, path_variable(name)?))).collect(),
        agent_variables: read_agent_variables(),
    }
}

/// Returns the values of agents' and servers' variables; for a key only the fact that it is set.
fn read_agent_variables() -> BTreeMap<&'static str, String> {
    let names = CLIENT_AGENTS.iter().flat_map(|client| client.variables).chain(&SERVER_VARIABLES);
    let told = names.filter_map(|name| {
        let value = nonempty_variable(name)?.to_string_lossy().into_owned();
        Some((*name, if name.ends_with("_KEY") { "set".to_owned() } else { value }))
    });
    told.collect()
}

/// Reads the keys for models.
fn read_model_keys() -> BTreeMap<&'static str, ApiKey> {
    let names = PROVIDERS.iter().filter_map(|provider| provider.key_variable);
    let keys = names
        .chain([MODEL_KEY_VARIABLE])
        .filter_map(|name| Some((name, ApiKey::new(&nonempty_variable(name)?.to_string_lossy())?)));
    keys.collect()
}

/// Returns the variables that configure the export of traces. They may hold keys, so they are never
/// printed.
fn read_trace_variables() -> TraceVariables {
    let told = TRACE_VARIABLES.into_iter();
    told.filter_map(|name| Some((name, nonempty_variable(name)?.to_string_lossy().into_owned())))
        .collect()
}

/// Variables that a gateway reads, apart from those of traces.
const SERVICE_VARIABLES: [&str; 13] = [
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    SERVE_TOKEN_VARIABLE,
];

/// Returns the variables that a gateway started as a service would miss, with their current values.
/// They may hold keys.
pub(crate) fn service_variables() -> Vec<(&'static str, String)> {
    let names = SERVICE_VARIABLES.into_iter().chain(TRACE_VARIABLES);
    names
        .filter_map(|name| Some((name, nonempty_variable(name)?.to_string_lossy().into_owned())))
        .collect()
}

/// Returns the environment of commands that tools run.
pub(crate) fn command_environment() -> foveal_sandbox::CommandEnvironment {
    foveal_sandbox::CommandEnvironment::from_inherited(std::env::vars_os())
}

/// Returns the columns of the terminal that is standard output; `None` if it is none or their
/// number is unknown.
pub(crate) fn stdout_columns() -> Option<usize> {
    let (_, columns) = console::Term::stdout().size_checked()?;
    let columns = usize::from(columns);
    (std::io::stdout().is_terminal() && columns > 0).then_some(columns)
}

/// Returns the columns of the terminal that is standard error.
pub(crate) fn stderr_columns() -> Option<usize> {
    let (_, columns) = console::Term::stderr().size_checked()?;
    let columns = usize::from(columns);
    (std::io::stderr().is_terminal() && columns > 0).then_some(columns)
}

/// Returns a variable; an empty value counts as unset.
fn nonempty_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn path_variable(name: &str) -> Option<PathBuf> {
    nonempty_variable(name).map(PathBuf::from)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn terminals_say_how_many_colours_they_have() {
        for (term, colour_term, has) in [
            ("xterm-256color", "", true),
            ("screen-256color-bce", "", true),
            ("xterm-direct", "", true),
            ("xterm-kitty", "", true),
            ("xterm", "truecolor", true),
            ("tmux", "24bit", true),
            ("xterm", "", false),
            ("xterm-color", "yes", false),
            ("linux", "", false),
            ("", "", false),
        ] {
            assert_eq!(has_256_colours(term, colour_term), has, "{term} {colour_term}");
        }
    }
}
