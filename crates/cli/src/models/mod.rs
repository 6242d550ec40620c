//! Which models can be asked from here, and which one is meant.

mod choice;
mod known;

pub(crate) use choice::{Chosen, NO_MODEL, choose, named};
pub(crate) use known::{FoundBy, Known, all};
