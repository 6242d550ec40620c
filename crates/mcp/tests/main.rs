//! Clients connected to a server in the same process.
#![allow(clippy::unwrap_used)] // Helpers of tests are not told from other functions.

mod calls;
mod corpora;
mod course;
mod delivered;
mod doors;
mod duplicates;
mod fuzzed;
mod http;
mod http_doors;
mod malformed;
mod sessions;
mod world;
