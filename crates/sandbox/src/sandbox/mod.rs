//! Confines the files that a command may write, by the kernel (Landlock, Linux 5.13 and later), to
//! the given folders and a table of devices. By default a command can read everywhere and use the
//! network. Modes, owners and times of files are not confined, nor are services that a command asks
//! over a socket.
//!
//! A new thread restricts itself and starts the process, which inherits the restriction with all
//! its descendants; the rest of the program is not affected. The processes cannot signal or trace
//! others, set their limits (`resource_limit_filter`), or read their memory and variables. For the
//! same reason the guard runs its program in a nested sandbox (`signal_scope`). The kernel requires
//! `no_new_privs`: programs such as `sudo` gain no rights.
//!
//! Landlock cannot except a part of a folder that it grants. Forbidden parts are mounted read-only
//! (`mount_namespace`), or, if that is impossible, only their siblings are granted
//! (`landlock_fallback`).

mod capabilities;
mod confinement_level;
mod landlock_fallback;
mod landlock_rules;
mod mount_namespace;
mod network_filter;
mod path_handle;
mod resource_limit_filter;
mod restricted_thread;
mod sandboxed_process;
mod scratch_folder;
mod signal_scope;
mod write_rules;

pub use self::confinement_level::{Confinement, SandboxStatus, WriteProtection};
pub(crate) use self::mount_namespace::{
    CONFINED_ARGUMENT as CONFINED, ConfinementOrder, run_confined_process,
};
pub use self::sandboxed_process::Sandbox;
pub(crate) use self::sandboxed_process::scratch_folder;
pub(crate) use self::signal_scope::enter_signal_scope;
pub use self::write_rules::WriteRule;
