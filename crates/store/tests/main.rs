//! Tests of `foveal-store`.

mod conformance;
mod crash;
mod decisions;
mod file;
mod grants;
mod memory_contents;
mod messages;
mod migration;
mod own_edits;
