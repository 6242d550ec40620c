//! Tests of `foveal-store`.

mod conformance;
mod crash;
mod place;
mod secrets;
