//! Tests of `foveal-workspace`.
#![allow(clippy::unwrap_used)] // Clippy does not recognize helpers of tests.

mod begun;
mod edit;
mod escape;
mod killed;
mod kinds;
mod range;
mod replace;
mod roots;
mod tree;
