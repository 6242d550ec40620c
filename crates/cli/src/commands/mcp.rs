//! `foveal mcp`: serves the tools to an agent over the Model Context Protocol.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::ValueEnum;
use foveal_mcp::http::{self, HttpSettings, PATH};
use foveal_mcp::{McpSettings, OpenToolbox, Server, stdio};
use foveal_processes::Confinement;
use foveal_tools::table::ToolSet;

use crate::environment::{CLAUDE_CODE_TOKENS_VARIABLE, Environment, MCP_TOKEN_VARIABLE};
use crate::listening;
use crate::notice;
use crate::toolbox::{self, Opener};

/// The command line of `foveal mcp`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Which tools: the six that an agent needs beside its own to read and change code, or all.
    #[arg(long, value_name = "PROFILE", default_value = "full")]
    profile: ToolChoice,
    /// A folder that may be read and changed. Repeat it for several. If not given, the folders
    /// that the client names, or the current folder.
    #[arg(long = "root", value_name = "PATH")]
    roots: Vec<PathBuf>,
    /// Lets no client say which folders may be read and changed: those of --root may be, or the
    /// current folder.
    #[arg(long)]
    no_client_roots: bool,
    /// A folder that commands may write to, beside the roots and the folder for temporary files.
    /// Repeat it for several.
    #[arg(long, value_name = "PATH")]
    writable: Vec<PathBuf>,
    /// Lets commands write only to folders named with --writable, in the roots or elsewhere, to
    /// caches and to a folder for temporary files of their own. If none is named, to nothing else.
    #[arg(long)]
    confine_writes: bool,
    /// Writes nothing to disk of what files, pages and outputs hold. Handles end with the server.
    #[arg(long)]
    keep_no_contents: bool,
    /// Runs no command where the kernel cannot hold it to the folders that it may write
    /// (`foveal doctor` says whether it can).
    #[arg(long)]
    require_sandbox: bool,
    /// Lets commands read only what they may write, the system's programs and settings, compilers
    /// and their caches in the home folder, and folders named with --readable.
    #[arg(long)]
    confine_reads: bool,
    /// A folder that commands may read though reading is confined. Repeat it for several.
    #[arg(long, value_name = "PATH", requires = "confine_reads")]
    readable: Vec<PathBuf>,
    /// Takes the network from commands, this machine's own included. Connections by sockets in
    /// files remain.
    #[arg(long)]
    no_network: bool,
    /// Sends answers as data too. Some agents show their model the data alone, without the notes
    /// that say what was left out.
    #[arg(long)]
    structured: bool,
    /// Serves over HTTP at this address (`8765`, `127.0.0.1:8765`) instead of standard input
    /// and output. If FOVEAL_MCP_TOKEN is set, clients must send it as a bearer token.
    #[arg(long, value_name = "ADDRESS", value_parser = listening::address)]
    http: Option<SocketAddr>,
    /// Serves other machines too. Needs FOVEAL_MCP_TOKEN and an address that they can reach
    /// (`0.0.0.0:8765`).
    #[arg(long, requires = "http")]
    public: bool,
    /// A host name under which clients may reach the server, beside localhost. Repeat it for
    /// several.
    #[arg(long = "host", value_name = "NAME", requires = "http")]
    hosts: Vec<String>,
    /// An origin whose web pages may use the server (`https://a.example:443`). Repeat it for
    /// several.
    #[arg(long = "origin", value_name = "ORIGIN", requires = "http")]
    origins: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolChoice {
    Lean,
    Full,
}

impl ToolChoice {
    /// As the command line has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lean => "lean",
            Self::Full => "full",
        }
    }
}

/// The sandbox of commands as it was asked for.
///
/// # Errors
/// If a folder cannot be used.
fn confined(mut opener: Opener, arguments: &Arguments) -> anyhow::Result<Opener> {
    if arguments.confine_reads {
        opener = opener.reading_only(&toolbox::named(&arguments.readable)?);
    }
    if arguments.no_network {
        opener = opener.without_network();
    }
    // Who confines more than usual does not want it to be passed over.
    let is_confined_more =
        arguments.confine_writes || arguments.confine_reads || arguments.no_network;
    if arguments.require_sandbox || is_confined_more {
        opener = opener.requiring_sandbox();
    }
    Ok(opener)
}

/// Says to the person, not only to the model, that commands are not held to their folders.
fn tell_unconfined() {
    match Confinement::available() {
        Ok(Confinement::Full | Confinement::Writes) => {}
        Ok(loose) => notice::say(loose),
        Err(error) => notice::say(error),
    }
}

/// Serves until the client leaves, or until Ctrl+C or SIGTERM.
///
/// # Errors
/// If a folder or the address cannot be used.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let tools = match arguments.profile {
        ToolChoice::Lean => ToolSet::Lean,
        ToolChoice::Full => ToolSet::Full,
    };
    let directory = std::env::current_dir().context("there is no current folder")?;
    let mut settings = McpSettings::new(tools, directory.clone());
    settings.roots = toolbox::named(&arguments.roots)?;
    settings.asks_for_roots = !arguments.no_client_roots;
    settings.structured = arguments.structured;
    // What Claude Code does not take for a number it does not obey either.
    let shown = environment.told(CLAUDE_CODE_TOKENS_VARIABLE).and_then(|told| told.parse().ok());
    settings.claude_code_tokens = shown.filter(|tokens| *tokens > 0);
    let writable = toolbox::named(&arguments.writable)?;
    let opener = Opener::new(environment)?;
    let opener = match arguments.confine_writes {
        true => opener.for_commands_that_write_only(&writable),
        false => opener.for_commands(&writable),
    };
    let mut opener = confined(opener, arguments)?;
    if arguments.keep_no_contents {
        opener = opener.keeping_no_contents();
    }
    tell_unconfined();
    if arguments.http.is_none() {
        // Whoever starts it does so where it works.
        opener = opener.for_client_in(&directory);
    }
    let open: OpenToolbox = Arc::new(move |roots: Vec<PathBuf>| Ok(opener.open(&roots)?));
    let server = Server::new(settings, open);
    let Some(address) = arguments.http else {
        stdio::serve(&server)?;
        return Ok(ExitCode::SUCCESS);
    };
    let token = listening::token(environment.mcp_token.as_deref(), MCP_TOKEN_VARIABLE)?;
    let mut http = HttpSettings::new(address);
    http.is_public = arguments.public;
    http.token = token;
    http.hosts.clone_from(&arguments.hosts);
    http.origins.clone_from(&arguments.origins);
    http::serve(&server, &http, |address| {
        notice::say(format_args!("listening at http://{address}{PATH}"));
    })?;
    Ok(ExitCode::SUCCESS)
}
