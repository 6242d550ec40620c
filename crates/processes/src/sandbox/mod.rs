//! What a command may write, held by the kernel (Landlock, Linux 5.13 and later): files below
//! the given folders and a table of devices. It reads everywhere and uses the network, unless that
//! is taken from it too. Modes, owners and times of
//! files are not held, nor is what a service does that it asks over a socket.
//!
//! A fresh thread restricts itself and starts the process, which inherits the restriction with
//! everything it starts; the rest of the program stays as it was. Nor can they signal or trace
//! other processes, set their limits (`limits`), or read their memory and variables; the guard in there has the program that it
//! starts in one more sandbox, for the same reason (`apart`). The kernel asks for
//! `no_new_privs` with it: programs like `sudo` gain no rights in there.
//!
//! Landlock takes no part out of a folder that it gives. Parts that may not be written are mounted
//! read-only (`own_mounts`), or, where that cannot be, only what lies beside them is given
//! (`beside`).

mod apart;
mod beside;
mod bounds;
mod capabilities;
mod confine;
mod confinement;
mod limits;
mod network;
mod own_folder;
mod own_mounts;
mod parts;
mod places;
mod starter;

pub(crate) use self::apart::stand_apart;
pub use self::confine::Sandbox;
pub(crate) use self::confine::own_folder;
pub use self::confinement::{Confinement, Holding, Protection};
pub(crate) use self::own_mounts::{ARGUMENT as CONFINED, Order, enter};
pub use self::parts::Writing;
