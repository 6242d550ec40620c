//! Shaping: the decision on one tool result when it arrives. One rule a file.

pub mod arrival;
pub mod draft;
pub mod edits;
pub mod encoded;
pub mod excerpt;
pub(crate) mod fit;
pub mod fold;
pub mod gutter;
pub mod heading;
pub mod hits;
pub mod json;
pub mod long_line;
pub mod noise;
pub mod outline;
pub mod reduce;
pub mod shown;
pub mod table;
pub mod telling;
pub mod view;

#[cfg(test)]
#[path = "../../../../docs/examples/rule.rs"]
mod example;
