//! How long a response stays fresh, for a private cache by RFC 9111.
//!
//! Pure: headers and times are arguments. A stale response is never used without revalidation, so
//! that `must-revalidate` and `stale-*` change nothing; `immutable` never extends the lifetime.

use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// Longest heuristic freshness: a day.
const HEURISTIC_MS_MAX: i64 = 24 * 3_600_000;

/// Longest explicit freshness: a year.
const LIFETIME_MS_MAX: i64 = 365 * 24 * 3_600_000;

/// A response without explicit freshness stays fresh for this fraction of its age when it was sent
/// (RFC 9111, 4.2.2).
const HEURISTIC_AGE_DIVISOR: i64 = 10;

/// A point in time: milliseconds since 1970-01-01 UTC.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct UnixMs(pub i64);

/// When a request was sent and the head of its response received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeTimes {
    /// When the request was sent.
    pub request_time: UnixMs,
    /// When the response's head arrived; not before `request_time`.
    pub response_time: UnixMs,
}

/// The cache metadata of a response.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Freshness {
    /// `ETag`, as received.
    pub etag: Option<String>,
    /// `Last-Modified`, as received.
    pub last_modified: Option<String>,
    /// Until when the response may be used without revalidation; `None` if it must be revalidated.
    pub expires_at: Option<UnixMs>,
    /// The response must not be stored.
    pub no_store: bool,
}

/// Validators of a page that was fetched before, for a conditional request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Validators {
    /// The URL after redirects.
    pub url: String,
    /// `ETag` of that response.
    pub etag: Option<String>,
    /// `Last-Modified` of that response.
    pub last_modified: Option<String>,
}

/// The `Cache-Control` directives that matter to a private cache.
#[derive(Debug, Clone, Copy, Default)]
struct CacheDirectives {
    no_store: bool,
    no_cache: bool,
    max_age_ms: Option<i64>,
}

impl Freshness {
    /// Computes the freshness of a response with this `status` and these `headers` (names in any
    /// case, in order).
    pub fn from_response(status: u16, headers: &[(String, String)], times: ExchangeTimes) -> Self {
        let directives = CacheDirectives::parse(headers);
        let lifetime_ms = lifetime_ms(status, headers, times, directives);
        let unknown_variants = header_values(headers, "vary").any(|value| value.contains('*'));
        let expires_at = lifetime_ms
            .filter(|_| !directives.no_store && !directives.no_cache && !unknown_variants)
            .map(|lifetime| lifetime.min(LIFETIME_MS_MAX) - age_ms(headers, times))
            .filter(|left| *left > 0)
            .map(|left| UnixMs(times.response_time.0.saturating_add(left)));
        Self {
            etag: first_header_value(headers, "etag").map(str::to_owned),
            last_modified: first_header_value(headers, "last-modified").map(str::to_owned),
            expires_at,
            no_store: directives.no_store,
        }
    }

    /// Limits the freshness by that of a redirect to the response, since both must hold. A
    /// `permanent` redirect without explicit freshness holds indefinitely.
    #[must_use]
    pub fn after_redirect(mut self, redirect: &Self, permanent: bool) -> Self {
        self.no_store |= redirect.no_store;
        self.expires_at = match (self.expires_at, redirect.expires_at) {
            (Some(page), Some(hop)) => Some(page.min(hop)),
            (page, None) if permanent => page,
            _ => None,
        };
        self
    }

    /// Adds the `kept` validators that a 304 response does not repeat.
    #[must_use]
    pub fn revalidated(self, kept: &Validators) -> Self {
        Self {
            etag: self.etag.or_else(|| kept.etag.clone()),
            last_modified: self.last_modified.or_else(|| kept.last_modified.clone()),
            ..self
        }
    }
}

impl Validators {
    /// Returns the headers of a conditional request.
    pub fn conditional_headers(&self) -> Vec<(&'static str, &str)> {
        let etag = self.etag.as_deref().map(|etag| ("if-none-match", etag));
        let date = self.last_modified.as_deref().map(|date| ("if-modified-since", date));
        etag.into_iter().chain(date).filter(|(_, value)| is_valid_header_value(value)).collect()
    }
}

fn is_valid_header_value(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

impl CacheDirectives {
    fn parse(headers: &[(String, String)]) -> Self {
        let mut found = Self::default();
        let mut stated = false;
        for directive in header_values(headers, "cache-control").flat_map(|value| value.split(','))
        {
            stated |= !directive.trim().is_empty();
            let (name, value) = match directive.split_once('=') {
                Some((name, value)) => (name, value.trim().trim_matches('"')),
                None => (directive, ""),
            };
            match name.trim().to_ascii_lowercase().as_str() {
                "no-store" => found.no_store = true,
                // With field names it restricts only those; revalidation is always allowed.
                "no-cache" => found.no_cache = true,
                "max-age" => {
                    // The shorter of two counts; an invalid one is stale (4.2.1).
                    let ms = parse_delta_seconds(value)
                        .map_or(0, |seconds| seconds.saturating_mul(1000));
                    found.max_age_ms = Some(found.max_age_ms.map_or(ms, |before| before.min(ms)));
                }
                _ => {}
            }
        }
        if !stated {
            found.no_cache = header_values(headers, "pragma").any(|value| {
                value.split(',').any(|one| one.trim().eq_ignore_ascii_case("no-cache"))
            });
        }
        found
    }
}

/// Returns the freshness lifetime from the time of the response (RFC 9111, 4.2.1), in milliseconds.
fn lifetime_ms(
    status: u16,
    headers: &[(String, String)],
    times: ExchangeTimes,
    directives: CacheDirectives,
) -> Option<i64> {
    if let Some(max_age) = directives.max_age_ms {
        return Some(max_age);
    }
    let date = header_date_ms(headers, "date").unwrap_or(times.response_time.0);
    if first_header_value(headers, "expires").is_some() {
        // An invalid date, such as `0`, means already expired.
        return Some(header_date_ms(headers, "expires").map_or(0, |end| end.saturating_sub(date)));
    }
    let heuristic = matches!(status, 200 | 203 | 204 | 300 | 301 | 308 | 404 | 405 | 410 | 414);
    let modified = header_date_ms(headers, "last-modified").filter(|_| heuristic)?;
    Some((date.saturating_sub(modified) / HEURISTIC_AGE_DIVISOR).clamp(0, HEURISTIC_MS_MAX))
}

/// Returns the age of the response on arrival (RFC 9111, 4.2.3), in milliseconds.
fn age_ms(headers: &[(String, String)], times: ExchangeTimes) -> i64 {
    let delay = times.response_time.0.saturating_sub(times.request_time.0).max(0);
    let apparent = header_date_ms(headers, "date")
        .map_or(0, |date| times.response_time.0.saturating_sub(date))
        .max(0);
    let stated = first_header_value(headers, "age")
        .and_then(parse_delta_seconds)
        .unwrap_or(0)
        .saturating_mul(1000);
    apparent.max(stated.saturating_add(delay))
}

/// Parses delta-seconds; larger numbers are clamped to `i32::MAX` (RFC 9111, 1.2.2).
fn parse_delta_seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse::<i64>().unwrap_or(i64::MAX).min(i64::from(i32::MAX)))
}

fn header_date_ms(headers: &[(String, String)], name: &str) -> Option<i64> {
    let time = httpdate::parse_http_date(first_header_value(headers, name)?.trim()).ok()?;
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

fn first_header_value<'headers>(
    headers: &'headers [(String, String)],
    name: &str,
) -> Option<&'headers str> {
    header_values(headers, name).next()
}

fn header_values<'headers>(
    headers: &'headers [(String, String)],
    name: &str,
) -> impl Iterator<Item = &'headers str> {
    let name = name.to_owned();
    headers
        .iter()
        .filter(move |(key, _)| key.eq_ignore_ascii_case(&name))
        .map(|(_, value)| value.as_str())
}
