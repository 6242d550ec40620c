//! The plots, one per file.

pub(crate) mod composition;
pub(crate) mod context;
pub(crate) mod cost;
pub(crate) mod frontier;
