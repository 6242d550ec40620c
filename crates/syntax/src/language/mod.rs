//! The supported languages, one per file.

mod bash;
mod c;
mod c_sharp;
mod css;
mod golang;
mod html;
mod java;
mod javascript;
mod json;
mod kotlin;
mod language_specs;
mod language_table;
mod markdown;
mod php;
mod python;
mod ruby;
mod rust;
mod sql;
mod swift;
mod toml;
mod yaml;
mod zig;

pub use language_table::Language;
