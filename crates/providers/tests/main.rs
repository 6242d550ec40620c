//! The client against a model provider on loopback.

mod asked;
mod embedding;
mod faults;
mod found;
mod world;
