//! Shaping: the decision on one tool result when it first arrives. Each rule has its own file.

pub(crate) mod budget_fitting;
pub mod draft;
pub mod encoded_data;
pub mod excerpt;
pub mod file_heading;
pub mod gutter;
pub mod hits;
pub mod json;
pub mod line_severity;
pub mod long_line;
pub mod outline;
pub mod pipeline;
pub mod pointers;
mod quotable_text;
pub mod reduction;
pub mod repeated_lines;
pub mod table;
pub mod terminal_noise;
pub mod view;

#[cfg(test)]
#[path = "../../../../docs/examples/rule.rs"]
mod example;
