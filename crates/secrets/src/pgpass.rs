//! Lines of PostgreSQL's password file: `host:port:database:user:password`.

use std::ops::Range;

use crate::chance::is_chosen;

/// What its ports look like, mostly.
pub(crate) const WORDS: &[&str] = &[":5432:", ":5433:", ":5434:", ":6432:", ":15432:", ":*:"];

/// Longest line that is looked at, before and behind the port.
const BYTES_MAX: usize = 200;

/// The password of the line in which a port stands at `hit`.
pub(crate) fn password(text: &[u8], hit: Range<usize>) -> Option<Range<usize>> {
    let from = hit.start.saturating_sub(BYTES_MAX);
    let start = memchr::memrchr(b'\n', &text[from..hit.start]).map_or(from, |at| from + at + 1);
    let to = text.len().min(hit.end + BYTES_MAX);
    let end = memchr::memchr(b'\n', &text[hit.end..to]).map_or(to, |at| hit.end + at);
    let line = text[start..end].strip_suffix(b"\r").unwrap_or(&text[start..end]);
    let mut fields = fields(line);
    let host = fields.next()?;
    let is_first = start + host.len() == hit.start;
    let [_, database, user, password] =
        [fields.next()?, fields.next()?, fields.next()?, fields.next()?];
    let is_word = |field: &[u8]| !field.is_empty() && !field.iter().any(u8::is_ascii_whitespace);
    let is_line = is_first
        && fields.next().is_none()
        && [host, database, user, password].into_iter().all(is_word)
        && !host.starts_with(b"#");
    let at = start + line.len() - password.len();
    (is_line && is_chosen(password)).then(|| at..at + password.len())
}

/// The fields of a line: a colon ends one unless a backslash stands before it.
fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut is_escaped = false;
    line.split(move |byte| {
        let ends = *byte == b':' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    })
}
