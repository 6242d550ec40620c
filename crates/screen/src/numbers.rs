//! Numbers in readable form.

use std::fmt::{self, Display, Formatter};

/// Formats a count with its thousands separated: `12 345`.
pub fn format_count(number: u64) -> String {
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

/// Formats a number of tokens with about three digits: `950`, `2.1k`, `31.4M`.
pub fn format_tokens(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        // 999 950 would be written as 1000.0k.
        1_000..999_950 => format!("{:.1}k", tokens as f64 / 1e3),
        _ => format!("{:.1}M", tokens as f64 / 1e6),
    }
}

/// Formats US dollars: `$1 234.50`. Small amounts get more decimals, so that they do not appear as
/// zero.
pub fn format_dollars(amount: f64) -> String {
    if amount.abs() < 0.1 && amount != 0.0 {
        return format!("${amount:.4}");
    }
    let cents = (amount * 100.0).round().max(0.0) as u64;
    format!("${}.{:02}", format_count(cents / 100), cents % 100)
}

/// Returns `, $1.20` to append to a text; empty if the cost is zero. A cost that is not known, or
/// only in part, is called so.
pub fn cost_suffix(cost: f64, is_unknown: bool) -> String {
    match (cost > 0.0, is_unknown) {
        (false, false) => String::new(),
        (false, true) => ", cost unknown".to_owned(),
        (true, _) => format!(", {}", format_cost(cost, is_unknown)),
    }
}

/// Formats a cost in US dollars of which a part may be unknown: `$1.20`, `more than $1.20`, or
/// `unknown` if nothing is known.
pub fn format_cost(cost: f64, is_unknown: bool) -> String {
    match (cost > 0.0, is_unknown) {
        (false, true) => "unknown".to_owned(),
        (true, true) => format!("more than {}", format_dollars(cost)),
        (_, false) => format_dollars(cost),
    }
}

/// Formats US dollars that may be negative: `-$1.20`.
pub fn format_signed_dollars(amount: f64) -> String {
    let sign = if amount < 0.0 { "-" } else { "" };
    format!("{sign}{}", format_dollars(amount.abs()))
}

/// Formats a ratio of change as a signed percentage: `-27.5 %`.
pub fn format_percent_change(ratio: f64) -> String {
    let percent = format!("{:+.1} %", ratio * 100.0);
    if percent == "-0.0 %" { "+0.0 %".to_owned() } else { percent }
}

/// Formats a count with its noun: `1 session`, `2 sessions`, `12 345 sessions`.
pub fn format_plural(number: u64, word: &str) -> String {
    format!("{} {word}{}", format_count(number), plural_ending(number))
}

/// A count with its noun for a model, so without separated thousands: `12345 sessions`.
#[derive(Debug, Clone, Copy)]
pub struct PlainCount<'a> {
    number: u64,
    /// The noun in the singular.
    noun: &'a str,
}

impl<'a> PlainCount<'a> {
    /// Returns a count of `noun`.
    pub fn new(number: impl TryInto<u64>, noun: &'a str) -> Self {
        Self { number: number.try_into().unwrap_or(u64::MAX), noun }
    }

    /// Returns the verb that follows the count: `is` or `are`.
    pub fn verb(self) -> &'static str {
        if self.number == 1 { "is" } else { "are" }
    }
}

impl Display for PlainCount<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { number, noun } = self;
        write!(f, "{number} {noun}{}", plural_ending(*number))
    }
}

fn plural_ending(number: u64) -> &'static str {
    if number == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests;
