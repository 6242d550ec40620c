//! The program as a user runs it, on small sessions written for each test.

mod bad_input;
mod opencode;
mod prompt_log;
mod replay;
mod single;
mod world;
