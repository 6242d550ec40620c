//! Reading ranges of lines from files of any size in bounded memory.

mod file_line;
mod line_collector;
mod line_index;
mod line_reader;

pub use self::file_line::{LineBatch, LineLimits, RangeLine};
pub use self::line_reader::LineRangeReader;
