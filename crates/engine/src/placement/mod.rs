//! Placement: the position of content in a prompt, chosen so that the provider's cache holds.
//!
//! Project knowledge and pinned files stand in the system prompt ([`base_files`]); [`breakpoints`]
//! has the rules of providers for cache breakpoints.

pub mod base_files;
pub mod breakpoints;
