//! Limits of a fetch, and the callbacks that resolve names and choose proxies.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Resolves a name to its addresses.
pub type NameLookup = Arc<dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync>;

/// Returns the proxy for a URL, with its credentials; `None`: a direct connection.
pub type ProxyChoice = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Limits of size and time of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchLimits {
    /// Redirects that are followed.
    pub redirects: u32,
    /// Bytes of a page after decompression; the rest is not read.
    pub body_bytes: u64,
    /// Bytes of a response's head.
    pub header_bytes: usize,
    /// Time to connect to one host.
    pub connect_time: Duration,
    /// Time between two reads of a response.
    pub read_time: Duration,
    /// Time for the whole fetch, redirects included.
    pub total_time: Duration,
    /// Time to convert a page to Markdown; after it, the page's text without markup is used.
    pub convert_time: Duration,
}

impl Default for FetchLimits {
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
