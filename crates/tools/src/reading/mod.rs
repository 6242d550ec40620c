//! What files and folders hold, for a session that knows what it showed of them.

mod lines;
mod long;
mod part;
mod places;
mod read;

pub(crate) use self::lines::read_lines;
pub(crate) use self::part::AskedLines;
pub(crate) use self::places::{SearchPlace, means_all, places, searched};
pub(crate) use self::read::read;
