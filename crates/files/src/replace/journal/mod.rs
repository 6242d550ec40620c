//! What is being written, noted where it outlives a kill.
//!
//! Every process that writes has a file of its own in one folder, a record, which it holds locked
//! as long as it lives. A record says of each write which files it is about, what they hold
//! before and after, and how the new files beside them are called. Whoever can lock the record of
//! another process knows that this is dead, and that all it left undone is theirs to mend.

mod cut_off;
mod entry;
mod kept;
mod line;
mod names;
mod record;
mod recover;
mod undo;

pub use self::cut_off::{Recovered, RecoveredHow};
pub(super) use self::entry::Entry;
pub(super) use self::line::Planned;
pub(super) use self::names::Names;
pub use self::record::Journal;
