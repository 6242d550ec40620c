//! The modules of a crate: which file each is in, what it defines, imports and names.

mod module;
mod read;
mod resolve;

pub(crate) use module::Modules;
pub(crate) use resolve::Target;
