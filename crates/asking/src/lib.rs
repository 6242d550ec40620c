//! The parts that our HTTP clients share: connections over TLS and through proxies, API keys that
//! are never shown, retry delays, the check of server addresses, and error messages of servers.

mod address;
mod backoff;
pub mod body;
pub mod client;
mod key;
mod proxy;
mod server_message;

pub use address::{AddressProblem, find_address_problem, is_this_machine};
pub use backoff::{backoff_delay, parse_retry_after};
pub use key::ApiKey;
pub use proxy::{ProxyConnector, ProxySettings};
pub use server_message::ServerMessage;
