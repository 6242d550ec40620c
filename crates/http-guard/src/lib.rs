//! The parts that our HTTP servers share: access tokens, the parser of `host` headers, the memory
//! budget of all requests, streams with an observer, the connection pool, and the shutdown signal.
//!
//! Each server decides on its own which requests it refuses: the servers promise different things.

mod clock;
mod connections;
mod host;
mod inspected_stream;
mod memory_budget;
mod shutdown;
mod token;

pub use clock::is_date_header_safe;
pub use connections::{Admission, ConnectionPool, ConnectionSlot, Peer, PooledConnection};
pub use host::{Host, HostName};
pub use inspected_stream::{InspectedStream, ReadObserver};
pub use memory_budget::{MemoryBudget, MemoryReservation};
pub use shutdown::shutdown_token;
pub use token::{AccessToken, bearer_credentials};
