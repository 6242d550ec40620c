//! The command line: all commands, and the dispatch to them.

use std::process::ExitCode;

use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use super::{
    changelog, chat, command_groups, config, doctor, expand, export, file_at, graph, grep, hook,
    index, init, man, map, mcp, models, outline, permissions, read, replay, rewind, run_task,
    search, serve, sessions, show_session, stats, trust, wrap,
};
use crate::colour::TerminalColourChoice;
use crate::environment::Environment;
use crate::output;
use crate::toolbox::CONVERT_PAGE;

/// Gives coding agents the context they need, and measures what that saves on recorded sessions.
#[derive(Debug, Parser)]
#[command(name = "foveal", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// When to print in colours.
    #[arg(long = "color", global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) colour: TerminalColourChoice,
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Replays recorded sessions and shows what each profile would have cost and kept.
    Replay(Box<replay::ReplayArguments>),
    /// Shows a recorded session as short text, or the gateway requests of a conversation.
    Show(show_session::ShowArguments),
    /// Shows what the gateway requests cost, and what they would have cost without the gateway.
    ///
    /// Splits the bill by cause: sent for the first time, read from the cache, or paid for again
    /// because the cache had expired, because the client changed what it had sent, or because
    /// foveal did. Dollars are at list prices, unless the provider reports what it charged.
    Stats(stats::StatsArguments),
    /// Lists the file changes of a recorded session.
    Changelog(changelog::ChangelogArguments),
    /// Shows a file as it was at a turn of a recorded session, as far as the session shows it.
    FileAt(file_at::FileAtArguments),
    /// Prints a recorded session as a document of the Agent Trajectory Interchange Format.
    ///
    /// Accepts sessions of all agents that `foveal replay` reads, and those that foveal stores.
    /// Their content is printed unchanged: sessions of other agents may contain secrets.
    Export(export::ExportArguments),
    /// Shows the structure of files: imports, types and signatures, without bodies.
    Outline(outline::OutlineArguments),
    /// Shows who calls, tests and uses a symbol, and what it calls and uses.
    ///
    /// Updates the index first, or creates it if there is none: see `foveal index`.
    Graph(graph::GraphArguments),
    /// Shows the most important files and signatures of a repository in few tokens.
    ///
    /// Updates the index first, or creates it if there is none: see `foveal index`.
    Map(map::MapArguments),
    /// Updates the index of a folder.
    ///
    /// Skips what .gitignore and .ignore name and hidden files, unless a model read them with
    /// foveal's tools, and always files of more than 1 MiB and files that look like keys or
    /// credentials. Stores the index in foveal/index in $XDG_DATA_HOME, or where the platform keeps
    /// data (~/.local/share, ~/Library/Application Support, %LOCALAPPDATA%). Writes nothing into the
    /// folder itself. Exits with 1 if the embedder cannot be used.
    Index(index::IndexArguments),
    /// Finds parts of files by words and by meaning.
    ///
    /// Updates the index first, or creates it if there is none. Paths start at the top of the
    /// folder. Exits with 1 if nothing is found.
    Search(search::SearchArguments),
    /// Serves the tools to an agent over the Model Context Protocol.
    Mcp(mcp::McpArguments),
    /// Runs a gateway between an agent and its model: shortens each request, and returns the
    /// answers unchanged.
    ///
    /// Point the agent here by its base URL (ANTHROPIC_BASE_URL=http://127.0.0.1:4117 for Claude
    /// Code) and change nothing else. If the gateway fails to shorten a request, it sends the
    /// agent's own request. Keys pass through and are neither stored nor shown. Serves only this
    /// machine; to listen at another address, set FOVEAL_SERVE_TOKEN and have clients send it as
    /// x-foveal-token.
    Serve(serve::ServeArguments),
    /// Runs an agent with its own gateway between it and its model, only for that run.
    ///
    /// Redirects the agent by environment variables and arguments, and does not change its
    /// settings. The gateway sends the requests to the model address that the agent has set. The
    /// agent keeps its terminal and its exit code. On a terminal, a last line shows what was saved.
    /// Give the options of foveal before the agent's name.
    Wrap(wrap::WrapArguments),
    /// Works on a task with a model and foveal's own tools, until the model says that it is done.
    ///
    /// Prints the model's last answer to standard output, and its progress to standard error.
    /// Changes no files and runs no commands without your approval, unless --yes is given. Exits
    /// with 1 if the task was not finished, with 2 if the model cannot be used, with 130 if you
    /// stopped it.
    Run(run_task::RunArguments),
    /// Opens a chat with a model that works in this folder with foveal's own tools.
    ///
    /// Shows what the model says and does as it happens, and asks you before files are changed and
    /// commands are run. `/help` lists the keys. Stores the session as `foveal run` does; without a
    /// terminal, use that.
    Chat(chat::ChatArguments),
    /// Rewinds a session of `foveal run` to before one of your messages: the conversation, the
    /// files, or both.
    ///
    /// Shows what would change, and asks for confirmation. Later messages stay stored, but are no
    /// longer sent to the model; files are restored to their content before the session wrote them.
    /// Files that others changed too are skipped unless --force is given, and changes by commands
    /// are not tracked. Exits with 1 if nothing was changed.
    Rewind(rewind::RewindArguments),
    /// Lists the available models: hosted ones whose key is set, and those of local servers.
    ///
    /// Queries Ollama, LM Studio, llama.cpp and vLLM at their default ports on this machine, and no
    /// other servers. Exits with 1 if there is none.
    Models(models::ModelsArguments),
    /// Sets up the agents on this machine to use the tools.
    ///
    /// Lists the files that it would change and asks once, keeps a copy of each beside it
    /// (`NAME.foveal-backup`), and changes nothing else in it. Without names, sets up all agents
    /// that are found.
    Init(init::InitArguments),
    /// Shows and changes the settings.
    ///
    /// Without a subcommand, lists all settings. Exits with 2 if the file is invalid.
    Config(config::ConfigArguments),
    /// Shows the settings file of this project (`.foveal.toml` or `.foveal.json`), and asks whether
    /// to trust it.
    ///
    /// The trust applies to this folder and to the current content of the file: once it changes, it
    /// is ignored until you trust it again. The file cannot extend access: it cannot set servers,
    /// keys or commands, or allow anything that you do not.
    Trust(trust::TrustArguments),
    /// Lists the permission rules and your permanent approvals in this folder, and revokes
    /// approvals.
    ///
    /// If you answer `always`, in `foveal chat` or where an agent asks for foveal, one tool is
    /// approved for one command, file or address, in one folder, until you revoke it here.
    Permissions(permissions::PermissionsArguments),
    /// Checks the setup on this machine, and says how to fix problems.
    ///
    /// Changes nothing. Exits with 1 if something is broken.
    Doctor(doctor::DoctorArguments),
    /// Answers an event of an agent: shapes the results of its own tools.
    ///
    /// Agents run it after `foveal init`. Reads the event from standard input.
    #[command(hide = true)]
    Hook(hook::HookArguments),
    /// Reads the address of a page in a line and then the page, and prints it as Markdown.
    ///
    /// foveal runs it to convert pages of the web where the work can be ended.
    #[command(hide = true, name = CONVERT_PAGE)]
    ConvertPage,
    /// Shows a file as a model sees it: a short file in full, the important parts of a long one.
    ///
    /// Asks you before it reads a file outside of the working copy, or one that looks like a key or
    /// a credential, and follows your permission rules.
    Read(read::ReadArguments),
    /// Shows the matching lines of files.
    ///
    /// Skips what .gitignore names, and files that look like keys or credentials unless you name
    /// them. Exits with 1 if nothing is found.
    Grep(grep::GrepCommandArguments),
    /// Shows the omitted part of an answer, by the handle in its note.
    Expand(expand::ExpandArguments),
    /// Lists the stored sessions of the tools; pins or deletes one.
    ///
    /// Shows the folder of each and what it began with, newest first. Omits single calls from a
    /// shell, such as `foveal read`, unless --all is given. `foveal show` takes the names.
    ///
    /// Keeps a session and what it refers to for 30 days after its last use, or less if all
    /// sessions together exceed 2 GiB. Pinned sessions stay.
    Sessions(sessions::SessionsArguments),
    /// Prints a completion script for a shell.
    ///
    /// Bash: put it into ~/.local/share/bash-completion/completions/foveal. Zsh: put it into a
    /// folder of $fpath as _foveal. Fish: put it into ~/.config/fish/completions/foveal.fish.
    /// PowerShell: add it to $PROFILE.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Writes the man pages into a folder.
    ///
    /// For a folder such as ~/.local/share/man/man1, `man foveal` and `man foveal-replay` find
    /// them.
    Man(man::ManArguments),
}

impl Cli {
    /// Parses the arguments of this process.
    ///
    /// # Errors
    /// If they are invalid, or ask for help.
    pub(crate) fn parse_arguments() -> Result<Self, clap::Error> {
        let mut command = Self::grouped_command();
        let mut matches = command.try_get_matches_from_mut(std::env::args_os())?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    }

    /// Returns the command line whose help shows its commands in groups.
    pub(super) fn grouped_command() -> Command {
        // Their parsers explain a negative number better than clap, which sees an option.
        let command = Self::command().mut_subcommands(|command| {
            command.mut_args(|argument| {
                let is_number =
                    argument.get_long().is_some() && argument.get_action().takes_values();
                argument.allow_negative_numbers(is_number)
            })
        });
        command_groups::group_commands(command)
    }
}

/// Runs a command.
///
/// # Errors
/// If the command's input is invalid or its output cannot be written.
pub(crate) fn run(cli: Cli, environment: &Environment) -> anyhow::Result<ExitCode> {
    match cli.command {
        CliCommand::Replay(arguments) => {
            replay::run(&arguments.into_config(environment)?, environment)
        }
        CliCommand::Show(arguments) => show_session::run(&arguments, environment),
        CliCommand::Stats(arguments) => stats::run(&arguments, environment),
        CliCommand::Changelog(arguments) => changelog::run(&arguments, environment),
        CliCommand::FileAt(arguments) => file_at::run(&arguments, environment),
        CliCommand::Export(arguments) => export::run(&arguments, environment),
        CliCommand::Outline(arguments) => outline::run(&arguments, environment),
        CliCommand::Graph(arguments) => graph::run(&arguments, environment),
        CliCommand::Map(arguments) => map::run(&arguments, environment),
        CliCommand::Index(arguments) => index::run(&arguments, environment),
        CliCommand::Search(arguments) => search::run(&arguments, environment),
        CliCommand::Mcp(arguments) => mcp::run(&arguments, environment),
        CliCommand::Serve(arguments) => serve::run(&arguments, environment),
        CliCommand::Wrap(arguments) => wrap::run(&arguments, environment),
        CliCommand::Run(arguments) => run_task::run(&arguments, environment),
        CliCommand::Chat(arguments) => chat::run(&arguments, environment),
        CliCommand::Rewind(arguments) => rewind::run(&arguments, environment),
        CliCommand::Models(arguments) => models::run(&arguments, environment),
        CliCommand::Init(arguments) => init::run(&arguments, environment),
        CliCommand::Config(arguments) => config::run(&arguments, environment),
        CliCommand::Trust(arguments) => trust::run(&arguments, environment),
        CliCommand::Permissions(arguments) => permissions::run(&arguments, environment),
        CliCommand::Doctor(arguments) => doctor::run(&arguments, environment),
        CliCommand::Hook(arguments) => Ok(hook::run(&arguments, environment)),
        CliCommand::ConvertPage => {
            let mut converted = Vec::new();
            foveal_web::convert_page(std::io::stdin().lock(), &mut converted)?;
            output::print_raw(&String::from_utf8_lossy(&converted))?;
            Ok(ExitCode::SUCCESS)
        }
        CliCommand::Read(arguments) => read::run(&arguments, environment),
        CliCommand::Grep(arguments) => grep::run(&arguments, environment),
        CliCommand::Expand(arguments) => expand::run(&arguments, environment),
        CliCommand::Sessions(arguments) => sessions::run(&arguments, environment),
        CliCommand::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "foveal", &mut script);
            output::print(String::from_utf8_lossy(&script).into_owned())?;
            Ok(ExitCode::SUCCESS)
        }
        CliCommand::Man(arguments) => man::run(&arguments, Cli::command()),
    }
}
