//! How long an answer stays fresh, as RFC 9111 has it for a cache of one user.
//!
//! Pure: headers and times go in. Nothing stale is ever used without asking, so that
//! `must-revalidate` and `stale-*` change nothing; `immutable` forbids no more than was given.

use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// Heuristic freshness is never longer than this: a day.
const HEURISTIC_MS_MAX: i64 = 24 * 3_600_000;

/// Freshness that a server states is taken for this at most: a year.
const LIFETIME_MS_MAX: i64 = 365 * 24 * 3_600_000;

/// Of an answer's age when it was sent, the share for which it stays fresh (RFC 9111, 4.2.2).
const HEURISTIC_SHARE: i64 = 10;

/// A point in time: milliseconds since 1970-01-01 UTC.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct UnixMs(pub i64);

/// When a request was sent and its answer's head received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeTimes {
    /// When the request was sent.
    pub request_time: UnixMs,
    /// When the head of the answer was there; not before `request_time`.
    pub response_time: UnixMs,
}

/// What a cache has to know about an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Freshness {
    /// `ETag`, as it was sent.
    pub etag: Option<String>,
    /// `Last-Modified`, as it was sent.
    pub last_modified: Option<String>,
    /// Until when the answer may be used without asking; `None` if it has to be asked for.
    pub expires_at: Option<UnixMs>,
    /// The answer must not be kept.
    pub no_store: bool,
}

/// What is known of a page that was fetched before, to ask whether it has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Validators {
    /// The address at which it was found, after redirects.
    pub url: String,
    /// `ETag` of then.
    pub etag: Option<String>,
    /// `Last-Modified` of then.
    pub last_modified: Option<String>,
}

/// Directives of `Cache-Control` that matter to a cache of one user.
#[derive(Debug, Clone, Copy, Default)]
struct Directives {
    no_store: bool,
    no_cache: bool,
    max_age_ms: Option<i64>,
}

impl Freshness {
    /// Of the answer with this `status` and these `headers` (names in any case, in order).
    pub fn of(status: u16, headers: &[(String, String)], times: ExchangeTimes) -> Self {
        let directives = Directives::of(headers);
        let lifetime_ms = lifetime_ms(status, headers, times, directives);
        let unknown_variants = values(headers, "vary").any(|value| value.contains('*'));
        let expires_at = lifetime_ms
            .filter(|_| !directives.no_store && !directives.no_cache && !unknown_variants)
            .map(|lifetime| lifetime.min(LIFETIME_MS_MAX) - age_ms(headers, times))
            .filter(|left| *left > 0)
            .map(|left| UnixMs(times.response_time.0.saturating_add(left)));
        Self {
            etag: first(headers, "etag").map(str::to_owned),
            last_modified: first(headers, "last-modified").map(str::to_owned),
            expires_at,
            no_store: directives.no_store,
        }
    }

    /// Of an answer that was reached through a redirect: it leads there as long as both hold.
    /// A permanent redirect (`permanent`) that states nothing holds for good.
    #[must_use]
    pub fn through(mut self, redirect: &Self, permanent: bool) -> Self {
        self.no_store |= redirect.no_store;
        self.expires_at = match (self.expires_at, redirect.expires_at) {
            (Some(page), Some(hop)) => Some(page.min(hop)),
            (page, None) if permanent => page,
            _ => None,
        };
        self
    }

    /// Of a kept answer that the server says is unchanged, by the headers of that saying.
    #[must_use]
    pub fn renewed(self, kept: &Validators) -> Self {
        Self {
            etag: self.etag.or_else(|| kept.etag.clone()),
            last_modified: self.last_modified.or_else(|| kept.last_modified.clone()),
            ..self
        }
    }
}

impl Validators {
    /// The headers that ask for an answer only if it has changed.
    pub fn headers(&self) -> Vec<(&'static str, &str)> {
        let etag = self.etag.as_deref().map(|etag| ("if-none-match", etag));
        let date = self.last_modified.as_deref().map(|date| ("if-modified-since", date));
        etag.into_iter().chain(date).filter(|(_, value)| sendable(value)).collect()
    }
}

fn sendable(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

impl Directives {
    fn of(headers: &[(String, String)]) -> Self {
        let mut found = Self::default();
        let mut stated = false;
        for directive in values(headers, "cache-control").flat_map(|value| value.split(',')) {
            stated |= !directive.trim().is_empty();
            let (name, value) = match directive.split_once('=') {
                Some((name, value)) => (name, value.trim().trim_matches('"')),
                None => (directive, ""),
            };
            match name.trim().to_ascii_lowercase().as_str() {
                "no-store" => found.no_store = true,
                // With the names of headers it concerns only those; asking is never wrong.
                "no-cache" => found.no_cache = true,
                "max-age" => {
                    // Of two, the one that trusts less; what cannot be read is stale (4.2.1).
                    let ms = seconds(value).map_or(0, |seconds| seconds.saturating_mul(1000));
                    found.max_age_ms = Some(found.max_age_ms.map_or(ms, |before| before.min(ms)));
                }
                _ => {}
            }
        }
        if !stated {
            found.no_cache = values(headers, "pragma").any(|value| {
                value.split(',').any(|one| one.trim().eq_ignore_ascii_case("no-cache"))
            });
        }
        found
    }
}

/// How long the answer is fresh from when it was made (RFC 9111, 4.2.1), milliseconds.
fn lifetime_ms(
    status: u16,
    headers: &[(String, String)],
    times: ExchangeTimes,
    directives: Directives,
) -> Option<i64> {
    if let Some(max_age) = directives.max_age_ms {
        return Some(max_age);
    }
    let date = date_ms(headers, "date").unwrap_or(times.response_time.0);
    if first(headers, "expires").is_some() {
        // What is no date, such as `0`, means at once.
        return Some(date_ms(headers, "expires").map_or(0, |end| end.saturating_sub(date)));
    }
    let heuristic = matches!(status, 200 | 203 | 204 | 300 | 301 | 308 | 404 | 405 | 410 | 414);
    let modified = date_ms(headers, "last-modified").filter(|_| heuristic)?;
    Some((date.saturating_sub(modified) / HEURISTIC_SHARE).clamp(0, HEURISTIC_MS_MAX))
}

/// How old the answer was when it came (RFC 9111, 4.2.3), milliseconds.
fn age_ms(headers: &[(String, String)], times: ExchangeTimes) -> i64 {
    let delay = times.response_time.0.saturating_sub(times.request_time.0).max(0);
    let apparent = date_ms(headers, "date")
        .map_or(0, |date| times.response_time.0.saturating_sub(date))
        .max(0);
    let stated = first(headers, "age").and_then(seconds).unwrap_or(0).saturating_mul(1000);
    apparent.max(stated.saturating_add(delay))
}

/// Seconds; more than fit are very many (RFC 9111, 1.2.2).
fn seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse::<i64>().unwrap_or(i64::MAX).min(i64::from(i32::MAX)))
}

fn date_ms(headers: &[(String, String)], name: &str) -> Option<i64> {
    let time = httpdate::parse_http_date(first(headers, name)?.trim()).ok()?;
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

fn first<'headers>(headers: &'headers [(String, String)], name: &str) -> Option<&'headers str> {
    values(headers, name).next()
}

fn values<'headers>(
    headers: &'headers [(String, String)],
    name: &str,
) -> impl Iterator<Item = &'headers str> {
    let name = name.to_owned();
    headers
        .iter()
        .filter(move |(key, _)| key.eq_ignore_ascii_case(&name))
        .map(|(_, value)| value.as_str())
}
