//! The house rules and what they look at. Rules are functions of a [`tree::Tree`].

pub(crate) mod definition;
mod finding;
pub(crate) mod graph;
pub(crate) mod load;
pub(crate) mod modules;
pub(crate) mod rules;
pub(crate) mod source;
pub(crate) mod tree;
pub(crate) mod use_tree;
