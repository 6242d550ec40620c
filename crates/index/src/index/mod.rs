//! The index of one folder: opened, brought up to date, searched.

mod open;
mod said;
mod search;
mod update;

pub use open::{Chosen, Index};
