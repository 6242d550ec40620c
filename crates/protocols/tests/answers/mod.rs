//! Readers of answers: generated streams and documents of all four APIs in any pieces, truncated
//! ones, errors in mid-stream, and arbitrary bytes.

mod answer_encoding;
mod arbitrary_bytes;
mod examples;
mod generated;
