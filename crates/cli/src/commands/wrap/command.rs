//! The command line of `foveal wrap`, and one run of an agent.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use anyhow::{Context, bail};
use foveal_gateway::Gateway;
use tempfile::NamedTempFile;

use super::child;
use crate::caches::make_private;
use crate::clients::Client;
use crate::clients::launch::{self, Asked, GATEWAY, Plan, WRAPPED};
use crate::commands::serve::{Behaviour, Choices, Complaints, Lines, Teller, Traced};
use crate::environment::Environment;
use crate::gateway::WebSocketChoice;
use crate::notice;
use crate::toolbox;
use crate::user_settings;

/// Bytes of a log behind which it is begun anew.
const LOG_BYTES_MAX: u64 = 16 << 20;

/// The command line of `foveal wrap`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    behaviour: Behaviour,
    /// Where a line of JSON for each request goes. If not given, to
    /// ~/.local/share/foveal/log/wrap.jsonl, or where your system has data of programs.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The agent, or its program: claude-code (claude), codex, opencode, gemini, qwen, pi. What
    /// follows is what the agent is started with.
    #[arg(
        value_names = ["AGENT", "ARGUMENTS"],
        num_args = 1..,
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    command: Vec<String>,
}

/// An agent that there is not.
#[derive(Debug, thiserror::Error)]
#[error("unknown agent `{0}`: one of {known}", known = WRAPPED.join(", "))]
struct UnknownAgent(String);

fn agent(text: &str) -> Result<&'static str, UnknownAgent> {
    let client = Client::named(text).or_else(|| Client::with_program(text));
    client.map(|client| client.name).ok_or_else(|| UnknownAgent(text.to_owned()))
}

/// Runs the agent, and a gateway for as long as that takes.
///
/// # Errors
/// If the agent is not installed, cannot be put on a gateway, or cannot be started.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let (name, rest) = arguments.command.split_first().context("no agent is named")?;
    let client = Client::named(agent(name)?).context("the agent is not known")?;
    let settings = user_settings::read(environment)?.gateway;
    let given = arguments.behaviour.given_for_one(&settings)?;
    let folder = std::env::current_dir().context("there is no current folder")?;
    let asked = Asked { environment, folder: &folder, arguments: rest, given };
    let plan = launch::plan(client.name, client.title, &asked)
        .with_context(|| format!("foveal cannot be put between {} and its model", client.title))?;
    let Some(program) = client.program(environment) else {
        bail!("{} is not installed: no `{}` in PATH", client.title, client.programs.join("` or `"));
    };
    for beside in &plan.beside {
        notice::say(format_args!("not through foveal: {beside}"));
    }
    plan.remarks.iter().for_each(notice::say);
    let log = log(arguments.log.as_deref(), environment)?;
    let store = toolbox::store_of_gateway(environment);
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let choices = arguments.behaviour.choices(listen, &plan.given, &settings);
    let choices = Choices { proxies: environment.proxies(), ..choices };
    let choices = choices.with_learners(toolbox::store_path(environment).as_deref())?;
    let traced = Traced::start(environment, &settings, choices.profile, Complaints::AtTheEnd);
    let lines = log.map_or(Lines::None, Lines::File);
    let (teller, telling) =
        Teller::start(Arc::clone(&store), lines, traced, choices.learners.clone());
    if environment.terminal.error && plan.replaces_maker {
        let passes = choices.websockets == WebSocketChoice::Pass;
        client.losses(passes).for_each(notice::say);
    }
    let settings = choices.settings(store, Arc::new(teller))?;
    let has_terminal = environment.terminal.input || environment.terminal.error;
    let status = Gateway::beside(settings, |address| {
        let mut command = Command::new(&program);
        // The file is there as long as the agent runs.
        let _file = tell(&mut command, &plan, &address.to_string(), environment)?;
        command.args(rest);
        let started = child::run(&mut command, has_terminal);
        started.with_context(|| format!("`{}` cannot be started", program.display()))
    })??;
    let totals = telling.finish();
    if environment.terminal.error {
        notice::say(match totals.is_empty() {
            true => "no request came: the agent asked elsewhere, or nothing".to_owned(),
            false => totals.line(),
        });
    }
    Ok(child::exit_code(status))
}

/// Tells an agent of the gateway at `address`, and gives back the file that was made for that.
fn tell(
    command: &mut Command,
    plan: &Plan,
    address: &str,
    environment: &Environment,
) -> anyhow::Result<Option<NamedTempFile>> {
    let address = format!("http://{address}");
    let with_address = |text: &String| text.replace(GATEWAY, &address);
    for (name, value) in &plan.variables {
        command.env(name, with_address(value));
    }
    // A proxy of the user's is not to be asked for this machine.
    for name in ["NO_PROXY", "no_proxy"] {
        let proxy = if name == "no_proxy" { "https_proxy" } else { "HTTPS_PROXY" };
        let plain = if name == "no_proxy" { "http_proxy" } else { "HTTP_PROXY" };
        let known = environment.told(name);
        if known.is_some() || [proxy, plain].iter().any(|one| environment.told(one).is_some()) {
            let all = known.into_iter().chain(["127.0.0.1"]).collect::<Vec<_>>().join(",");
            command.env(name, all);
        }
    }
    command.args(plan.arguments.iter().map(with_address));
    let Some((ending, text)) = &plan.file else { return Ok(None) };
    let mut file = tempfile::Builder::new().prefix("foveal-wrap-").suffix(ending).tempfile()?;
    file.write_all(with_address(text).as_bytes())?;
    command.arg(file.path());
    Ok(Some(file))
}

/// The file that lines go to; `None` where there is no place for it and none was asked for.
fn log(asked: Option<&Path>, environment: &Environment) -> anyhow::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if let Some(path) = asked {
        let file = options.open(path);
        return file.map(Some).with_context(|| format!("`{}` cannot be written", path.display()));
    }
    let Some(folder) = environment.data_folder().map(|data| data.join("foveal").join("log")) else {
        return Ok(None);
    };
    // The run is worth more than its log.
    let made = std::fs::create_dir_all(&folder).and_then(|()| make_private(&folder));
    let file = made.and_then(|()| options.open(folder.join("wrap.jsonl"))).ok();
    if let Some(file) = &file
        && file.metadata().is_ok_and(|data| data.len() > LOG_BYTES_MAX)
    {
        drop(file.set_len(0));
    }
    Ok(file)
}
