//! What a fetch may take, and whom it asks for addresses.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// The addresses of a name.
pub type Names = Arc<dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync>;

/// The address of the proxy through which an address is asked, with its login; `None`: directly.
pub type ProxyChoice = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// How much and how long a fetch may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Redirects that are followed.
    pub redirects: u32,
    /// Bytes of a page, counted after decompression; the rest is left.
    pub body_bytes: u64,
    /// Bytes of an answer's head.
    pub header_bytes: usize,
    /// To connect to one host.
    pub connect_time: Duration,
    /// Between two parts of an answer.
    pub read_time: Duration,
    /// For everything up to the last byte, redirects included.
    pub total_time: Duration,
    /// To turn a page into Markdown; then its bare text is taken.
    pub convert_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            redirects: 5,
            body_bytes: 4 << 20,
            header_bytes: 64 << 10,
            connect_time: Duration::from_secs(10),
            read_time: Duration::from_secs(15),
            total_time: Duration::from_secs(30),
            convert_time: Duration::from_secs(10),
        }
    }
}
