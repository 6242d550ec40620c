//! A stream of bytes as lines or as JSON documents, one at a time.

pub(crate) mod documents;
pub(crate) mod lines;
