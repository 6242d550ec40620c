//! Clients connected to a server in the same process.
#![allow(clippy::unwrap_used)] // Helpers of tests are not told from other functions.

mod call_series;
mod calls;
mod corpora;
mod delivery;
mod duplicates;
mod fuzzed;
mod http;
mod http_clients;
mod malformed;
mod sessions;
mod stream_clients;
mod world;
