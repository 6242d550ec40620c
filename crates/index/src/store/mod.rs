//! The file on disk: one SQLite database.
//!
//! A file of the repository is one row with what its neighbours do not concern, so that a
//! change of it is one row written, and two indexes of the same files are equal. A row's
//! number is never given again: who has loaded it need not look whether it has changed.

mod change;
mod database;
mod look;
mod models;
mod rows;
mod said;
mod schema;
mod settings;
mod waiting;

pub use look::{Looked, definitions, look};
pub use rows::Size;
pub use waiting::Wait;

pub(crate) use change::Change;
pub(crate) use database::Store;
pub(crate) use rows::{
    Analysed, Content, FileVectors, Known, Loaded, Model, ModelNumber, Row, RowId, VectorsId,
};
pub(crate) use settings::Setting;
