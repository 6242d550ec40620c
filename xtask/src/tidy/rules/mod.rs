//! The rules. One rule is one file.

mod architecture;
mod circles;
mod dependency_count;
mod file_length;
mod history;
mod layers;
mod licences;
mod names;
#[cfg(test)]
mod printed;
mod pure_dependencies;
mod purity;
mod seeds;
mod sources;
mod string_errors;
mod table;
mod terminal;

pub(crate) use table::{RULES, check};
