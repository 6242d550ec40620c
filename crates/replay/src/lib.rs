//! What a profile would have cost, and what it would have kept, on a recorded conversation.
//!
//! Pure: a conversation, a profile and a price card go in, figures come out. The measures
//! read the projected text itself and trust nothing the engine says about it.

pub mod copies;
pub mod cost;
pub mod figures;
pub mod laws;
pub mod needs;
pub mod oracle;
pub mod run;
pub mod scan;
pub mod visible;

pub use run::{Prepared, Replay, RequestFigures, replay};
