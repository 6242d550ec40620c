//! What speaks for keeping a unit, one signal a file.

mod alike;
mod column;
mod graph;
mod identifiers;
mod kind;
mod likeness;
mod meaning;
mod names;
mod place;
mod table;
mod told;
mod wording;
pub(super) mod words;

pub(crate) use column::Signal;
pub(crate) use table::{SIGNALS, columns, told_column};
