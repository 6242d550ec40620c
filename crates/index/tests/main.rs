//! The index as its users see it, on small folders written for each test.

mod damage;
mod embedding;
mod files;
mod held;
mod interruption;
mod rebuild;
mod said;
mod search;
mod secrets;
mod watching;
mod world;
