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
mod tests;
