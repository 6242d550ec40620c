//! What the servers of this workspace share: the secret that clients show, how the name is read
//! that they ask under, the bytes that all requests together may hold, a stream whose reading is
//! overheard, and when a server ends.
//!
//! Which connections are let in, and which requests are refused, each server decides by itself:
//! they promise different things.

mod held;
mod host;
mod overheard;
mod stop;
mod token;

pub use held::{Held, Share};
pub use host::{Host, Name};
pub use overheard::{Ear, Overheard};
pub use stop::when_asked_to_end;
pub use token::{Token, bearer};
