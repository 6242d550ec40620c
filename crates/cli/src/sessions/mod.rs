//! Recorded sessions on this machine: where they are and how they are opened.

pub(crate) mod find;
pub(crate) mod load;
mod opencode;
pub(crate) mod own;
