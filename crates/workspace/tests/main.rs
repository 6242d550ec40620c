//! Tests of `foveal-workspace`.
#![allow(clippy::unwrap_used)] // Clippy does not recognize helpers of tests.

mod child_process;
mod crash_recovery;
mod edit;
mod escape;
mod file_kinds;
mod range;
mod replace;
mod roots;
mod tree;
