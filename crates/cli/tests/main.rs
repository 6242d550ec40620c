//! The program as a user runs it, on small sessions written for each test.

mod bad_input;
mod bench;
mod embedder;
mod index;
#[cfg(unix)]
mod index_watch;
#[cfg(unix)]
mod interrupt;
mod opencode;
mod prompt_log;
mod replay;
mod single;
mod structure;
mod world;
