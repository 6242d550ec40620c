//! The model gets back what was left out, by a tool that the gateway put in and answers itself.

mod chat;
mod client;
mod late;
mod messages;
mod world;
