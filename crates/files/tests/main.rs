//! Tests of `foveal-files`.
#![allow(clippy::unwrap_used)] // Helpers of tests are not told from other functions.

mod begun;
mod edit;
mod escape;
mod killed;
mod kinds;
mod range;
mod replace;
mod roots;
mod tree;
