//! Tests of `foveal-tools`.

#![allow(clippy::unwrap_used)] // Helpers of tests are not told from other functions.

mod confined;
mod corpora;
mod course;
mod curated_once;
mod delivered;
mod duplicate_calls;
mod duplicates;
mod escape;
mod fetches;
mod fits;
mod forbidden;
mod fuzzed;
mod held;
mod index_held;
mod malformed;
mod own_edits;
mod pages;
mod permission;
mod places;
mod read_counts;
mod readable;
mod reads;
mod related;
mod replay;
mod rows;
mod running;
mod schemas;
mod shaper;
mod threads;
mod undo;
mod unseen;
mod world;
