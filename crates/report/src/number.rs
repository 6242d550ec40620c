//! Formats numbers for readers: thin spaces before units, a true minus sign.

use foveal_replay::conversation_replay::VisibleShare;

/// A narrow no-break space before a unit.
const THIN: char = '\u{202f}';

/// The text in place of a missing number.
pub(crate) const NO_NUMBER: &str = "–";

/// Formats a count or a size: `980`, `12.3 k`, `1.24 M`.
pub(crate) fn format_count(number: f64) -> String {
    if !number.is_finite() {
        return NO_NUMBER.to_owned();
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

/// Formats a tick of a scale of counts: as [`format_count`], without trailing zeros.
pub(crate) fn format_count_tick(number: f64) -> String {
    let text = format_count(number);
    let (digits, unit) = text.split_once(THIN).unwrap_or((&text, ""));
    if unit.is_empty() || !digits.contains('.') {
        return text;
    }
    format!("{}{THIN}{unit}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// Formats a tick of a scale of dollars: as [`format_dollars`], without empty cents.
pub(crate) fn format_dollars_tick(number: f64) -> String {
    let text = format_dollars(number);
    let Some((whole, decimals)) = text.split_once('.') else { return text };
    match decimals.trim_end_matches('0') {
        "" => whole.to_owned(),
        decimals => format!("{whole}.{decimals:0<2}"),
    }
}

/// Formats a tick of a scale of changes: as [`format_change`], without an empty decimal.
pub(crate) fn format_change_tick(fraction: f64) -> String {
    format_change(Some(fraction)).replace(&format!(".0{THIN}"), &THIN.to_string())
}

/// Formats US dollars: `$1.24`, `$0.0042`, `$1,240`, `−$0.50`.
pub(crate) fn format_dollars(number: f64) -> String {
    if !number.is_finite() {
        return NO_NUMBER.to_owned();
    }
    let size = number.abs();
    let text = if size >= 999.5 {
        format_thousands(size.round() as u64)
    } else if !(0.000_05..0.0995).contains(&size) {
        format!("{size:.2}")
    } else {
        format!("{size:.4}")
    };
    let sign = if number < 0.0 && size >= 0.000_05 { "−" } else { "" };
    format!("{sign}${text}")
}

/// Formats `1234567` as `1,234,567`.
pub(crate) fn format_thousands(number: u64) -> String {
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

/// Formats a change as a signed percentage: `−28.1 %`, `+7 %`, `0 %`.
pub(crate) fn format_change(fraction: Option<f64>) -> String {
    let Some(fraction) = fraction.filter(|fraction| fraction.is_finite()) else {
        return NO_NUMBER.to_owned();
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

/// Formats a share in percent. Never rounds up to 100: `100 %` means all.
pub(crate) fn format_share(share: VisibleShare) -> String {
    if share.used == 0 {
        return NO_NUMBER.to_owned();
    }
    if share.visible >= share.used {
        return format!("100{THIN}%");
    }
    let percent = (share.ratio() * 10_000.0).floor() / 100.0;
    format!("{percent:.2}{THIN}%")
}

/// Formats a mean with two digits after the point.
pub(crate) fn format_mean(sum: u64, of: u64) -> String {
    if of == 0 { NO_NUMBER.to_owned() } else { format!("{:.2}", sum as f64 / of as f64) }
}

/// Formats a count with its noun: `1 request`, `2 requests`.
pub(crate) fn format_plural(number: u64, word: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {word}{ending}", format_thousands(number))
}

#[cfg(test)]
mod tests;
