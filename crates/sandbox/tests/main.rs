//! Tests of `foveal-sandbox`.

#[cfg(target_os = "linux")]
mod absent;
mod command;
#[cfg(target_os = "linux")]
mod forbidden;
mod guard;
mod malformed;
mod output;
mod pty;
mod sandbox;
