//! Numbers as people read them: thin spaces before units, a true minus sign.

use foveal_replay::run::Share;

/// Stands before a unit: a narrow space that does not break.
const THIN: char = '\u{202f}';

/// What stands where there is no number.
pub(crate) const NONE: &str = "–";

/// A count or a size: `980`, `12.3 k`, `1.24 M`.
pub(crate) fn count(number: f64) -> String {
    if !number.is_finite() {
        return NONE.to_owned();
    }
    let size = number.abs();
    let (scaled, unit) = match size {
        _ if size >= 999.5e6 => (size / 1e9, "G"),
        _ if size >= 999.5e3 => (size / 1e6, "M"),
        _ if size >= 999.5 => (size / 1e3, "k"),
        _ => (size, ""),
    };
    let sign = if number < 0.0 { "−" } else { "" };
    let decimals = match scaled {
        _ if unit.is_empty() || scaled >= 99.95 => 0,
        _ if scaled >= 9.995 => 1,
        _ => 2,
    };
    let digits = format!("{scaled:.decimals$}");
    if unit.is_empty() { format!("{sign}{digits}") } else { format!("{sign}{digits}{THIN}{unit}") }
}

/// A tick of a scale of counts: as [`count`], without zeros at the end.
pub(crate) fn count_tick(number: f64) -> String {
    let text = count(number);
    let (digits, unit) = text.split_once(THIN).unwrap_or((&text, ""));
    if unit.is_empty() || !digits.contains('.') {
        return text;
    }
    format!("{}{THIN}{unit}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// A tick of a scale of dollars: as [`dollars`], without empty cents.
pub(crate) fn dollars_tick(number: f64) -> String {
    let text = dollars(number);
    text.strip_suffix(".00").map_or(text.clone(), str::to_owned)
}

/// A tick of a scale of changes: as [`change`], without an empty decimal.
pub(crate) fn change_tick(fraction: f64) -> String {
    change(Some(fraction)).replace(&format!(".0{THIN}"), &THIN.to_string())
}

/// US dollars: `$1.24`, `$0.0042`, `$1,240`, `−$0.50`.
pub(crate) fn dollars(number: f64) -> String {
    if !number.is_finite() {
        return NONE.to_owned();
    }
    let size = number.abs();
    let text = if size >= 999.5 {
        thousands(size.round() as u64)
    } else if !(0.000_05..0.0995).contains(&size) {
        format!("{size:.2}")
    } else if size >= 0.009_95 {
        format!("{size:.3}")
    } else {
        format!("{size:.4}")
    };
    let sign = if number < 0.0 && size >= 0.000_05 { "−" } else { "" };
    format!("{sign}${text}")
}

/// `1234567` as `1,234,567`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A change as a signed percentage: `−28.1 %`, `+7 %`, `0 %`.
pub(crate) fn change(fraction: Option<f64>) -> String {
    let Some(fraction) = fraction.filter(|fraction| fraction.is_finite()) else {
        return NONE.to_owned();
    };
    let percent = (fraction * 1000.0).round() / 10.0;
    let sign = match percent {
        _ if percent < 0.0 => "−",
        _ if percent > 0.0 => "+",
        _ => "",
    };
    let text = if percent == 0.0 { "0".to_owned() } else { format!("{:.1}", percent.abs()) };
    format!("{sign}{text}{THIN}%")
}

/// A share in percent. Never rounded up to 100: `100 %` means all.
pub(crate) fn share(share: Share) -> String {
    if share.used == 0 {
        return NONE.to_owned();
    }
    if share.visible >= share.used {
        return format!("100{THIN}%");
    }
    let percent = (share.ratio() * 10_000.0).floor() / 100.0;
    format!("{percent:.2}{THIN}%")
}

/// A number for each of several: two digits after the point.
pub(crate) fn each(sum: u64, of: u64) -> String {
    if of == 0 { NONE.to_owned() } else { format!("{:.2}", sum as f64 / of as f64) }
}

/// `1 request`, `2 requests`.
pub(crate) fn plural(number: u64, word: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {word}{ending}", thousands(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shown: &[String], expected: &[&str]) {
        let shown: Vec<String> = shown.iter().map(|text| text.replace(THIN, " ")).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn counts() {
        let numbers = [0.0, 1.0, 980.0, 999.4, 999.6, 12_345.0, 123_456.0, 999_600.0, 1_240_000.0];
        check(
            &numbers.map(count),
            &["0", "1", "980", "999", "1.00 k", "12.3 k", "123 k", "1.00 M", "1.24 M"],
        );
        check(&[-4200.0, 2.5e9, f64::NAN].map(count), &["−4.20 k", "2.50 G", "–"]);
    }

    #[test]
    fn ticks_have_no_empty_digits() {
        check(
            &[0.0, 500.0, 2500.0, 20_000.0, 150_000.0, 1e6].map(count_tick),
            &["0", "500", "2.5 k", "20 k", "150 k", "1 M"],
        );
        check(
            &[0.0, 0.25, 2.5, 200.0, 5000.0].map(dollars_tick),
            &["$0", "$0.25", "$2.50", "$200", "$5,000"],
        );
        check(&[0.0, -0.2, 0.025].map(change_tick), &["0 %", "−20 %", "+2.5 %"]);
    }

    #[test]
    fn money() {
        let numbers = [0.0, 1.239, 0.0042, 0.0123, 0.5, -0.5, 999.0, 1240.4, -0.000_001];
        check(
            &numbers.map(dollars),
            &[
                "$0.00", "$1.24", "$0.0042", "$0.012", "$0.50", "−$0.50", "$999.00", "$1,240",
                "$0.00",
            ],
        );
        check(&[dollars(f64::INFINITY), thousands(1_234_567)], &["–", "1,234,567"]);
    }

    #[test]
    fn changes() {
        let changes = [Some(-0.281), Some(0.87), Some(0.0), Some(-0.000_01), None, Some(f64::NAN)];
        check(&changes.map(change), &["−28.1 %", "+87.0 %", "0 %", "0 %", "–", "–"]);
    }

    #[test]
    fn a_share_is_whole_only_if_nothing_is_missing() {
        let of = |visible, used| share(Share { used, visible });
        check(
            &[of(0, 0), of(5, 5), of(99_999, 100_000), of(997, 1000), of(0, 3)],
            &["–", "100 %", "99.99 %", "99.70 %", "0.00 %"],
        );
        check(
            &[each(1, 4), each(1, 0), plural(1, "file"), plural(1200, "file")],
            &["0.25", "–", "1 file", "1,200 files"],
        );
    }
}
