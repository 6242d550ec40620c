//! Encoded conversations: they are read back as the same, and grow only at the end.

mod answer_options;
pub(crate) mod entries;
mod examples;
pub(crate) mod generated;
