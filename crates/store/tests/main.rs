//! Tests of `foveal-store`.

mod conformance;
mod crash;
mod file;
mod migration;
mod own_edits;
mod passing;
mod turns;
