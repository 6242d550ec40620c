//! Numbers as people read them.

/// A count with its thousands apart: `12 345`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Tokens in three digits or so: `950`, `2.1k`, `31.4M`.
pub fn tokens(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        // 999 950 would be written as 1000.0k.
        1_000..999_950 => format!("{:.1}k", tokens as f64 / 1e3),
        _ => format!("{:.1}M", tokens as f64 / 1e6),
    }
}

/// US dollars: `$1 234.50`; small amounts with more places, so that they do not read as nothing.
pub fn dollars(amount: f64) -> String {
    if amount.abs() < 0.1 && amount != 0.0 {
        return format!("${amount:.4}");
    }
    let cents = (amount * 100.0).round().max(0.0) as u64;
    format!("${}.{:02}", count(cents / 100), cents % 100)
}

/// `, $1.20` behind what something took; nothing where that cost nothing.
pub fn dollars_behind(cost: f64) -> String {
    if cost > 0.0 { format!(", {}", dollars(cost)) } else { String::new() }
}

/// US dollars that may be fewer than none: `-$1.20`.
pub fn signed_dollars(amount: f64) -> String {
    let sign = if amount < 0.0 { "-" } else { "" };
    format!("{sign}{}", dollars(amount.abs()))
}

/// A change as a signed percentage: `-27.5 %`.
pub fn change(ratio: f64) -> String {
    let percent = format!("{:+.1} %", ratio * 100.0);
    if percent == "-0.0 %" { "+0.0 %".to_owned() } else { percent }
}

/// `1 session`, `2 sessions`.
pub fn plural(number: u64, word: &str) -> String {
    format!("{} {word}{}", count(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
