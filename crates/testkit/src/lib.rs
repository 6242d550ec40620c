//! Dev-only: conversations as readable text and generators for property tests.

pub mod render;
