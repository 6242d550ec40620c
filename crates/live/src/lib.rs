//! Requests of live clients. A client sends its whole history each time; here it is found out which
//! conversation a request continues, the engine decides about what is new, and the texts that it
//! replaces are put into the client's own bytes.
//!
//! Pure: no clock, no files, no network. Whoever passes requests on brings the time, and a
//! [`Recorder`](recorder::Recorder) that keeps decisions before they are used.

mod active;
mod before;
mod chain;
mod compaction;
mod conversation;
mod familiar;
mod held;
mod inactive;
mod keeping;
mod marking;
mod narrowed;
mod places;
mod placing;
mod prelude;
mod queue;
mod redacted;
mod unmarked;
mod wanted;
mod way;
mod windows;

pub mod caching;
pub mod choices;
pub mod compress;
pub mod conversations;
pub mod models;
pub mod overview;
pub mod prices;
pub mod recorder;
mod replaced;
pub mod request;
pub mod rules;
pub mod wanting;

pub use compress::Compressor;
pub use conversations::Conversations;
pub use redacted::Redactor;
pub use way::Way;
