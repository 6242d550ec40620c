//! Tests of the measures on written conversations, and of the engine's laws on recorded ones.

mod baselines;
mod cost;
mod measures;
mod never_dearer;
mod raw;
mod recorded;
