//! The upstream: what it bills, what it notices, how it fails.

mod caching;
mod client;
mod faults;
mod protocols;
mod rules;
