//! Parsing and formatting of recorded times.

use foveal_transcript::Timestamp;

/// Parses an RFC 3339 time. The offset is optional and defaults to UTC, as some agents record it:
/// `2025-04-30T16:45:41.913899`, `2025-11-20T23:33:01.550Z`, `2025-11-20 23:33:01+01:00`.
/// Fractions beyond milliseconds are cut off.
pub fn parse_timestamp(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| -> Option<i64> {
        let part = bytes.get(from..to)?;
        part.iter().try_fold(0i64, |number, byte| {
            byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0'))
        })
    };
    let separators = [(4, b"-"), (7, b"-"), (13, b":"), (16, b":")];
    if separators.iter().any(|(at, byte)| bytes.get(*at) != byte.first())
        || !matches!(bytes.get(10), Some(b'T' | b't' | b' '))
    {
        return None;
    }
    let (year, month, day) = (digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
    let (hour, minute, second) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction_ms, at) = parse_fraction_ms(bytes, 19);
    let offset_minutes = match bytes.get(at..)? {
        [] | [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let offset = digits(at + 1, at + 3)? * 60 + digits(at + 4, at + 6)?;
            if *sign == b'+' { offset } else { -offset }
        }
        [sign @ (b'+' | b'-'), _, _, _, _] => {
            let offset = digits(at + 1, at + 3)? * 60 + digits(at + 3, at + 5)?;
            if *sign == b'+' { offset } else { -offset }
        }
        _ => return None,
    };
    let minutes = (days_from_epoch(year, month, day) * 24 + hour) * 60 + minute - offset_minutes;
    Some(Timestamp((minutes * 60 + second) * 1000 + fraction_ms))
}

/// Formats a time as RFC 3339, in UTC with milliseconds: `2025-11-20T23:33:01.550Z`.
/// [`parse_timestamp`] reads it back for the years 0 to 9999.
pub fn format_timestamp(time: Timestamp) -> String {
    let (seconds, ms) = (time.0.div_euclid(1000), time.0.rem_euclid(1000));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Returns year, month and day of a day counted from 1970-01-01: the inverse of
/// [`days_from_epoch`]. After "chrono-Compatible Low-Level Date Algorithms"
/// (howardhinnant.github.io/date_algorithms.html, `civil_from_days`).
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Returns the milliseconds of a fraction at `at`, and the position behind it.
fn parse_fraction_ms(bytes: &[u8], at: usize) -> (i64, usize) {
    if bytes.get(at) != Some(&b'.') {
        return (0, at);
    }
    let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let ms = (0..3).fold(0, |ms, place| {
        let digit = if place < digits { bytes[at + 1 + place] - b'0' } else { 0 };
        ms * 10 + i64::from(digit)
    });
    (ms, at + 1 + digits)
}

/// Returns the days from 1970-01-01 in the Gregorian calendar. Years are counted from March, so
/// that the leap day is the last of its year.
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let day_of_year = (month_from_march * 153 + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719468 days lie between 0000-03-01 and 1970-01-01.
    year * 365 + leap_days + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_spelled() {
        let days = [-719_528, -1, 0, 58, 59, 60, 11_015, 11_016, 20_780, 2_932_896];
        for day in days {
            for ms in [0, 1, 43_200_000, 86_399_999] {
                let time = Timestamp(day * 86_400_000 + ms);
                let spelled = format_timestamp(time);
                assert_eq!(parse_timestamp(&spelled), Some(time), "{spelled}");
            }
        }
        let spelled = |ms| format_timestamp(Timestamp(ms));
        assert_eq!(spelled(951_825_600_000), "2000-02-29T12:00:00.000Z");
        assert_eq!(spelled(-1), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn times() {
        let cases = [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1970-01-01T00:00:00.5Z", Some(500)),
            ("1970-01-01 01:00:00+01:00", Some(0)),
            ("1969-12-31T19:00:00-0500", Some(0)),
            ("2000-02-29T12:00:00Z", Some(951_825_600_000)),
            ("2025-04-30T16:45:41.913899", Some(1_746_031_541_913)),
            ("2025-11-20T23:33:01.550Z", Some(1_763_681_581_550)),
            ("2025-13-20T23:33:01Z", None),
            ("2025-11-20T25:33:01Z", None),
            ("2025-11-20", None),
            ("2025-11-20T23:33:01Zx", None),
            ("2025-11-20T23:33:01.", Some(1_763_681_581_000)),
            ("20é5-11-20T23:33:01Z", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_timestamp(text).map(|time| time.0), expected, "{text}");
        }
    }
}
