//! What a model says, read while it streams: generated answers in any pieces, and what servers do.

mod examples;
mod generated;
