//! What the program takes from its surroundings: the one place that reads the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use crate::colour::{ColourChoice, Painter};
use crate::debug::{self, Debug};
use crate::gateway;
use foveal_embedder::{ApiKey, KEY_VARIABLE};
use foveal_llm::{KEY_VARIABLE as MODEL_KEY_VARIABLE, PROVIDERS, ProxySettings};

/// Holds what clients of `foveal mcp` over HTTP have to show. Not an argument: those can be read
/// by every user of the machine.
pub(crate) const MCP_TOKEN_VARIABLE: &str = "FOVEAL_MCP_TOKEN";

/// Holds what clients of `foveal serve` have to show where other machines reach it.
pub(crate) const SERVE_TOKEN_VARIABLE: &str = "FOVEAL_SERVE_TOKEN";

/// Names the model that `foveal run` asks where nothing else does.
pub(crate) const MODEL_VARIABLE: &str = "FOVEAL_MODEL";

/// Says how many tokens of a tool's answer Claude Code shows its model.
pub(crate) const CLAUDE_CODE_TOKENS_VARIABLE: &str = "MAX_MCP_OUTPUT_TOKENS";

/// Variables by which agents are told where to ask, and as whom they do.
const OF_AGENTS: [&str; 29] = [
    "ALL_PROXY",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_VERTEX",
    "DASHSCOPE_PROXY_BASE_URL",
    "ENABLE_TOOL_SEARCH",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    CLAUDE_CODE_TOKENS_VARIABLE,
    "NO_PROXY",
    "OLLAMA_HOST",
    "OPENAI_BASE_URL",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_CONTENT",
    "OPENCODE_CONFIG_DIR",
    "all_proxy",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    // Of these only whether they are set.
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
];

/// Says how many arenas the allocator of glibc may make.
pub(crate) const ARENAS_VARIABLE: &str = "MALLOC_ARENA_MAX";

/// The surroundings, read once at the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// The user's home folder.
    pub(crate) home: Option<PathBuf>,
    /// Where Claude Code keeps its data, if the user moved it.
    pub(crate) claude: Option<PathBuf>,
    /// Where Codex keeps its data, if the user moved it.
    pub(crate) codex: Option<PathBuf>,
    /// Where pi keeps its settings, if the user moved it.
    pub(crate) pi: Option<PathBuf>,
    /// Cline's file of servers, its folder of data, and its folder, if the user moved them.
    pub(crate) cline_servers: Option<PathBuf>,
    pub(crate) cline_data: Option<PathBuf>,
    pub(crate) cline: Option<PathBuf>,
    /// What agents are told by variables of their own, of those that `OF_AGENTS` names.
    pub(crate) of_agents: BTreeMap<&'static str, String>,
    /// What is said of where traces go.
    pub(crate) of_traces: gateway::Told,
    /// Folders in which programs are looked for.
    pub(crate) path: Option<OsString>,
    /// Where programs keep the user's data, if the user moved it.
    pub(crate) data: Option<PathBuf>,
    /// Where programs keep data of this user on this machine, as Windows says.
    pub(crate) local_data: Option<PathBuf>,
    /// Where programs keep their settings, if the user moved it.
    pub(crate) config: Option<PathBuf>,
    /// opencode's database, if the user moved it; relative to its folder of data.
    pub(crate) opencode_database: Option<PathBuf>,
    /// The key for an embedding server.
    pub(crate) embeddings_key: Option<ApiKey>,
    /// The keys for models, by the variables that hold them.
    pub(crate) model_keys: BTreeMap<&'static str, ApiKey>,
    /// The model that the user named.
    pub(crate) model: Option<String>,
    /// What clients of `foveal mcp` over HTTP have to show.
    pub(crate) mcp_token: Option<String>,
    /// What clients of `foveal serve` have to show.
    pub(crate) serve_token: Option<String>,
    /// What the user edits files with.
    pub(crate) editor: Option<String>,
    /// Whether it is said how many arenas the system's allocator may make.
    pub(crate) has_arenas: bool,
    /// What the user has long output shown by.
    pub(crate) pager: Option<String>,
    /// Whether the user says how `less` is to behave.
    pub(crate) has_less: bool,
    /// What is to be explained, by each of two names.
    pub(crate) debug: [Option<String>; 2],
    /// Which of input and output are terminals.
    pub(crate) terminal: Terminal,
    /// The columns of the terminal that standard output is.
    pub(crate) width: Option<usize>,
    /// Whether standard output is a terminal that wants colour, or the user asked for it.
    pub(crate) colour: bool,
    /// Whether the terminal says that it has 256 colours or more.
    pub(crate) has_256_colours: bool,
}

/// Whose habits count.
#[derive(Debug, Clone, Copy)]
enum Platform {
    Mac,
    Windows,
    Other,
}

impl Platform {
    const HERE: Self = if cfg!(target_os = "macos") {
        Self::Mac
    } else if cfg!(windows) {
        Self::Windows
    } else {
        Self::Other
    };
}

/// What is a terminal.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Terminal {
    /// Standard input.
    pub(crate) input: bool,
    /// Standard output.
    pub(crate) output: bool,
    /// Standard error.
    pub(crate) error: bool,
}

impl Environment {
    /// The folder for the user's data of all programs: `XDG_DATA_HOME`, or what is usual on the
    /// platform.
    pub(crate) fn data_folder(&self) -> Option<PathBuf> {
        self.data_folder_on(Platform::HERE)
    }

    fn data_folder_on(&self, platform: Platform) -> Option<PathBuf> {
        let is_absolute = |path: &PathBuf| path.is_absolute();
        let usual = match platform {
            Platform::Mac => self.in_home("Library/Application Support"),
            Platform::Windows => self
                .local_data
                .clone()
                .filter(is_absolute)
                .or_else(|| self.in_home("AppData/Local")),
            Platform::Other => self.in_home(".local/share"),
        };
        // The specification has relative paths ignored.
        self.data.clone().filter(is_absolute).or(usual)
    }

    /// The folder for the settings of all programs: `XDG_CONFIG_HOME`, or `.config` in the home
    /// folder.
    pub(crate) fn config_folder(&self) -> Option<PathBuf> {
        let moved = self.config.clone().filter(|path| path.is_absolute());
        moved.or_else(|| self.in_home(".config"))
    }

    /// What is explained on standard error.
    ///
    /// # Errors
    /// If a name in `FOVEAL_DEBUG` is none.
    pub(crate) fn debug(&self) -> anyhow::Result<Debug> {
        let [wanted, graph] = &self.debug;
        Debug::of(wanted.as_deref(), graph.as_deref())
    }

    /// What an agent is told by this variable.
    pub(crate) fn told(&self, variable: &str) -> Option<&str> {
        self.of_agents.get(variable).map(String::as_str)
    }

    /// The proxies that variables name; of two spellings the small one counts, as for `curl`.
    pub(crate) fn proxies(&self) -> ProxySettings {
        let told = |names: [&str; 2]| {
            names.into_iter().find_map(|name| self.told(name)).unwrap_or_default().to_owned()
        };
        ProxySettings {
            all: told(["all_proxy", "ALL_PROXY"]),
            https: told(["https_proxy", "HTTPS_PROXY"]),
            http: told(["http_proxy", "HTTP_PROXY"]),
            no: told(["no_proxy", "NO_PROXY"]),
        }
    }

    /// A path below the home folder.
    pub(crate) fn in_home(&self, path: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(path))
    }

    /// Claude Code's own folder.
    pub(crate) fn claude_folder(&self) -> Option<PathBuf> {
        self.claude.clone().or_else(|| self.in_home(".claude"))
    }

    /// Codex's own folder.
    pub(crate) fn codex_folder(&self) -> Option<PathBuf> {
        self.codex.clone().or_else(|| self.in_home(".codex"))
    }

    /// pi's own folder.
    pub(crate) fn pi_folder(&self) -> Option<PathBuf> {
        self.pi.clone().or_else(|| self.in_home(".pi/agent"))
    }

    /// What prints for standard output.
    pub(crate) fn painter(&self) -> Painter {
        Painter { on: self.colour, for_person: self.colour || self.terminal.output }
    }

    /// Reads the environment of this process.
    pub(crate) fn read(choice: ColourChoice) -> Self {
        let [term, colour_term] = ["TERM", "COLORTERM"].map(|name| {
            variable(name).map(|told| told.to_string_lossy().into_owned()).unwrap_or_default()
        });
        let refused = variable("NO_COLOR").is_some() || term == "dumb";
        Self {
            home: path("HOME").or_else(|| path("USERPROFILE")),
            claude: path("CLAUDE_CONFIG_DIR"),
            codex: path("CODEX_HOME"),
            pi: path("PI_CODING_AGENT_DIR"),
            cline_servers: path("CLINE_MCP_SETTINGS_PATH"),
            cline_data: path("CLINE_DATA_DIR"),
            cline: path("CLINE_DIR"),
            of_agents: of_agents(),
            of_traces: of_traces(),
            path: variable("PATH"),
            data: path("XDG_DATA_HOME"),
            local_data: path("LOCALAPPDATA"),
            config: path("XDG_CONFIG_HOME"),
            opencode_database: path("OPENCODE_DB").filter(|path| path.as_os_str() != ":memory:"),
            embeddings_key: variable(KEY_VARIABLE)
                .and_then(|key| ApiKey::new(&key.to_string_lossy())),
            model_keys: model_keys(),
            model: variable(MODEL_VARIABLE).map(|model| model.to_string_lossy().into_owned()),
            mcp_token: variable(MCP_TOKEN_VARIABLE)
                .map(|token| token.to_string_lossy().into_owned()),
            serve_token: variable(SERVE_TOKEN_VARIABLE)
                .map(|token| token.to_string_lossy().into_owned()),
            editor: variable("VISUAL")
                .or_else(|| variable("EDITOR"))
                .map(|editor| editor.to_string_lossy().into_owned()),
            has_arenas: variable(ARENAS_VARIABLE).is_some()
                || variable("GLIBC_TUNABLES")
                    .is_some_and(|told| told.to_string_lossy().contains("arena")),
            // Nothing is a choice too.
            pager: std::env::var_os("PAGER").map(|pager| pager.to_string_lossy().into_owned()),
            has_less: variable("LESS").is_some(),
            debug: [debug::VARIABLE, debug::GRAPH_VARIABLE]
                .map(|name| Some(variable(name)?.to_string_lossy().into_owned())),
            terminal: Terminal {
                input: std::io::stdin().is_terminal(),
                output: std::io::stdout().is_terminal(),
                error: std::io::stderr().is_terminal(),
            },
            width: width(),
            colour: match choice {
                ColourChoice::Auto => std::io::stdout().is_terminal() && !refused,
                ColourChoice::Always => true,
                ColourChoice::Never => false,
            },
            has_256_colours: has_256_colours(&term, &colour_term),
        }
    }
}

/// What `TERM` begins with where the terminal has more colours than its name says.
const TERMS_WITH_256_COLOURS: [&str; 6] =
    ["alacritty", "foot", "wezterm", "xterm-ghostty", "xterm-kitty", "contour"];

/// Whether a terminal has 256 colours or more, by what `TERM` and `COLORTERM` say. The second is lost
/// on the way to another machine.
fn has_256_colours(term: &str, colour_term: &str) -> bool {
    let is_known = TERMS_WITH_256_COLOURS.iter().any(|known| term.starts_with(known));
    let is_told = term.contains("256color") || term.ends_with("-direct");
    is_known || is_told || matches!(colour_term, "truecolor" | "24bit")
}

/// What agents are told by variables; of keys nothing but that they are there.
fn of_agents() -> BTreeMap<&'static str, String> {
    let told = OF_AGENTS.into_iter().filter_map(|name| {
        let value = variable(name)?.to_string_lossy().into_owned();
        Some((name, if name.ends_with("_KEY") { "set".to_owned() } else { value }))
    });
    told.collect()
}

/// The keys for models.
fn model_keys() -> BTreeMap<&'static str, ApiKey> {
    let names = PROVIDERS.iter().filter_map(|provider| provider.key_variable);
    let keys = names
        .chain([MODEL_KEY_VARIABLE])
        .filter_map(|name| Some((name, ApiKey::new(&variable(name)?.to_string_lossy())?)));
    keys.collect()
}

/// What is said of where traces go. Keys may be in it: it is never printed.
fn of_traces() -> gateway::Told {
    let told = gateway::VARIABLES.into_iter();
    told.filter_map(|name| Some((name, variable(name)?.to_string_lossy().into_owned()))).collect()
}

/// Variables that a gateway takes from its environment, beside those of where traces go.
const OF_SERVICES: [&str; 13] = [
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

/// The variables that a gateway would miss where the system starts it, as they are set here. Keys
/// may be in them.
pub(crate) fn of_services() -> Vec<(&'static str, String)> {
    let names = OF_SERVICES.into_iter().chain(gateway::VARIABLES);
    names.filter_map(|name| Some((name, variable(name)?.to_string_lossy().into_owned()))).collect()
}

/// The variables that commands run by tools see.
pub(crate) fn of_commands() -> foveal_processes::Environment {
    foveal_processes::Environment::inherited(std::env::vars_os())
}

/// The columns of the terminal that standard output is; `None` where it does not tell.
pub(crate) fn width() -> Option<usize> {
    let (_, columns) = console::Term::stdout().size_checked()?;
    let columns = usize::from(columns);
    (std::io::stdout().is_terminal() && columns > 0).then_some(columns)
}

/// The columns of the terminal that standard error is.
pub(crate) fn width_of_messages() -> Option<usize> {
    let (_, columns) = console::Term::stderr().size_checked()?;
    let columns = usize::from(columns);
    (std::io::stderr().is_terminal() && columns > 0).then_some(columns)
}

/// An empty variable counts as unset.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn path(name: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from)
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

    #[test]
    fn data_lies_where_the_platform_has_it() {
        let bare = Environment { home: Some("/home/a".into()), ..Environment::default() };
        let told = Environment {
            data: Some("/data".into()),
            local_data: Some("/local".into()),
            ..bare.clone()
        };
        let local = Environment { data: Some("no/path".into()), ..told.clone() };
        for (platform, expected) in [
            (Platform::Mac, ["/home/a/Library/Application Support"; 2]),
            (Platform::Windows, ["/home/a/AppData/Local", "/local"]),
            (Platform::Other, ["/home/a/.local/share"; 2]),
        ] {
            let folders = [&bare, &local].map(|environment| environment.data_folder_on(platform));
            assert_eq!(folders, expected.map(|path| Some(PathBuf::from(path))));
            assert_eq!(told.data_folder_on(platform), Some("/data".into()));
            assert_eq!(Environment::default().data_folder_on(platform), None);
        }
    }
}
