//! Encoded conversations: they are read back as the same, and grow only at the end.

mod examples;
pub(crate) mod generated;
mod wish;
