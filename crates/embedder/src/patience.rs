//! How long a server is waited for, and how often it is asked again.

use std::time::Duration;

/// How long a server is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the connection.
    pub connect_time: Duration,
    /// For one request as a whole.
    pub request_time: Duration,
    /// How often a request is repeated that the server was too busy for, or failed at.
    pub retries: u32,
    /// The longest wait before a request is repeated. A server that asks for more is left.
    pub wait_max: Duration,
}

impl Patience {
    /// For work in the background: a slow server is fast enough.
    pub const LONG: Self = Self {
        connect_time: Duration::from_secs(10),
        request_time: Duration::from_secs(180),
        retries: 5,
        wait_max: Duration::from_secs(60),
    };

    /// For somebody who waits: a server may have to load its model first.
    pub const SHORT: Self = Self {
        connect_time: Duration::from_secs(3),
        request_time: Duration::from_secs(15),
        retries: 1,
        wait_max: Duration::from_secs(2),
    };
}
