//! The rules. One rule is one file.

mod architecture;
mod circles;
mod comment_openings;
mod dependency_count;
mod design_documents;
mod file_length;
mod history;
mod layers;
mod names;
#[cfg(test)]
mod printed;
mod pure_dependencies;
mod purity;
mod shared_type_names;
mod string_errors;
mod table;
mod terminal;
mod tuple_parameters;
mod vague_names;

pub(crate) use table::{RULES, check};
