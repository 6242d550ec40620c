//! A guard process between foveal and a command.
//!
//! The guard is foveal's own program, called with [`GUARD_ARGUMENT`]; [`run_guard`] is its main
//! function. It runs in the namespaces that bubblewrap makes, as the first process there: it
//! confines itself by Landlock, starts the command, and reports how that ended. What the command
//! started cannot signal it, remains in its process namespace whatever session it enters, and ends
//! with it. The guard ends with foveal.
//!
//! Without bubblewrap the guard confines itself and becomes the command. Then only the command
//! itself ends with foveal, and foveal ends only its process group.

mod guard_process;
mod guard_program;
mod guard_report;
mod guarded_process;
mod launch_order;

pub use self::guard_process::run_guard;
pub(crate) use self::guard_program::GuardTarget;
pub use self::guard_program::{GUARD_ARGUMENT, GuardProgram};
pub(crate) use self::guard_report::GuardReport;
pub(crate) use self::guarded_process::{GuardedProcess, GuardedStart};
