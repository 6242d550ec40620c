//! tree-sitter with a runtime that counts its work.
//!
//! The runtime as it comes reports its progress each hundred operations, and one operation may take
//! seconds: a file of 30 kB, `a =>` in each line and named `.java`, takes minutes and all memory
//! in 1,259 reports. The copy that the build script makes reports by all that it does, so that a
//! bound on the number of reports bounds time and memory of a parse, and stops it at the same place
//! on every machine. Where no copy can be made, the build warns, and the original is linked.

pub use tree_sitter::*;
