//! The plots, one a file.

pub(crate) mod context;
pub(crate) mod cost;
pub(crate) mod fill;
pub(crate) mod frontier;
