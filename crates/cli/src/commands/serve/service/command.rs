//! `foveal serve --install` and `--uninstall`.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use foveal_agent_setup::setup::render_problems;
use foveal_agent_setup::{
    FovealProgram, ListeningProgram, read_settings_file, replace_settings_file,
};

use super::init_system::{InitSystem, run_commands};
use super::service_files::{GENERATED_MARK, ServiceCommand};
use crate::commands::init::find_gateways;
use crate::environment::{self, Environment, SERVE_TOKEN_VARIABLE};
use crate::exit_code;
use crate::notice;
use crate::output;

/// The time-out for the first answer of a started service.
const START_TIME_OUT: Duration = Duration::from_secs(5);

/// The pause between two attempts to reach a starting service.
const START_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Arguments of this command line that the service must not be started with.
const INSTALL_ARGUMENTS: [&str; 1] = ["--install"];

/// Installs and starts a service of the user's session that runs a gateway at `listen`, with the
/// arguments of this command line.
///
/// # Errors
/// If the gateway could not serve at the address, or the service file cannot be written.
pub(in crate::commands::serve) fn install(
    listen: SocketAddr,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let system = detect_init_system()?;
    let path = system.service_file_path(environment)?;
    let before = read_service_file(&path)?;
    let address = format!("http://{}", reachable_address(listen));
    check_service_address(listen, system, environment)?;
    if before.is_none() {
        match ListeningProgram::probe(&address) {
            ListeningProgram::None => {}
            ListeningProgram::Foveal => {
                bail!(
                    "`foveal serve` is already running at {address}: stop it, then run this again"
                )
            }
            ListeningProgram::Other => {
                bail!(
                    "another program is listening at {address}: stop it, or choose another --listen"
                )
            }
        }
    }
    let text = system.service_file_text(&service_command(system, environment)?, environment)?;
    if before.as_ref() != Some(&text) {
        replace_settings_file(&path, before.as_deref(), Some(&text), false)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    let (user, shown) = (user_id(), path.display());
    if let Err(why) = run_commands(&system.start_commands(&path, user, before.is_some())) {
        let (title, line) = (system.display_name(), system.start_command_line(&path, user));
        notice::print_notice(format_args!(
            "wrote {shown}, but {title} did not start it: {why}. Where {title} runs for your user, \
             start it with `{line}`. Until then run `foveal serve` yourself."
        ));
        return Ok(ExitCode::from(exit_code::FAILED));
    }
    if !wait_until_reachable(&address) {
        notice::print_notice(format_args!(
            "wrote and started {shown}, but nothing answers at {address}: `{}` shows why",
            system.log_command_line()
        ));
        return Ok(ExitCode::from(exit_code::FAILED));
    }
    output::print(format!(
        "foveal is running at {address}, and starts with each of your sessions, as set in {shown}\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns an address of this machine under which a gateway that listens at `listen` is reached.
fn reachable_address(listen: SocketAddr) -> SocketAddr {
    match listen {
        SocketAddr::V4(at) if at.ip().is_unspecified() => (Ipv4Addr::LOCALHOST, at.port()).into(),
        SocketAddr::V6(at) if at.ip().is_unspecified() => (Ipv6Addr::LOCALHOST, at.port()).into(),
        at => at,
    }
}

/// Undoes [`install`].
///
/// # Errors
/// If the service file cannot be removed, or another program wrote it.
pub(in crate::commands::serve) fn uninstall(environment: &Environment) -> anyhow::Result<ExitCode> {
    let system = detect_init_system()?;
    let path = system.service_file_path(environment)?;
    let Some(text) = read_service_file(&path)? else {
        output::print(format!(
            "foveal is not installed as a service: {} does not exist\n",
            path.display()
        ))?;
        return Ok(ExitCode::SUCCESS);
    };
    let stopped = run_commands(&system.stop_commands(user_id()));
    if stopped.is_err() {
        for link in system.enabled_links(&path) {
            // Without a running systemd its links remain unless they are removed here. A missing
            // link is no error.
            let _ = std::fs::remove_file(link);
        }
    }
    replace_settings_file(&path, Some(&text), None, false)
        .with_context(|| format!("`{}` cannot be removed", path.display()))?;
    // An error is ignored: the init system reads its files again at its next start.
    let _ = run_commands(&system.reload_commands());
    output::print(format!("foveal no longer starts by itself: removed {}\n", path.display()))?;
    if let Err(why) = stopped {
        let title = system.display_name();
        notice::print_notice(format_args!(
            "{title} could not be notified: {why}. The running gateway was not stopped."
        ));
    }
    output::print(render_problems(&find_gateways(environment)))?;
    Ok(ExitCode::SUCCESS)
}

fn detect_init_system() -> anyhow::Result<InitSystem> {
    InitSystem::detect().context(
        "foveal supports only the init systems systemd and launchd: set up yours to run `foveal \
         serve`",
    )
}

/// Returns the text of the service file, or `None` if there is none.
fn read_service_file(path: &Path) -> anyhow::Result<Option<String>> {
    let text =
        read_settings_file(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    if text.as_ref().is_some_and(|text| !text.contains(GENERATED_MARK)) {
        bail!("`{}` was not written by foveal: rename it, then run this again", path.display());
    }
    Ok(text)
}

/// Returns an error for an address at which a service could not serve.
fn check_service_address(
    listen: SocketAddr,
    system: InitSystem,
    environment: &Environment,
) -> anyhow::Result<()> {
    if listen.port() == 0 {
        bail!("the port 0 changes at each start: choose a fixed one");
    }
    if listen.ip().is_loopback() {
        return Ok(());
    }
    let Some(file) = system.variables_file(environment) else {
        bail!(
            "an address that other machines can reach needs a token, which foveal does not write \
             into a file that others can read: write your own service"
        );
    };
    let stated = read_settings_file(&file).ok().flatten().unwrap_or_default();
    if !stated.lines().any(|line| line.trim_start().starts_with(SERVE_TOKEN_VARIABLE)) {
        bail!(
            "an address that other machines can reach needs a token: write \
             {SERVE_TOKEN_VARIABLE}=… into {}, and make that file readable only by you; then run \
             this again",
            file.display()
        );
    }
    Ok(())
}

/// Returns the command of the service: this program with its arguments and the environment
/// variables that it reads, except variables that may hold a key.
fn service_command(
    system: InitSystem,
    environment: &Environment,
) -> anyhow::Result<ServiceCommand> {
    let program = FovealProgram::locate(&environment.user)?.path().to_owned();
    let given = std::env::args_os().skip(1).map(|word| {
        word.into_string()
            .map_err(|word| anyhow::anyhow!("`{}` is not valid Unicode", word.display()))
    });
    let mut arguments = given.collect::<Result<Vec<String>, _>>()?;
    arguments.retain(|word| !INSTALL_ARGUMENTS.contains(&word.as_str()));
    let (secret, variables): (Vec<_>, Vec<_>) = environment::service_variables()
        .into_iter()
        .partition(|(name, value)| is_secret(name, value));
    if !secret.is_empty() {
        let names: Vec<&str> = secret.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        notice::print_notice(match system.variables_file(environment) {
            Some(file) => format!(
                "not passed to the service, because it may contain a key: {names}. Write it into \
                 {}, one NAME=VALUE per line, and make the file readable only by you.",
                file.display()
            ),
            None => {
                format!("not passed to the service, because it may contain a key: {names}")
            }
        });
    }
    Ok(ServiceCommand { program, arguments, variables })
}

fn is_secret(name: &str, value: &str) -> bool {
    name == SERVE_TOKEN_VARIABLE || name.ends_with("HEADERS") || value.contains('@')
}

fn user_id() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Returns whether foveal answers at `address` within [`START_TIME_OUT`].
fn wait_until_reachable(address: &str) -> bool {
    let begin = Instant::now();
    while ListeningProgram::probe(address) != ListeningProgram::Foveal {
        if begin.elapsed() > START_TIME_OUT {
            return false;
        }
        std::thread::sleep(START_POLL_INTERVAL);
    }
    true
}
