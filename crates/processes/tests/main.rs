//! Tests of `foveal-processes`.

#[cfg(target_os = "linux")]
mod absent;
mod command;
mod guard;
mod malformed;
mod output;
mod pty;
mod sandbox;
