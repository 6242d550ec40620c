//! Halves of characters: JSON can spell one half of a surrogate pair, and models' texts are cut in
//! between. No text of Rust can hold one, so it is held by another character until its other half
//! has come.

/// The characters that stand for halves: the last ones of the last private plane.
const FIRST: u32 = 0x0010_F800;

/// The first half, where UTF-16 begins with them.
const FIRST_HALF: u32 = 0xD800;

/// JSON with other characters in place of halves; `None` where there are none.
pub(super) fn held(json: &[u8]) -> Option<Vec<u8>> {
    let mut held = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', json.get(at..)?) {
        let escape = at + next;
        at = escape + 2;
        let Some(half) = half(json, escape) else { continue };
        at = escape + 6;
        let is_first = half < 0xDC00;
        let other = self::half(json, at).filter(|other| is_first && *other >= 0xDC00);
        if other.is_some() {
            at += 6;
            continue;
        }
        held.extend_from_slice(&json[from..escape]);
        let stands_for = char::from_u32(FIRST + (half - FIRST_HALF))?;
        held.extend_from_slice(stands_for.encode_utf8(&mut [0; 4]).as_bytes());
        from = at;
    }
    if held.is_empty() {
        return None;
    }
    held.extend_from_slice(&json[from..]);
    Some(held)
}

/// The half that is spelled here.
fn half(json: &[u8], at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let half = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (FIRST_HALF..0xE000).contains(&half).then_some(half)
}

/// A text in which halves are held, with the characters that they make. One that is alone is
/// spelled as JSON spells it inside strings.
pub(super) fn joined(text: &str) -> String {
    let half = |sign: char| u32::from(sign).checked_sub(FIRST).map(|half| half + FIRST_HALF);
    let mut joined = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        let Some(own) = half(sign) else {
            joined.push(sign);
            continue;
        };
        let other = signs.peek().copied().and_then(half).filter(|other| *other >= 0xDC00);
        match other.filter(|_| own < 0xDC00) {
            Some(other) => {
                signs.next();
                let both = 0x1_0000 + ((own - FIRST_HALF) << 10) + (other - 0xDC00);
                joined.extend(char::from_u32(both));
            }
            None => joined.push_str(&format!("\\u{own:04x}")),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::{held, joined};

    #[test]
    fn halves_are_held_until_they_meet() {
        for (json, expected) in [
            (r#"{"a":"\ud83d"}"#, Some(r#"{"a":"\ud83d"}"#)),
            (r#""\ud83dx\ude00""#, Some(r#""\ud83dx\ude00""#)),
            (r#""\ude00\uD83D""#, Some(r#""\ude00\ud83d""#)),
            (r#""\ud83d\ud83d\ude00""#, Some(r#""\ud83d\ud83d\ude00""#)),
            (r#""\ud83d\ude00 \u00e4 \\ud83d""#, None),
            (r#""no\\""#, None),
        ] {
            let held = held(json.as_bytes()).map(|held| String::from_utf8(held).unwrap());
            assert_eq!(held.as_deref().map(joined).as_deref(), expected, "{json}");
            if let Some(held) = held {
                serde_json::from_str::<serde_json::Value>(&held).unwrap();
            }
        }
        let [one, other] = [r#""\ud83d""#, r#""\ude00""#]
            .map(|half| serde_json::from_slice::<String>(&held(half.as_bytes()).unwrap()).unwrap());
        assert_eq!(joined(&(one + &other)), "😀");
    }
}
