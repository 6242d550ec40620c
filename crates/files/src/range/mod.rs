//! Lines of files of any size, without the whole being held in memory.

mod collect;
mod index;
mod line;
mod reader;

pub use self::line::{Line, LineLimits, Lines};
pub use self::reader::LinesReader;
