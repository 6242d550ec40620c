//! One reader's session: what it showed, what it knows of files, what it may do.

mod duplicates;
mod each_alone;
mod journal;
mod kept;
mod known_file;
mod known_files;
mod own_edits;
mod pointed;
mod readers;
mod reads;
mod recall;
mod recorded;
mod seen;
mod shaper;
mod shown;
mod state;
mod undo_buffer;
mod unshown;
mod work;
mod workspace;

pub use self::duplicates::Duplicates;
pub(crate) use self::duplicates::shortened;
pub(crate) use self::journal::Event;
pub use self::kept::{KeptCall, kept_call, kept_conversation};
pub(crate) use self::known_file::{KnownFile, written_lines};
pub use self::own_edits::{OwnChange, note_edit};
pub use self::readers::{asker, note_reader};
pub use self::reads::ReadCounts;
pub use self::recorded::{Calls, Recorded};
pub(crate) use self::seen::LinePart;
pub use self::seen::Seen;
pub use self::shaper::{EarlierCall, LineCounts, ShapedAnswer, Shaper, ShownCall, Unshaped};
pub use self::shown::Shown;
pub use self::state::Session;
pub(crate) use self::work::Approvals;
pub(crate) use self::work::Work;
