//! The header by which a client names the trace of a request (W3C Trace Context,
//! w3.org/TR/trace-context, "traceparent Header Field Values").

use std::fmt;

use hyper::header::{HeaderMap, HeaderName};

const TRACE_PARENT_HEADER: HeaderName = HeaderName::from_static("traceparent");

/// The length of the header's value in the current version, in bytes.
const VALUE_BYTES: usize = 55;

/// The id of a trace. Never all zeros.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceId(pub(crate) [u8; 16]);

/// The id of a span. Never all zeros.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpanId(pub(crate) [u8; 8]);

/// The span of the client's own trace that a request is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    pub(crate) trace: TraceId,
    pub(crate) span: SpanId,
    /// Whether the client records this trace. Others are not exported.
    pub(crate) is_sampled: bool,
}

impl TraceParent {
    /// Parses the header of a request; `None` if it is missing, repeated or malformed.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(TRACE_PARENT_HEADER).iter();
        let value = values.next()?.as_bytes();
        if values.next().is_some() {
            return None;
        }
        Self::parse(value)
    }

    fn parse(value: &[u8]) -> Option<Self> {
        let (known, more) = value.split_at_checked(VALUE_BYTES)?;
        let dashes = [2, 35, 52].iter().all(|at| known[*at] == b'-');
        let version = parse_hex::<1>(&known[..2])?[0];
        // A later version may append fields; version 255 is invalid.
        let ends = more.is_empty() || (version > 0 && more.starts_with(b"-"));
        if !dashes || !ends || version == 0xff {
            return None;
        }
        let (trace, span) = (parse_hex::<16>(&known[3..35])?, parse_hex::<8>(&known[36..52])?);
        let flags = parse_hex::<1>(&known[53..55])?[0];
        (trace != [0; 16] && span != [0; 8]).then_some(Self {
            trace: TraceId(trace),
            span: SpanId(span),
            is_sampled: flags & 1 == 1,
        })
    }
}

/// Parses lower-case hex digits.
fn parse_hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    (digits.len() == 2 * N).then_some(bytes)
}

fn write_hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderMap;

    use super::TraceParent;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";

    fn read(text: &str) -> Option<TraceParent> {
        TraceParent::parse(text.as_bytes())
    }

    #[test]
    fn a_parent_is_read_as_the_recommendation_says() {
        let parent = read(&format!("00-{TRACE}-{SPAN}-01")).expect("a parent");
        assert_eq!(
            (parent.trace.to_string(), parent.span.to_string()),
            (TRACE.into(), SPAN.into())
        );
        assert!(parent.is_sampled);
        assert!(!read(&format!("00-{TRACE}-{SPAN}-00")).expect("a parent").is_sampled);
        // Later versions may say more.
        assert!(read(&format!("01-{TRACE}-{SPAN}-03-more")).is_some());
        let none = "0".repeat(32);
        for wrong in [
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("01-{TRACE}-{SPAN}-01more"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{none}-{SPAN}-01"),
            format!("00-{TRACE}-{}-01", &none[..16]),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{TRACE}_{SPAN}-01"),
            format!("00-{TRACE}-{SPAN}-1"),
            String::new(),
        ] {
            assert_eq!(read(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn two_parents_are_none() {
        let mut headers = HeaderMap::new();
        let value: hyper::header::HeaderValue =
            format!("00-{TRACE}-{SPAN}-01").parse().expect("a value");
        headers.append("traceparent", value.clone());
        assert!(TraceParent::from_headers(&headers).is_some());
        headers.append("traceparent", value);
        assert_eq!(TraceParent::from_headers(&headers), None);
    }
}
