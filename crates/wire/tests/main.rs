//! Readers over hand-written samples, recorded sessions and arbitrary bytes.

mod recorded;
mod samples;
mod twins;
