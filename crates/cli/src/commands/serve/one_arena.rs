//! One arena of memory for all threads.
//!
//! The allocator of glibc gives each thread an arena of its own, and what is freed in one is of no
//! use to another. A gateway holds conversations for long, on whichever thread decided about them,
//! so that between what is held in ten arenas half as much again lies idle. How many there may be
//! is read from the environment when a program begins, and cannot be said later without unsafe
//! code: so the program begins once more, as the same process. Only a gateway does: it has no
//! children that would inherit the variable, and no work that many threads allocate for at once.

use crate::environment::Environment;

/// Begins once more with one arena, unless it is said already how many there are. Where that
/// cannot be done, or another allocator is used, nothing happens.
pub(super) fn begin_again(environment: &Environment) {
    if !environment.has_arenas {
        imp::begin_again();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod imp {
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::Command;

    use crate::environment::ARENAS_VARIABLE;

    pub(super) fn begin_again() {
        let mut arguments = std::env::args_os();
        let (Some(name), Ok(program)) = (arguments.next(), std::env::current_exe()) else { return };
        // What runs may be a loader that was given this program, or a file that was replaced.
        if program.file_name() != Path::new(&name).file_name() {
            return;
        }
        // It comes back only where that failed: then there are several.
        let _failed =
            Command::new(program).arg0(name).args(arguments).env(ARENAS_VARIABLE, "1").exec();
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod imp {
    pub(super) fn begin_again() {}
}
