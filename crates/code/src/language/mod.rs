//! The languages that are parsed, one a file.

mod bash;
mod c;
mod c_sharp;
mod css;
mod go;
mod grammar;
mod html;
mod java;
mod javascript;
mod json;
mod kotlin;
mod markdown;
mod php;
mod python;
mod ruby;
mod rust;
mod sql;
mod swift;
mod table;
mod toml;
mod yaml;
mod zig;

pub use table::Language;
