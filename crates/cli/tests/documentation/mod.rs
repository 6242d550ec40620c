//! The pages of the documentation: their links lead somewhere, and their commands work.

mod browser;
mod command_lines;
#[cfg(target_os = "linux")]
mod commands;
mod links;
mod options;
mod outputs;
mod page;
mod pictures;
#[path = "../../examples/screen/svg.rs"]
mod svg;
