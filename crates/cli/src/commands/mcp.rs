//! `foveal mcp`: an MCP server with the tools.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::ValueEnum;
use foveal_agent_setup::client_agents::{self, CLAUDE_CODE_TOKENS_VARIABLE};
use foveal_mcp::http::{self, HttpSettings, MCP_PATH};
use foveal_mcp::{McpServer, McpSettings, ToolboxOpener, stdio};
use foveal_sandbox::Confinement;
use foveal_settings::parse_listen_address;
use foveal_tools::tool_table::ToolSet;

use crate::environment::{Environment, MCP_TOKEN_VARIABLE};
use crate::listen_options;
use crate::notice;
use crate::toolbox::{self, ToolboxFactory};

/// The command line of `foveal mcp`.
#[derive(Debug, clap::Args)]
pub(crate) struct McpArguments {
    /// The tools: the six that an agent needs beside its own to read and change code, or all.
    #[arg(long, value_name = "PROFILE", default_value = "full")]
    profile: ToolChoice,
    /// A folder that may be read and changed. Repeat it for several. If not given, the folders
    /// that the client names, or the current folder.
    #[arg(long = "root", value_name = "PATH")]
    roots: Vec<PathBuf>,
    /// Ignores the folders that clients name: only those of --root may be read and changed, or the
    /// current folder.
    #[arg(long)]
    no_client_roots: bool,
    /// A folder that commands may write to, in addition to the roots and the folder for temporary
    /// files. Repeat it for several.
    #[arg(long, value_name = "PATH")]
    writable: Vec<PathBuf>,
    /// Lets commands write only to folders named with --writable, in the roots or elsewhere, to
    /// caches and to a folder for temporary files of their own. If none is named, to nothing else.
    #[arg(long)]
    confine_writes: bool,
    /// Does not write contents of files, pages and outputs to disk. Handles end with the server.
    #[arg(long)]
    keep_no_contents: bool,
    /// Runs no command where the kernel cannot restrict it to the folders that it may write
    /// (`foveal doctor` says whether it can).
    #[arg(long)]
    require_sandbox: bool,
    /// Lets commands read only what they may write, the system's programs and settings, compilers
    /// and their caches in the home folder, and folders named with --readable.
    #[arg(long)]
    confine_reads: bool,
    /// A folder that commands may also read with --confine-reads. Repeat it for several.
    #[arg(long, value_name = "PATH", requires = "confine_reads")]
    readable: Vec<PathBuf>,
    /// Blocks network access of commands, to this machine too. Connections over Unix sockets remain
    /// possible.
    #[arg(long)]
    no_network: bool,
    /// Also sends answers as structured data. Some agents show their model only the data, without
    /// the notes that say what was omitted.
    #[arg(long)]
    structured: bool,
    /// Serves over HTTP at this address (`8765`, `127.0.0.1:8765`) instead of standard input
    /// and output. If FOVEAL_MCP_TOKEN is set, clients must send it as a bearer token.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_listen_address)]
    http: Option<SocketAddr>,
    /// Serves other machines too. Needs FOVEAL_MCP_TOKEN and an address that they can reach
    /// (`0.0.0.0:8765`).
    #[arg(long, requires = "http")]
    public: bool,
    /// A host name under which clients may reach the server, in addition to localhost. Repeat it
    /// for several.
    #[arg(long = "host", value_name = "NAME", requires = "http")]
    hosts: Vec<String>,
    /// An origin whose web pages may use the server (`https://a.example:443`). Repeat it for
    /// several.
    #[arg(long = "origin", value_name = "ORIGIN", requires = "http")]
    origins: Vec<String>,
}

/// The notice for a person who starts the server at a terminal, where it would wait silently.
const TERMINAL_NOTICE: &str = "\
this is a server for coding agents: an agent starts it and sends requests of the Model Context \
Protocol (MCP) to its standard input
to set up the agents on this machine, run `foveal init`; to serve over HTTP, run \
`foveal mcp --http 8765`
waiting for requests from this terminal; end with Ctrl+C";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolChoice {
    Lean,
    Full,
}

impl ToolChoice {
    /// Returns the value on the command line.
    pub(crate) fn value_name(self) -> &'static str {
        match self {
            Self::Lean => "lean",
            Self::Full => "full",
        }
    }
}

/// Returns the factory with the confinement that the options ask for.
///
/// # Errors
/// If a folder is missing, or not a folder.
fn with_confinement(
    mut opener: ToolboxFactory,
    arguments: &McpArguments,
) -> anyhow::Result<ToolboxFactory> {
    if arguments.confine_reads {
        opener = opener.with_confined_reads(&toolbox::resolve_folders(&arguments.readable)?);
    }
    if arguments.no_network {
        opener = opener.without_network();
    }
    // A user who asks for more confinement than usual does not want it skipped silently.
    let is_confined_more =
        arguments.confine_writes || arguments.confine_reads || arguments.no_network;
    if arguments.require_sandbox || is_confined_more {
        opener = opener.with_required_sandbox();
    }
    Ok(opener)
}

/// Warns the user, not only the model, if commands are not fully confined.
fn warn_if_unconfined() {
    match Confinement::detect() {
        Ok(Confinement::Full | Confinement::Writes) => {}
        Ok(loose) => notice::print_notice(loose),
        Err(error) => notice::print_notice(error),
    }
}

/// Serves until the client disconnects, or until Ctrl+C or SIGTERM.
///
/// # Errors
/// If a folder or the address is invalid.
pub(crate) fn run(arguments: &McpArguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let tools = match arguments.profile {
        ToolChoice::Lean => ToolSet::Lean,
        ToolChoice::Full => ToolSet::Full,
    };
    let directory = std::env::current_dir().context("there is no current folder")?;
    let mut settings = McpSettings::new(tools, directory.clone());
    settings.roots = toolbox::resolve_folders(&arguments.roots)?;
    settings.asks_for_roots = !arguments.no_client_roots;
    settings.structured = arguments.structured;
    // Claude Code ignores values that are no numbers, and so does foveal.
    let shown = environment
        .user
        .agent_variable(CLAUDE_CODE_TOKENS_VARIABLE)
        .and_then(|told| told.parse().ok());
    settings.client_limits = client_agents::answer_limits();
    settings.claude_code_tokens = shown.filter(|tokens| *tokens > 0);
    let writable = toolbox::resolve_folders(&arguments.writable)?;
    let opener = ToolboxFactory::new(environment)?;
    let opener = match arguments.confine_writes {
        true => opener.with_only_writable(&writable),
        false => opener.with_writable_roots(&writable),
    };
    let mut opener = with_confinement(opener, arguments)?;
    if arguments.keep_no_contents {
        opener = opener.without_stored_contents();
    }
    warn_if_unconfined();
    if arguments.http.is_none() {
        // Over standard input and output, the client starts the server in its own folder.
        opener = opener.with_client_folder(&directory);
    }
    let open: ToolboxOpener = Arc::new(move |roots: Vec<PathBuf>| Ok(opener.open(&roots)?));
    let server = McpServer::new(settings, open);
    let Some(address) = arguments.http else {
        if environment.terminal.input {
            notice::print_notice(TERMINAL_NOTICE);
        }
        stdio::serve(&server)?;
        return Ok(ExitCode::SUCCESS);
    };
    let token =
        listen_options::parse_client_token(environment.mcp_token.as_deref(), MCP_TOKEN_VARIABLE)?;
    let mut http = HttpSettings::new(address);
    http.is_public = arguments.public;
    http.token = token;
    http.hosts.clone_from(&arguments.hosts);
    http.origins.clone_from(&arguments.origins);
    http::serve(&server, &http, |address| {
        notice::print_notice(format_args!("listening at http://{address}{MCP_PATH}"));
    })?;
    Ok(ExitCode::SUCCESS)
}
