//! A command line as the simple commands it runs, for rules that allow or forbid commands.

mod evaluated;
mod input;
mod line;
mod loose;
mod options;
mod pieces;
mod scan;
mod starting_words;
mod starts;
#[cfg(test)]
mod tests;
mod told;

pub use line::{CommandLine, SimpleCommand};
