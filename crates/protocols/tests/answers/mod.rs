//! Readers of answers: generated streams and documents of all four APIs in any pieces, truncated
//! ones, errors in mid-stream, and arbitrary bytes.

mod any;
mod examples;
mod generated;
mod said;
