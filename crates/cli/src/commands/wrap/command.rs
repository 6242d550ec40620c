//! `foveal wrap`: its command line, and one run of an agent.

use std::fs::{File, OpenOptions};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use anyhow::{Context, bail};
use foveal_agent_setup::client_agents::ClientAgent;
use foveal_agent_setup::launch::LaunchRequest;
use foveal_gateway::Gateway;
use foveal_settings::WebSocketChoice;

use super::agent_process;
use crate::command_caches::create_private_folder;
use crate::commands::serve::{
    CollectorWarningTiming, GatewayArguments, GatewayOptions, RequestLog, RequestLogOutput,
    RequestTracer,
};
use crate::environment::Environment;
use crate::notice;
use crate::toolbox;

/// Size of a log file, in bytes, above which it is emptied.
const LOG_BYTES_MAX: u64 = 16 << 20;

/// The command line of `foveal wrap`.
#[derive(Debug, clap::Args)]
pub(crate) struct WrapArguments {
    #[command(flatten)]
    behaviour: GatewayArguments,
    /// The file for a line of JSON per request. If not given, ~/.local/share/foveal/log/wrap.jsonl,
    /// or the data folder of your system.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[arg(
        help = agent_help(),
        value_names = ["AGENT", "ARGUMENTS"],
        num_args = 1..,
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    command: Vec<String>,
}

/// The error for an unknown agent.
#[derive(Debug, thiserror::Error)]
#[error("unknown agent `{0}`: expected one of {known}", known = wrappable_names())]
struct UnknownAgent(String);

fn wrappable_names() -> String {
    let names: Vec<&str> = ClientAgent::wrappable_agents().map(|client| client.name).collect();
    names.join(", ")
}

fn agent_help() -> String {
    let names = ClientAgent::wrappable_agents().map(|client| match client.programs {
        [program, ..] if *program != client.name => format!("{} ({program})", client.name),
        _ => client.name.to_owned(),
    });
    format!(
        "The agent, or its program: {}. The arguments after it are passed to the agent",
        names.collect::<Vec<_>>().join(", ")
    )
}

fn parse_agent(text: &str) -> Result<&'static ClientAgent, UnknownAgent> {
    let client =
        ClientAgent::from_agent_name(text).or_else(|| ClientAgent::from_program_name(text));
    client.ok_or_else(|| UnknownAgent(text.to_owned()))
}

/// Runs the agent behind a gateway that lives as long.
///
/// # Errors
/// If the agent is not installed, cannot be put behind a gateway, or cannot be started.
pub(crate) fn run(
    arguments: &WrapArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let (name, rest) = arguments.command.split_first().context("no agent is named")?;
    let client = parse_agent(name)?;
    let settings = environment.read_user_settings()?;
    let given = arguments.behaviour.upstream_config_for_wrap(&settings.gateway)?;
    let folder = std::env::current_dir().context("there is no current folder")?;
    let user = &environment.user;
    let request =
        LaunchRequest { environment: user, folder: &folder, arguments: rest, upstreams: given };
    let plan = client
        .plan_launch(&request)
        .with_context(|| format!("foveal cannot be put between {} and its model", client.title))?;
    let Some(program) = client.program_path(user) else {
        bail!("{} is not installed: no `{}` in PATH", client.title, client.programs.join("` or `"));
    };
    for beside in &plan.bypassing {
        notice::print_notice(format_args!("not routed through foveal: {beside}"));
    }
    plan.remarks.iter().for_each(notice::print_notice);
    let log = open_request_log(arguments.log.as_deref(), environment)?;
    let store = toolbox::open_gateway_store(environment);
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let choices = arguments.behaviour.gateway_options(listen, &plan.upstreams, &settings);
    let choices = GatewayOptions { proxies: environment.proxies(), ..choices };
    let choices = choices.with_billing(toolbox::store_path(environment).as_deref())?;
    let traced = RequestTracer::start(
        environment,
        settings.gateway.otel.as_ref(),
        choices.profile,
        CollectorWarningTiming::AtExit,
    );
    let lines = log.map_or(RequestLogOutput::Off, RequestLogOutput::File);
    let (logger, request_log) =
        RequestLog::start(Arc::clone(&store), lines, traced, choices.billing.clone());
    if environment.terminal.error && plan.replaces_vendor_api {
        let passes = choices.websockets == WebSocketChoice::Pass;
        client.feature_losses(passes).for_each(notice::print_notice);
    }
    let settings = choices.into_settings(store, Arc::new(logger))?;
    let has_terminal = environment.terminal.input || environment.terminal.error;
    let status = Gateway::serve_during(settings, |address| {
        let mut command = Command::new(&program);
        // The temporary file must exist as long as the agent runs.
        let _file = plan.configure_command(&mut command, address, user)?;
        command.args(rest);
        let started = agent_process::run_agent_process(&mut command, has_terminal);
        started.with_context(|| format!("`{}` cannot be started", program.display()))
    })??;
    let totals = request_log.finish();
    if environment.terminal.error {
        notice::print_notice(match totals.is_empty() {
            true => "no requests arrived: the agent used another address, or sent none".to_owned(),
            false => totals.summary_line(),
        });
    }
    Ok(agent_process::agent_exit_code(status))
}

/// Opens the request log; `None` if none was asked for and there is no data folder.
fn open_request_log(
    asked: Option<&Path>,
    environment: &Environment,
) -> anyhow::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if let Some(path) = asked {
        let file = options.open(path);
        return file.map(Some).with_context(|| format!("`{}` cannot be written", path.display()));
    }
    let Some(folder) = environment.user.data_folder().map(|data| data.join("foveal").join("log"))
    else {
        return Ok(None);
    };
    // The run matters more than its log, so errors are ignored.
    let made = std::fs::create_dir_all(&folder).and_then(|()| create_private_folder(&folder));
    let file = made.and_then(|()| options.open(folder.join("wrap.jsonl"))).ok();
    if let Some(file) = &file
        && file.metadata().is_ok_and(|data| data.len() > LOG_BYTES_MAX)
    {
        drop(file.set_len(0));
    }
    Ok(file)
}
