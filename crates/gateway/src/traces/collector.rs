//! Where spans go, and what is said with them.

use std::fmt;
use std::time::Duration;

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use crate::upstream::without_secrets;

/// Where traces stand behind the address of a collector
/// (opentelemetry.io/docs/specs/otel/protocol/exporter, "Endpoint URLs for OTLP/HTTP").
const PATH: &str = "/v1/traces";

/// A server that collects spans.
#[derive(Clone, PartialEq)]
pub struct Collector {
    pub(super) uri: Uri,
    /// Headers of each request. Keys may be in them.
    pub(super) headers: HeaderMap,
    /// What is said of the program: names and values.
    pub(super) resource: Vec<(String, String)>,
    /// How long spans wait for more.
    pub(super) delay: Duration,
    /// How long one request may take.
    pub(super) patience: Duration,
}

/// Why an address cannot be a collector's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{address}` is no address of a collector: {reason}; give one as http://127.0.0.1:4318")]
pub struct BadCollector {
    /// The address as it was given, without what may be secret in it.
    pub address: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl Collector {
    /// The collector at `address`, to which the path of traces is added.
    ///
    /// # Errors
    /// [`BadCollector`].
    pub fn at(address: &str) -> Result<Self, BadCollector> {
        let bare = address.trim().trim_end_matches('/');
        if bare.ends_with(PATH) {
            return Self::exactly(bare);
        }
        Self::exactly(&format!("{bare}{PATH}"))
    }

    /// The collector that takes traces at exactly `address`.
    ///
    /// # Errors
    /// [`BadCollector`].
    pub fn exactly(address: &str) -> Result<Self, BadCollector> {
        let address = address.trim();
        let bad = |reason| BadCollector { address: without_secrets(address), reason };
        let uri: Uri = address.parse().map_err(|_| bad("it cannot be read"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(bad("it has no http:// or https://"));
        }
        let authority = uri.authority().ok_or_else(|| bad("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad("it holds a name or password, which belong into headers"));
        }
        Ok(Self {
            uri,
            headers: HeaderMap::new(),
            resource: Vec::new(),
            delay: Duration::from_secs(5),
            patience: Duration::from_secs(10),
        })
    }

    /// The same with these headers in each request. The names of those that are none are given
    /// back too.
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

    /// The same with what is said of the program, by OpenTelemetry's names (`service.name`).
    #[must_use]
    pub fn with_resource(mut self, resource: Vec<(String, String)>) -> Self {
        self.resource = resource;
        self
    }

    /// The same with another time that spans wait for more.
    #[must_use]
    pub fn with_delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The same with another time that one request may take.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }
}

/// Its address, without its query.
impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_secrets(&self.uri.to_string()))
    }
}

/// Its headers are never printed.
impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Collector({self})")
    }
}

/// Reads `name=value,name=value` as variables of OpenTelemetry have it, with `%` codes in values
/// (opentelemetry.io/docs/specs/otel/protocol/exporter, "Specifying headers via environment
/// variables"). What is no pair is left out.
pub fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(',').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let name = name.trim();
        (!name.is_empty()).then(|| (name.to_owned(), decoded(value.trim())))
    });
    pairs.collect()
}

fn decoded(text: &str) -> String {
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
    use super::{Collector, pairs};

    #[test]
    fn the_path_of_traces_stands_behind_an_address_once() {
        for (address, expected) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
            ("https://otel.example/otlp/", "https://otel.example/otlp/v1/traces"),
            ("http://127.0.0.1:4318/v1/traces", "http://127.0.0.1:4318/v1/traces"),
        ] {
            assert_eq!(Collector::at(address).expect("an address").to_string(), expected);
        }
        let exactly = Collector::exactly("https://otel.example/in?key=secret").expect("an address");
        assert_eq!(exactly.to_string(), "https://otel.example/in");
        for (wrong, reason) in [
            ("127.0.0.1:4317", "http://"),
            ("grpc://host:1", "http://"),
            ("http://me:secret@host", "password"),
            ("http://a b", "cannot be read"),
        ] {
            let error = Collector::at(wrong).expect_err(wrong).to_string();
            assert!(error.contains(reason) && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn pairs_are_read_as_variables_have_them() {
        let all = pairs("api-key=a%20b, x-team = one=two ,nothing,=v,last=");
        let all: Vec<_> = all.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(all, [("api-key", "a b"), ("x-team", "one=two"), ("last", "")]);
        let collector = Collector::at("http://h").expect("an address");
        let headers = pairs("authorization=Bearer%20secret,bad name=1,x=a%0Ab");
        let (collector, wrong) = collector.with_headers(headers);
        assert_eq!(wrong, ["bad name", "x"]);
        assert_eq!(collector.headers["authorization"], "Bearer secret");
        assert!(!format!("{collector:?} {:?}", collector.headers).contains("secret"));
    }
}
