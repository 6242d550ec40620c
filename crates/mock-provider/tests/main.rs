//! Tests of the mock provider: its bills, its evaluation of requests, its faults.

mod caching;
mod client;
mod faults;
mod protocols;
mod rules;
