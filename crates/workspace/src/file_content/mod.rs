//! File contents by kind: text, images, notebooks, and binary files, which are described but not
//! shown.

mod content_reader;
mod image;
mod magic_bytes;
mod notebook;

pub use self::content_reader::{FileContent, FileSnapshot, ReadLimits, read_file};
pub use self::image::{Image, ImageFormat};
pub use self::magic_bytes::BinaryFile;
pub use self::notebook::{CellKind, Notebook, NotebookCell};
