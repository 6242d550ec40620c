//! Tests of `foveal-processes`.

mod command;
mod malformed;
mod output;
mod pty;
mod sandbox;
