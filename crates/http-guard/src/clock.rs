//! The check whether the time fits into a `date` header.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds from 1970 to the end of the year 9999. Dates in headers have four-digit years.
const YEAR_10000_SECONDS: u64 = 253_402_300_800;

/// Returns whether a `date` header can be written at this time. Outside the years 1970 to 9999 the
/// HTTP library panics when it writes one; responses then go without it.
pub fn is_date_header_safe(now: SystemTime) -> bool {
    // The result must hold for the life of a connection: a day is left for that.
    let last = Duration::from_secs(YEAR_10000_SECONDS - 24 * 60 * 60);
    now.duration_since(UNIX_EPOCH).is_ok_and(|since| since < last)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::is_date_header_safe;

    #[test]
    fn dates_of_four_digits_can_be_told() {
        let years = |count: u64| Duration::from_secs(count * 31_556_952);
        assert!(is_date_header_safe(UNIX_EPOCH));
        assert!(is_date_header_safe(UNIX_EPOCH + years(56)));
        assert!(!is_date_header_safe(UNIX_EPOCH - Duration::from_secs(1)));
        assert!(!is_date_header_safe(UNIX_EPOCH + years(8_030)));
    }
}
