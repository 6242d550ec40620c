//! Confines the files that a command may write, by the kernel (Landlock, Linux 5.13 and later), to
//! the given folders and a table of devices. By default a command can read everywhere and use the
//! network. Modes, owners and times of files are not confined, nor are services that a command asks
//! over a socket.
//!
//! The guard of a command restricts itself; without a guard, a new thread does and starts the
//! process, which inherits the restriction with all its descendants. The rest of the program is not
//! affected. The processes cannot signal or trace
//! others, or read their memory and variables. The kernel requires `no_new_privs`: programs such as
//! `sudo` gain no rights.
//!
//! A command with a guard has mounts and processes of its own besides, where `bubblewrap` can make
//! them: Landlock cannot except a part of a folder that it grants, while a forbidden part is mounted
//! read-only. If there are no such mounts, only the siblings of the part are granted
//! (`landlock_fallback`).

mod bubblewrap;
mod capabilities;
mod confinement_level;
mod landlock_fallback;
mod landlock_rules;
mod network_filter;
mod path_handle;
mod restricted_thread;
mod sandboxed_process;
mod scratch_folder;
mod write_rules;

pub(crate) use self::bubblewrap::Bubblewrap;
pub use self::bubblewrap::bubblewrap_failure;
pub use self::confinement_level::{Confinement, SandboxStatus, WriteProtection};
pub(crate) use self::landlock_rules::SandboxRules;
pub(crate) use self::path_handle::PathHandle;
pub use self::sandboxed_process::Sandbox;
pub(crate) use self::sandboxed_process::scratch_folder;
pub use self::write_rules::WriteRule;
