//! Tests of `foveal-tools`.

#![allow(clippy::unwrap_used)] // Helpers of tests are not told from other functions.

mod confined;
mod course;
mod duplicates;
mod escape;
mod fetches;
mod held;
mod malformed;
mod pages;
mod permission;
mod read_counts;
mod replay;
mod schemas;
mod threads;
mod world;
