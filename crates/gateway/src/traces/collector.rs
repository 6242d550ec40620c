//! The settings of the trace exporter: its collector and the resource attributes.

use std::fmt;
use std::time::Duration;

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use crate::upstream_selection::strip_secrets;

/// The path of traces below a collector's address
/// (opentelemetry.io/docs/specs/otel/protocol/exporter, "Endpoint URLs for OTLP/HTTP").
const TRACES_PATH: &str = "/v1/traces";

/// A server that collects spans.
#[derive(Clone, PartialEq)]
pub struct TraceCollector {
    pub(super) uri: Uri,
    /// Headers of each request, which may contain keys.
    pub(super) headers: HeaderMap,
    /// The attributes of the program: names and values.
    pub(super) resource: Vec<(String, String)>,
    /// The time that spans wait for a full batch.
    pub(super) batch_delay: Duration,
    /// The time-out of one request.
    pub(super) timeout: Duration,
}

/// The error of an invalid collector address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{address}` is not a valid collector address: {reason}; use one such as http://127.0.0.1:4318"
)]
pub struct CollectorAddressError {
    /// The given address, without secrets.
    pub address: String,
    /// The reason.
    pub reason: &'static str,
}

impl TraceCollector {
    /// Returns the collector at `address`, to which the path of traces is appended.
    ///
    /// # Errors
    /// [`CollectorAddressError`].
    pub fn from_base_address(address: &str) -> Result<Self, CollectorAddressError> {
        let bare = address.trim().trim_end_matches('/');
        if bare.ends_with(TRACES_PATH) {
            return Self::from_endpoint(bare);
        }
        Self::from_endpoint(&format!("{bare}{TRACES_PATH}"))
    }

    /// Returns the collector that takes traces at exactly `address`.
    ///
    /// # Errors
    /// [`CollectorAddressError`].
    pub fn from_endpoint(address: &str) -> Result<Self, CollectorAddressError> {
        let address = address.trim();
        let bad = |reason| CollectorAddressError { address: strip_secrets(address), reason };
        let uri: Uri = address.parse().map_err(|_| bad("it cannot be parsed"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(bad("it does not begin with http:// or https://"));
        }
        let authority = uri.authority().ok_or_else(|| bad("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad("it contains a user name or password; send these in headers"));
        }
        Ok(Self {
            uri,
            headers: HeaderMap::new(),
            resource: Vec::new(),
            batch_delay: Duration::from_secs(5),
            timeout: Duration::from_secs(10),
        })
    }

    /// Adds headers to each request. Also returns the names of invalid headers, which are skipped.
    pub fn with_headers(mut self, headers: Vec<(String, String)>) -> (Self, Vec<String>) {
        let mut wrong = Vec::new();
        for (name, value) in headers {
            let parsed = name.parse::<HeaderName>().ok().zip(HeaderValue::try_from(value).ok());
            match parsed {
                Some((name, mut value)) => {
                    value.set_sensitive(true);
                    self.headers.insert(name, value);
                }
                None => wrong.push(name),
            }
        }
        (self, wrong)
    }

    /// Sets the attributes of the program, by OpenTelemetry's names (`service.name`).
    #[must_use]
    pub fn with_resource(mut self, resource: Vec<(String, String)>) -> Self {
        self.resource = resource;
        self
    }

    /// Sets the time that spans wait for a full batch.
    #[must_use]
    pub fn with_batch_delay(mut self, delay: Duration) -> Self {
        self.batch_delay = delay;
        self
    }

    /// Sets the time-out of one request.
    #[must_use]
    pub fn with_timeout(mut self, patience: Duration) -> Self {
        self.timeout = patience;
        self
    }
}

/// Writes the address without its query.
impl fmt::Display for TraceCollector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&strip_secrets(&self.uri.to_string()))
    }
}

/// Writes no headers.
impl fmt::Debug for TraceCollector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Collector({self})")
    }
}

/// Parses `name=value,name=value` in the format of OpenTelemetry's environment variables, with `%`
/// codes in values (opentelemetry.io/docs/specs/otel/protocol/exporter, "Specifying headers via
/// environment variables"). Invalid pairs are skipped.
pub(super) fn parse_pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(',').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let name = name.trim();
        (!name.is_empty()).then(|| (name.to_owned(), percent_decode(value.trim())))
    });
    pairs.collect()
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{TraceCollector, parse_pairs};

    #[test]
    fn the_path_of_traces_stands_behind_an_address_once() {
        for (address, expected) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
            ("https://otel.example/otlp/", "https://otel.example/otlp/v1/traces"),
            ("http://127.0.0.1:4318/v1/traces", "http://127.0.0.1:4318/v1/traces"),
        ] {
            assert_eq!(
                TraceCollector::from_base_address(address).expect("an address").to_string(),
                expected
            );
        }
        let exactly = TraceCollector::from_endpoint("https://otel.example/in?key=secret")
            .expect("an address");
        assert_eq!(exactly.to_string(), "https://otel.example/in");
        for (wrong, reason) in [
            ("127.0.0.1:4317", "http://"),
            ("grpc://host:1", "http://"),
            ("http://me:secret@host", "password"),
            ("http://a b", "cannot be parsed"),
        ] {
            let error = TraceCollector::from_base_address(wrong).expect_err(wrong).to_string();
            assert!(error.contains(reason) && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn pairs_are_read_as_variables_have_them() {
        let all = parse_pairs("api-key=a%20b, x-team = one=two ,nothing,=v,last=");
        let all: Vec<_> = all.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(all, [("api-key", "a b"), ("x-team", "one=two"), ("last", "")]);
        let collector = TraceCollector::from_base_address("http://h").expect("an address");
        let headers = parse_pairs("authorization=Bearer%20secret,bad name=1,x=a%0Ab");
        let (collector, wrong) = collector.with_headers(headers);
        assert_eq!(wrong, ["bad name", "x"]);
        assert_eq!(collector.headers["authorization"], "Bearer secret");
        assert!(!format!("{collector:?} {:?}", collector.headers).contains("secret"));
    }
}
