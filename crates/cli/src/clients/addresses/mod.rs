//! The addresses by which an agent finds its model, in its own settings: led to a gateway and back.

mod dot_env;
mod edit;
mod json;
mod places;
mod source;
mod toml;

pub(super) use self::edit::{add, asks_maker, remove};
pub(crate) use self::places::{AddressFile, Addresses};
pub(super) use self::source::sources;
pub(crate) use self::source::{AddressSource, SourcePlace};
