//! tree-sitter with a runtime that counts its work.
//!
//! The original runtime reports its progress every hundred operations, and one operation may take
//! seconds: a file of 30 kB with `a =>` in each line, named `.java`, takes minutes and all memory
//! in 1,259 reports. The copy that the build script makes reports in proportion to the actual work,
//! so that a bound on the number of reports bounds time and memory of a parse, and stops it at the
//! same place on every machine. If the build cannot make the copy, it warns and links the original.

pub use tree_sitter::*;
