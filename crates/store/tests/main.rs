//! Tests of `foveal-store`.

mod conformance;
mod crash;
mod file;
mod grants;
mod messages;
mod migration;
mod own_edits;
mod passing;
mod turns;
