//! Fields that messages of all versions have.

use foveal_transcript::{Timestamp, Usage};

use foveal_protocols::json::{self, JsonObject};

/// Returns a time of the record's `time` object, in milliseconds since the epoch.
pub(super) fn parse_time(record: &JsonObject, key: &str) -> Option<Timestamp> {
    json::get_object(record, "time")?.get(key)?.as_f64().map(|ms| Timestamp(ms as i64))
}

/// Parses usage from a response's `tokens`.
pub(super) fn parse_usage(tokens: &JsonObject) -> Usage {
    let cache = json::get_object(tokens, "cache");
    let cached = |key| cache.map_or(0, |cache| json::get_count(cache, key));
    Usage {
        input: json::get_count(tokens, "input"),
        cache_read: cached("read"),
        cache_write: cached("write"),
        cache_write_hour: 0,
        output: json::get_count(tokens, "output"),
    }
}
