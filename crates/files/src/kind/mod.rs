//! What a file holds: text, an image, a notebook, or bytes that are described and not shown.

mod image;
mod magic;
mod notebook;
mod read;

pub use self::image::{Image, ImageFormat};
pub use self::magic::Binary;
pub use self::notebook::{Cell, CellKind, Notebook};
pub use self::read::{Content, FileRead, ReadLimits, read};
