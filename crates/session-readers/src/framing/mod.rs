//! Splits a stream of bytes into lines or JSON documents.

pub(crate) mod document_reader;
pub(crate) mod line_reader;
