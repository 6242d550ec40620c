//! A single malloc arena for all threads.
//!
//! The allocator of glibc gives each thread an arena, and memory that is freed in one arena is not
//! reused by others. A gateway holds conversations for a long time, allocated by whichever thread
//! decided about them, so with ten arenas about a third of its heap lies idle. The number of arenas
//! is read from the environment when a program starts and cannot be set later without unsafe code.
//! The gateway therefore executes itself once more, as the same process. No other command does: the
//! gateway has no children that would inherit the variable, and no phase in which many threads
//! allocate at once.

use crate::environment::Environment;

/// Replaces the process by itself with a single arena, unless the environment already sets the
/// number of arenas. Does nothing with another allocator, or if the restart fails.
pub(super) fn restart_with_single_arena(environment: &Environment) {
    if !environment.has_arena_setting {
        imp::exec_with_single_arena();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod imp {
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::Command;

    use crate::environment::ARENAS_VARIABLE;

    pub(super) fn exec_with_single_arena() {
        let mut arguments = std::env::args_os();
        let (Some(name), Ok(program)) = (arguments.next(), std::env::current_exe()) else { return };
        // The running program may be a loader that got this program as its argument, or a file that
        // was replaced since.
        if program.file_name() != Path::new(&name).file_name() {
            return;
        }
        // `exec` returns only on failure; then the gateway runs with several arenas.
        let _failed =
            Command::new(program).arg0(name).args(arguments).env(ARENAS_VARIABLE, "1").exec();
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod imp {
    pub(super) fn exec_with_single_arena() {}
}
