//! `foveal serve --install` and `--uninstall`.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::init_system::{InitSystem, run_commands};
use super::unit::{MARK, ServiceCommand};
use crate::clients::{self, Program};
use crate::commands::init::{agent_gateways, gateway_lines};
use crate::environment::{self, Environment, SERVE_TOKEN_VARIABLE};
use crate::exit_code;
use crate::gateway::Listener;
use crate::notice;
use crate::output;

/// How long a service may take until it answers.
const START_TIME: Duration = Duration::from_secs(5);

/// How often it is asked meanwhile.
const LOOK_UP_TIME: Duration = Duration::from_millis(100);

/// The arguments that the service is not to be started with.
const OWN_ARGUMENTS: [&str; 1] = ["--install"];

/// Has the system start a gateway that listens at `listen`, now and with each session of the user,
/// with the arguments of this program.
///
/// # Errors
/// If the gateway could not serve there, or the file of the service cannot be written.
pub(in crate::commands::serve) fn install(
    listen: SocketAddr,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let system = init_system()?;
    let path = system.file(environment)?;
    let before = own_text(&path)?;
    let address = format!("http://{}", reachable(listen));
    check_address(listen, system, environment)?;
    if before.is_none() {
        match Listener::at(&address) {
            Listener::None => {}
            Listener::Foveal => {
                bail!("a `foveal serve` runs at {address} already: end it, then run this again")
            }
            Listener::Other => {
                bail!("another program listens at {address}: end it, or take another --listen")
            }
        }
    }
    let text = system.text(&command(system, environment)?, environment)?;
    if before.as_ref() != Some(&text) {
        clients::write(&path, before.as_deref(), Some(&text), false)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    let (user, shown) = (user(), path.display());
    if let Err(why) = run_commands(&system.start_commands(&path, user, before.is_some())) {
        let (title, line) = (system.title(), system.start_command_line(&path, user));
        notice::say(format_args!(
            "{shown} is written, but {title} does not run it: {why}. Where {title} runs for your \
             user, start it with `{line}`. Until then run `foveal serve` yourself."
        ));
        return Ok(ExitCode::from(exit_code::FAILED));
    }
    if !answers(&address) {
        notice::say(format_args!(
            "{shown} is written and started, but nothing answers at {address}: `{}` says why",
            system.log_command_line()
        ));
        return Ok(ExitCode::from(exit_code::FAILED));
    }
    output::print(format!(
        "foveal answers at {address}, now and in each of your sessions, as {shown} says\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// An address of this machine at which a gateway that listens at `listen` is reached.
fn reachable(listen: SocketAddr) -> SocketAddr {
    match listen {
        SocketAddr::V4(at) if at.ip().is_unspecified() => (Ipv4Addr::LOCALHOST, at.port()).into(),
        SocketAddr::V6(at) if at.ip().is_unspecified() => (Ipv6Addr::LOCALHOST, at.port()).into(),
        at => at,
    }
}

/// Undoes [`install`].
///
/// # Errors
/// If the file of the service cannot be removed, or is another program's.
pub(in crate::commands::serve) fn uninstall(environment: &Environment) -> anyhow::Result<ExitCode> {
    let system = init_system()?;
    let path = system.file(environment)?;
    let Some(text) = own_text(&path)? else {
        output::print(format!("there is no service of foveal: no {}\n", path.display()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let stopped = run_commands(&system.stop_commands(user()));
    if stopped.is_err() {
        for link in system.links(&path) {
            // Where systemd does not run, nothing else takes it away, or it is not there.
            let _ = std::fs::remove_file(link);
        }
    }
    clients::write(&path, Some(&text), None, false)
        .with_context(|| format!("`{}` cannot be removed", path.display()))?;
    // It knows by itself once it starts anew.
    let _ = run_commands(&system.forget_commands());
    output::print(format!(
        "foveal does not start by itself any more: {} is gone\n",
        path.display()
    ))?;
    if let Err(why) = stopped {
        let title = system.title();
        notice::say(format_args!("{title} was not told: {why}. What it started runs on."));
    }
    output::print(gateway_lines(&agent_gateways(environment)))?;
    Ok(ExitCode::SUCCESS)
}

fn init_system() -> anyhow::Result<InitSystem> {
    InitSystem::of_this_machine().context(
        "foveal knows the init systems systemd and launchd alone: have yours run `foveal serve`",
    )
}

/// What stands in the file of the service; `None` where there is none.
fn own_text(path: &Path) -> anyhow::Result<Option<String>> {
    let text =
        clients::read(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    if text.as_ref().is_some_and(|text| !text.contains(MARK)) {
        bail!("`{}` is not foveal's: rename it, then run this again", path.display());
    }
    Ok(text)
}

/// Refuses addresses at which a service could not serve.
fn check_address(
    listen: SocketAddr,
    system: InitSystem,
    environment: &Environment,
) -> anyhow::Result<()> {
    if listen.port() == 0 {
        bail!("the port 0 is another one at each start: name one that agents find again");
    }
    if listen.ip().is_loopback() {
        return Ok(());
    }
    let Some(file) = system.variables_file(environment) else {
        bail!(
            "an address that other machines reach needs a token, which foveal writes into no file \
             that others can read: write a service of your own"
        );
    };
    let stated = clients::read(&file).ok().flatten().unwrap_or_default();
    if !stated.lines().any(|line| line.trim_start().starts_with(SERVE_TOKEN_VARIABLE)) {
        bail!(
            "an address that other machines reach needs a token: write {SERVE_TOKEN_VARIABLE}=… into \
             {}, and let nobody else read that file; then run this again",
            file.display()
        );
    }
    Ok(())
}

/// What the service is started with: all that this program was, and what it takes from its
/// environment, but for what may hold a key.
fn command(system: InitSystem, environment: &Environment) -> anyhow::Result<ServiceCommand> {
    let program = Program::own(environment)?.shown().to_owned();
    let given = std::env::args_os().skip(1).map(|word| {
        word.into_string().map_err(|word| anyhow::anyhow!("`{}` is no text", word.display()))
    });
    let mut arguments = given.collect::<Result<Vec<String>, _>>()?;
    arguments.retain(|word| !OWN_ARGUMENTS.contains(&word.as_str()));
    let (secret, variables): (Vec<_>, Vec<_>) =
        environment::of_services().into_iter().partition(|(name, value)| is_secret(name, value));
    if !secret.is_empty() {
        let names: Vec<&str> = secret.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        notice::say(match system.variables_file(environment) {
            Some(file) => format!(
                "not told to the service, for there may be a key in it: {names}. Write that into {}, \
                 a NAME=VALUE a line, and let nobody else read the file.",
                file.display()
            ),
            None => {
                format!("not told to the service, for there may be a key in it: {names}")
            }
        });
    }
    Ok(ServiceCommand { program, arguments, variables })
}

fn is_secret(name: &str, value: &str) -> bool {
    name == SERVE_TOKEN_VARIABLE || name.ends_with("HEADERS") || value.contains('@')
}

fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Whether foveal answers, soon.
fn answers(address: &str) -> bool {
    let begin = Instant::now();
    while Listener::at(address) != Listener::Foveal {
        if begin.elapsed() > START_TIME {
            return false;
        }
        std::thread::sleep(LOOK_UP_TIME);
    }
    true
}
