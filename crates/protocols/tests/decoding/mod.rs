//! Decoding of streamed answers: generated answers in any pieces, and the variants of servers.

mod bounds;
mod examples;
mod generated;
