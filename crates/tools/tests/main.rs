//! Tests of `foveal-tools`.

#![allow(clippy::unwrap_used)] // Helpers of tests are not told from other functions.

mod confined;
mod course;
mod escape;
mod held;
mod malformed;
mod pages;
mod permission;
mod replay;
mod schemas;
mod threads;
mod undo;
mod unseen;
mod world;
