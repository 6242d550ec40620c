//! Fetches pages from small local servers, and refuses addresses that must not be fetched.

// Also what serves all tests may fail a test.
#![allow(clippy::unwrap_used)]

mod addresses;
#[cfg(unix)]
mod conversion;
mod corpora;
mod freshness;
mod fuzzed;
mod limits;
mod pages;
mod proxies;
mod redirects;
mod server;
mod tls;
