//! A guard process between foveal and a command, which keeps track of everything that the command
//! starts.
//!
//! A process that leaves its group and its session (`setsid`, a double fork) cannot be found once
//! its parent has ended, since the system reparents it to the init process. A guard is a subreaper,
//! so that such processes remain its descendants. It also waits for foveal's end, `kill -9`
//! included, and then ends what is left. If the system lets foveal create control groups, guard and
//! command run in one of their own, so that foveal finds the processes of a killed guard too.
//!
//! The guard is foveal's own program, called with [`GUARD_ARGUMENT`]; [`run_guard`] is its main
//! function.

mod control_group;
mod guard_handle;
mod guard_process;
mod guard_program;
mod launch_file;

pub use self::control_group::has_control_groups;
pub(crate) use self::guard_handle::{GuardHandle, reap_detached_guards};
pub use self::guard_process::run_guard;
pub(crate) use self::guard_program::GuardTarget;
pub use self::guard_program::{GUARD_ARGUMENT, GuardProgram};
