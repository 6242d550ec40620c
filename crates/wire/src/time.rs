//! Recorded times, without a clock.

use foveal_transcript::Timestamp;

/// Reads an RFC 3339 time, the offset optional and UTC where it is missing, as some agents
/// record it: `2025-04-30T16:45:41.913899`, `2025-11-20T23:33:01.550Z`,
/// `2025-11-20 23:33:01+01:00`. Fractions beyond milliseconds are cut off.
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
    let (fraction_ms, at) = fraction(bytes, 19);
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

/// Milliseconds of a fraction at `at`, and where it ends.
fn fraction(bytes: &[u8], at: usize) -> (i64, usize) {
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

/// Days from 1970-01-01 in the Gregorian calendar. Years are counted from March, so that
/// the leap day is the last of its year.
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
