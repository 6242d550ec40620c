//! What the servers of this workspace share: the secret that clients show, how the name is read
//! that they ask under, the bytes that all requests together may hold, a stream whose reading is
//! overheard, which connections give way to others, and when a server ends.
//!
//! Which requests are refused each server decides by itself: they promise different things.

mod clock;
mod connections;
mod held;
mod host;
mod overheard;
mod stop;
mod token;

pub use clock::is_date_header_safe;
pub use connections::{ConnectionPool, ConnectionSlot, Occupant, Peer, Vacancy};
pub use held::{Held, Share};
pub use host::{Host, Name};
pub use overheard::{Ear, Overheard};
pub use stop::when_asked_to_end;
pub use token::{Token, bearer};
