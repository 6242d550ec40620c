//! A process between foveal and a command, so that nothing the command starts gets away.
//!
//! A process that leaves its group and its session (`setsid`, a double fork) can be found no
//! more once its parent has ended: the system makes it a child of the first process. A guard is
//! a subreaper, so that it stays a descendant of the guard, however it was started. The guard
//! waits for foveal's end too, and ends what is left then, also after `kill -9`. Where the system
//! lets foveal have control groups, guard and command are in one of their own, so that foveal finds
//! what is left of a guard that was killed, too.
//!
//! The guard is foveal's own program, called with [`ARGUMENT`]; [`stand`] is its main function.

mod control_group;
mod main;
mod orders;
mod program;
mod watched;

pub use self::control_group::has_control_groups;
pub use self::main::stand;
pub(crate) use self::program::Kind;
pub use self::program::{ARGUMENT, Guard};
pub(crate) use self::watched::{Watched, reap};
