//! foveal's own agent at work: what `foveal run` and `foveal chat` share.

mod approval;
mod asking;
mod base_files;
mod calling;
mod change;
mod drive;
mod earlier;
mod in_use;
mod indexing;
mod means;
mod open;
mod opening;
mod options;
mod signals;
mod sub_agents;

pub(crate) use self::approval::{Asked, Person, at_terminal, spelled, subject};
pub(crate) use self::drive::{Control, drive};
pub(crate) use self::earlier::Earlier;
pub(crate) use self::open::{Opened, Wanted, open, runtime};
pub(crate) use self::opening::Company;
pub(crate) use self::options::{Options, amount};
pub(crate) use self::signals::listen;
