//! A process that confines itself, with mounts of its own: what Landlock cannot take out of a
//! folder, it cannot write as it is mounted read-only there.
//!
//! A process in a Landlock sandbox cannot mount, and one that has several threads cannot enter a
//! user name space. So neither can a thread of foveal do it nor the guard that it starts in a
//! bounds. Another process of foveal's program is started first. It makes the mounts, goes into
//! the sandbox, and becomes the guard: with the program that it becomes, it loses the rights that
//! it had in its name space. Nothing that it starts can undo the mounts, which Landlock refuses too.

mod make;
mod order;
mod table;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;

pub(crate) use self::order::{NoMounts, Order};
use self::order::{Report, Variables};
use super::bounds::Bounds;
use super::places::Place;
use crate::{CommandError, Confinement};

/// How long a process may take to confine itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often is looked whether it has.
const TICK: Duration = Duration::from_micros(100);

/// How a process was started that was to confine itself.
pub(super) enum Attempt {
    /// It is confined.
    Started(Child, Confinement),
    /// It cannot have mounts of its own. Nothing runs.
    NoMounts(NoMounts),
}

/// Starts what `make` makes of an order, in `bounds`, where `own` may be written too.
///
/// # Errors
/// [`CommandError::Unconfined`] if it is not confined.
pub(super) fn start(
    bounds: &Bounds,
    own: &Place,
    make: &dyn Fn(Option<&Order>) -> std::io::Result<Command>,
) -> Result<Attempt, CommandError> {
    let mut order = Order::new()?;
    let mut command = make(Some(&order))?;
    let variables = taken_variables(&mut command);
    order.write(bounds, own, &variables)?;
    let mut child = command.spawn()?;
    // With our own ends of its streams, they could not end.
    drop(command);
    let report = wait_for_report(&order, &mut child);
    let why = match report {
        Ok(Report::Held(confinement)) => return Ok(Attempt::Started(child, confinement)),
        Ok(Report::NoMounts(why)) => {
            child.wait()?;
            return Ok(Attempt::NoMounts(why));
        }
        Ok(Report::Unconfined(why)) => why,
        Err(error) => error.to_string(),
    };
    // It does nothing but confine itself before it is told what to start.
    drop(child.kill());
    drop(child.wait());
    Err(CommandError::Unconfined(why))
}

/// Takes its variables from a command. As long as it is in no sandbox, they could have it load what
/// a command left in a folder (`LD_LIBRARY_PATH`).
fn taken_variables(command: &mut Command) -> Variables {
    let set = |(name, value): (&OsStr, Option<&OsStr>)| Some((name.to_owned(), value?.to_owned()));
    let variables = command.get_envs().filter_map(set).collect();
    command.env_clear();
    variables
}

fn wait_for_report(order: &Order, child: &mut Child) -> std::io::Result<Report> {
    let begun = Instant::now();
    loop {
        // It may tell something and end between the two.
        let has_ended = child.try_wait()?.is_some();
        if let Some(report) = order.report()? {
            return Ok(report);
        }
        if has_ended {
            let why = "the process that was to make them ended before it had";
            return Ok(Report::NoMounts(NoMounts { why: why.to_owned(), lasts: false }));
        }
        if begun.elapsed() > PATIENCE {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        thread::sleep(TICK);
    }
}

impl Order {
    /// What the process is given as arguments before those of what it becomes.
    pub(crate) fn arguments(&self) -> [OsString; 3] {
        let me = rustix::process::getpid().as_raw_nonzero();
        [ARGUMENT.into(), me.to_string().into(), self.number().to_string().into()]
    }
}

/// What says that a process is to confine itself before all else.
pub(crate) const ARGUMENT: &str = "confined";

/// Confines this process as `process` ordered in what it has open as `number`, and has it become
/// its own program once more, with `arguments`. Returns only if it cannot.
pub(crate) fn enter(process: &str, number: &str, arguments: &[OsString]) -> ExitCode {
    let parent = process.parse().ok().and_then(Pid::from_raw);
    let parent = parent.filter(|parent| rustix::process::getppid() == Some(*parent));
    let (Some(parent), Ok(number)) = (parent, number.parse()) else { return ExitCode::FAILURE };
    let Ok(order) = Order::open(parent, number) else { return ExitCode::FAILURE };
    let (report, variables) = match order.read(parent) {
        Ok((bounds, variables)) => (confine(&bounds), variables),
        Err(error) => {
            let why = format!("reading the sandbox: {error}");
            (Report::NoMounts(NoMounts { why, lasts: false }), Vec::new())
        }
    };
    let is_held = matches!(report, Report::Held(_));
    if order.tell(&report).is_err() || !is_held {
        return ExitCode::FAILURE;
    }
    // Who waits sees it end.
    drop(Command::new("/proc/self/exe").args(arguments).env_clear().envs(variables).exec());
    ExitCode::FAILURE
}

fn confine(bounds: &Bounds) -> Report {
    let made = bounds
        .writable()
        .map_err(|error| make::failed(("finding what may be written", error)))
        .and_then(|writable| make::make(&writable, &bounds.parts));
    if let Err(why) = made {
        return Report::NoMounts(why);
    }
    match bounds.restrict_with_mounts() {
        Ok(confinement) => Report::Held(confinement),
        Err(CommandError::Unconfined(why)) => Report::Unconfined(why),
        Err(error) => Report::Unconfined(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ends_without_a_report_ran_nothing() {
        let order = Order::new().expect("a file");
        let mut child = Command::new("true").spawn().expect("it starts");
        let report = wait_for_report(&order, &mut child).expect("it ends");
        let Report::NoMounts(NoMounts { lasts, .. }) = report else { panic!("{report:?}") };
        assert!(!lasts, "the next one may have mounts");
    }

    #[test]
    fn nothing_is_started_outside_of_the_sandbox_with_variables_of_a_command() {
        let mut command = Command::new("env");
        command.env_clear().env("LD_LIBRARY_PATH", "lib").env("A", "");
        let pairs = [("A", ""), ("LD_LIBRARY_PATH", "lib")];
        let pairs: Variables = pairs.map(|(name, value)| (name.into(), value.into())).into();
        assert_eq!(taken_variables(&mut command), pairs);
        assert_eq!(command.get_envs().count(), 0);
        assert!(command.output().expect("it starts").stdout.is_empty());
    }
}
