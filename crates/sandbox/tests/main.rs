//! Tests of `foveal-sandbox`.

mod command;
mod guard;
mod malformed;
#[cfg(target_os = "linux")]
mod missing_features;
mod output;
#[cfg(target_os = "linux")]
mod protected_paths;
mod pty;
mod sandbox;
