//! The model gets back what was left out, by a tool that the gateway put in and answers itself.

mod apis;
mod broken;
mod chat;
mod client;
mod encoded;
mod late;
mod marks;
mod messages;
mod world;
