//! What a model says, read while it streams: generated answers in any pieces, and what servers do.

mod bounds;
mod examples;
mod generated;
