//! The index as its users see it, on small folders written for each test.

mod damage;
mod embedding;
mod files;
mod interruption;
mod locked_index;
mod model_summaries;
mod rebuild;
mod search;
mod secrets;
mod watching;
mod world;
