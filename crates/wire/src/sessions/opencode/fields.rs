//! Fields that messages of all versions have.

use foveal_transcript::{Timestamp, Usage};

use crate::json::{self, Object};

/// Milliseconds since the epoch in the record's `time`.
pub(super) fn time_at(record: &Object, key: &str) -> Option<Timestamp> {
    json::object(record, "time")?.get(key)?.as_f64().map(|ms| Timestamp(ms as i64))
}

/// What a response was billed, from its `tokens`.
pub(super) fn usage(tokens: &Object) -> Usage {
    let cache = json::object(tokens, "cache");
    let cached = |key| cache.map_or(0, |cache| json::count(cache, key));
    Usage {
        input: json::count(tokens, "input"),
        cache_read: cached("read"),
        cache_write: cached("write"),
        cache_write_hour: 0,
        output: json::count(tokens, "output"),
    }
}
