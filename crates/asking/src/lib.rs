//! What the clients of servers share: connections over TLS, keys that are never shown, how long to
//! wait before a request is repeated, which addresses may be sent something, and what a server says
//! went wrong.

mod address;
pub mod body;
pub mod client;
mod key;
mod proxy;
mod said;
mod wait;

pub use address::{AddressProblem, is_this_machine, problem_of};
pub use key::ApiKey;
pub use proxy::{ProxyConnector, ProxySettings};
pub use said::Said;
pub use wait::{retry_after, wait_before};
