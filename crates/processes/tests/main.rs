//! Tests of `foveal-processes`.

mod command;
mod guard;
mod malformed;
mod output;
mod pty;
mod sandbox;
