//! Upstreams whose bytes a test scripts, and clients.

mod peer;
mod scripted;
mod world;

pub(crate) use peer::Client;
pub(crate) use scripted::{Act, Scripted, request_line};
pub(crate) use world::{World, world};
