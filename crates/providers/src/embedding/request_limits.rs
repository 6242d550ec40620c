//! Time-outs and retries of embedding requests.

use std::time::Duration;

/// The limits of an embedding request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbeddingRequestLimits {
    /// The time-out for the connection.
    pub connect_time: Duration,
    /// The time-out for a whole request.
    pub request_time: Duration,
    /// The number of retries if the server was overloaded or failed.
    pub retries: u32,
    /// The longest delay before a retry. If the server asks for more, the request fails.
    pub wait_max: Duration,
}

impl EmbeddingRequestLimits {
    /// For work in the background, where a slow server is fast enough.
    pub const BACKGROUND: Self = Self {
        connect_time: Duration::from_secs(10),
        request_time: Duration::from_secs(180),
        retries: 5,
        wait_max: Duration::from_secs(60),
    };

    /// For requests that a user waits for. The server may have to load its model first.
    pub const INTERACTIVE: Self = Self {
        connect_time: Duration::from_secs(3),
        request_time: Duration::from_secs(15),
        retries: 1,
        wait_max: Duration::from_secs(2),
    };
}
