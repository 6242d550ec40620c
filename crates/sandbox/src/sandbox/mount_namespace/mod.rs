//! A process that confines itself in a mount namespace: what Landlock cannot except from a folder
//! is mounted read-only there.
//!
//! A process in a Landlock sandbox cannot mount, and a multi-threaded process cannot enter a user
//! namespace. So neither a thread of foveal nor a guard started in a sandbox can do it. Instead
//! another process of foveal's program is started first. It sets up the mounts, enters the sandbox,
//! and executes the guard; by that it loses the capabilities that it had in its namespace. Its
//! descendants cannot undo the mounts, which Landlock refuses too.

mod confinement_order;
mod mount_setup;
mod mount_table;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;

pub(crate) use self::confinement_order::{ConfinementOrder, MountFailure};
use self::confinement_order::{ConfinementReport, EnvironmentVariables};
use super::landlock_rules::SandboxRules;
use super::path_handle::PathHandle;
use crate::{CommandError, Confinement};

/// How long a process may take to confine itself.
const REPORT_TIMEOUT: Duration = Duration::from_secs(20);

/// How often to check for its report.
const REPORT_CHECK_INTERVAL: Duration = Duration::from_micros(100);

/// The result of starting a process that confines itself.
pub(super) enum MountAttempt {
    /// It is confined.
    Started(Child, Confinement),
    /// It cannot have a mount namespace. Nothing runs.
    MountsFailed(MountFailure),
}

/// Starts the command that `make` builds for an order, in `bounds`, where `own` may be written too.
///
/// # Errors
/// [`CommandError::Unconfined`] if it is not confined.
pub(super) fn spawn_with_mounts(
    bounds: &SandboxRules,
    own: &PathHandle,
    make: &dyn Fn(Option<&ConfinementOrder>) -> std::io::Result<Command>,
) -> Result<MountAttempt, CommandError> {
    let mut order = ConfinementOrder::new()?;
    let mut command = make(Some(&order))?;
    let variables = take_variables(&mut command);
    order.write(bounds, own, &variables)?;
    let mut child = command.spawn()?;
    // The streams could not end while our own ends of them are open.
    drop(command);
    let report = wait_for_report(&order, &mut child);
    let why = match report {
        Ok(ConfinementReport::Confined(confinement)) => {
            return Ok(MountAttempt::Started(child, confinement));
        }
        Ok(ConfinementReport::MountsFailed(why)) => {
            child.wait()?;
            return Ok(MountAttempt::MountsFailed(why));
        }
        Ok(ConfinementReport::Unconfined(why)) => why,
        Err(error) => error.to_string(),
    };
    // Before it is released, it has done nothing but confine itself.
    drop(child.kill());
    drop(child.wait());
    Err(CommandError::Unconfined(why))
}

/// Removes the variables from a command and returns them. Before the process is confined, they
/// could make it load a library that a command left in a folder (`LD_LIBRARY_PATH`).
fn take_variables(command: &mut Command) -> EnvironmentVariables {
    let set = |(name, value): (&OsStr, Option<&OsStr>)| Some((name.to_owned(), value?.to_owned()));
    let variables = command.get_envs().filter_map(set).collect();
    command.env_clear();
    variables
}

fn wait_for_report(
    order: &ConfinementOrder,
    child: &mut Child,
) -> std::io::Result<ConfinementReport> {
    let begun = Instant::now();
    loop {
        // It may report and exit between the two checks.
        let has_ended = child.try_wait()?.is_some();
        if let Some(report) = order.read_report()? {
            return Ok(report);
        }
        if has_ended {
            let why = "the process that was to make them ended before it had";
            return Ok(ConfinementReport::MountsFailed(MountFailure {
                why: why.to_owned(),
                is_permanent: false,
            }));
        }
        if begun.elapsed() > REPORT_TIMEOUT {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        thread::sleep(REPORT_CHECK_INTERVAL);
    }
}

impl ConfinementOrder {
    /// Returns the arguments that precede those of the program that the process becomes.
    pub(crate) fn arguments(&self) -> [OsString; 3] {
        let me = rustix::process::getpid().as_raw_nonzero();
        [CONFINED_ARGUMENT.into(), me.to_string().into(), self.descriptor().to_string().into()]
    }
}

/// The argument that tells a process to confine itself first.
pub(crate) const CONFINED_ARGUMENT: &str = "confined";

/// Confines this process as the order that `process` has open as `number` says, and executes its
/// own program again with `arguments`. Returns only on failure.
pub(crate) fn run_confined_process(
    process: &str,
    number: &str,
    arguments: &[OsString],
) -> ExitCode {
    let parent = process.parse().ok().and_then(Pid::from_raw);
    let parent = parent.filter(|parent| rustix::process::getppid() == Some(*parent));
    let (Some(parent), Ok(number)) = (parent, number.parse()) else { return ExitCode::FAILURE };
    let Ok(order) = ConfinementOrder::open(parent, number) else { return ExitCode::FAILURE };
    let (report, variables) = match order.read_rules(parent) {
        Ok((bounds, variables)) => (confine_process(&bounds), variables),
        Err(error) => {
            let why = format!("reading the sandbox: {error}");
            (ConfinementReport::MountsFailed(MountFailure { why, is_permanent: false }), Vec::new())
        }
    };
    let is_held = matches!(report, ConfinementReport::Confined(_));
    if order.write_report(&report).is_err() || !is_held {
        return ExitCode::FAILURE;
    }
    // The parent sees that the process has ended.
    drop(Command::new("/proc/self/exe").args(arguments).env_clear().envs(variables).exec());
    ExitCode::FAILURE
}

fn confine_process(bounds: &SandboxRules) -> ConfinementReport {
    let made = bounds
        .writable_paths()
        .map_err(|error| mount_setup::mount_failure(("finding what may be written", error)))
        .and_then(|writable| mount_setup::set_up_mounts(&writable, &bounds.write_rules));
    if let Err(why) = made {
        return ConfinementReport::MountsFailed(why);
    }
    match bounds.restrict_with_mounts() {
        Ok(confinement) => ConfinementReport::Confined(confinement),
        Err(CommandError::Unconfined(why)) => ConfinementReport::Unconfined(why),
        Err(error) => ConfinementReport::Unconfined(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ends_without_a_report_ran_nothing() {
        let order = ConfinementOrder::new().expect("a file");
        let mut child = Command::new("true").spawn().expect("it starts");
        let report = wait_for_report(&order, &mut child).expect("it ends");
        let ConfinementReport::MountsFailed(MountFailure { is_permanent: lasts, .. }) = report
        else {
            panic!("{report:?}")
        };
        assert!(!lasts, "the next one may have mounts");
    }

    #[test]
    fn nothing_is_started_outside_of_the_sandbox_with_variables_of_a_command() {
        let mut command = Command::new("env");
        command.env_clear().env("LD_LIBRARY_PATH", "lib").env("A", "");
        let pairs = [("A", ""), ("LD_LIBRARY_PATH", "lib")];
        let pairs: EnvironmentVariables =
            pairs.map(|(name, value)| (name.into(), value.into())).into();
        assert_eq!(take_variables(&mut command), pairs);
        assert_eq!(command.get_envs().count(), 0);
        assert!(command.output().expect("it starts").stdout.is_empty());
    }
}
