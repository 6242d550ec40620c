//! The client against a model provider on loopback.

mod discovery;
mod embedding;
mod faults;
mod requests;
mod world;
