//! Options of command lines that hold a password or a token: `--password VALUE`. Read by hand, since
//! a text may be full of them; the tests hold each against the expression that says the same.

use std::ops::Range;

/// Names of options with a value made by chance, in small letters, behind `--`.
const NAMES: [&[u8]; 15] = [
    b"pass",
    b"password",
    b"passwd",
    b"passphrase",
    b"token",
    b"secret",
    b"apikey",
    b"apitoken",
    b"api-key",
    b"api_key",
    b"api-token",
    b"api_token",
    b"auth-token",
    b"access-token",
    b"access-key",
];

/// The same of keys that are called secret.
const SECRET_NAMES: [&[u8]; 2] = [b"secret-key", b"secret-access-key"];

/// Names of options with a password that a person chose.
const PASSWORDS: [&[u8]; 4] = [b"pass", b"password", b"passwd", b"passphrase"];

/// Longest name.
const NAME_BYTES_MAX: usize = 17;

/// Blanks between a name and its value.
const BLANKS_MAX: usize = 4;

/// Signs of a value that was made by chance.
const TOKEN_BYTES: Range<usize> = 8..151;

/// Signs of a password behind its first one.
const PASSWORD_REST_MIN: usize = 5;
const PASSWORD_REST_MAX: usize = 80;

/// What was read: where it ends, with the sign behind the value, and the value.
pub(crate) type Read = (usize, Range<usize>);

/// An option at the beginning of `text` whose value has signs of tokens only.
pub(crate) fn token(text: &[u8]) -> Option<Read> {
    let start = value(text, |name| NAMES.contains(&name) || SECRET_NAMES.contains(&name))?;
    let is_sign = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=_.~!@%^*#-".contains(byte);
    let signs = text[start..].iter().take(TOKEN_BYTES.end).take_while(is_sign).count();
    let end = start + signs;
    let behind = text.get(end);
    let ends = behind.is_none_or(|byte| is_blank(*byte) || b";&|\"'`)<>\\".contains(byte));
    let is_token = TOKEN_BYTES.contains(&signs) && ends;
    is_token.then(|| (end + usize::from(behind.is_some()), start..end))
}

/// An option at the beginning of `text` whose value may have any signs that words have.
pub(crate) fn password(text: &[u8]) -> Option<Read> {
    let start = value(text, |name| PASSWORDS.contains(&name))?;
    let first = *text.get(start)?;
    if is_blank(first) || b"\"'`$<>{}()[]|;&\\-".contains(&first) {
        return None;
    }
    let is_sign = |byte: &&u8| !is_blank(**byte) && !b"\"'`<>|;&\\".contains(byte);
    let rest = start + 1;
    let signs = text[rest..].iter().take(PASSWORD_REST_MAX).take_while(is_sign).count();
    let ends = |end: &usize| {
        text.get(*end).is_none_or(|byte| is_blank(*byte) || b";&|\"'`)".contains(byte))
    };
    // The longest value that something ends: a bracket may be one of its signs, too.
    let end = (rest + PASSWORD_REST_MIN..=rest + signs).rev().find(ends)?;
    Some((end + usize::from(end < text.len()), start..end))
}

/// Where the value begins of an option that is called what `is_name` says: behind blanks, or behind
/// a quote in a list of arguments, and behind a quote of its own.
fn value(text: &[u8], is_name: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let body = text.strip_prefix(b"--")?;
    let mut name = [0; NAME_BYTES_MAX];
    let is_sign = |byte: &&u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    let length = body.iter().take(NAME_BYTES_MAX).take_while(is_sign).count();
    let gap = &body[length..];
    let blanks = match gap.first()? {
        b' ' | b'\t' => {
            gap.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).take(BLANKS_MAX + 1).count()
        }
        b'"' | b'\'' => 0,
        _ => return None,
    };
    let name = &mut name[..length];
    name.copy_from_slice(&body[..length]);
    name.make_ascii_lowercase();
    if !is_name(name) {
        return None;
    }
    let gap = match blanks {
        0 => {
            let comma = 1 + usize::from(gap.get(1) == Some(&b','));
            let blanks =
                gap[comma..].iter().take(BLANKS_MAX + 1).take_while(|byte| is_blank(**byte));
            let blanks = blanks.count();
            (1..=BLANKS_MAX).contains(&blanks).then_some(comma + blanks)?
        }
        _ => (blanks <= BLANKS_MAX).then_some(blanks)?,
    };
    let at = 2 + length + gap;
    let is_quoted = matches!(text.get(at), Some(b'"' | b'\'' | b'`'));
    Some(at + usize::from(is_quoted))
}

/// What expressions call a blank.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::bytes::Regex;

    use super::*;

    const TOKEN: &str = r#"(?i-u)^--(?:pass(?:word|wd|phrase)?|token|secret|api[-_]?(?:key|token)|auth-token|access-(?:token|key)|secret-(?:access-)?key)(?:[ \t]{1,4}|["'],?\s{1,4})["'`]?([A-Za-z0-9+/=_.~!@%^*\#-]{8,150})(?:[\s;&|"'`)<>\\]|$)"#;
    const PASSWORD: &str = r#"(?i-u)^--pass(?:word|wd|phrase)?(?:[ \t]{1,4}|["'],?\s{1,4})["'`]?([^\s"'`$<>{}()\[\]|;&\\-][^\s"'`<>|;&\\]{5,80})(?:[\s;&|"'`)]|$)"#;

    fn by(form: &Regex, text: &[u8]) -> Option<Read> {
        let found = form.captures(text)?;
        Some((found.get(0)?.end(), found.get(1)?.range()))
    }

    fn parts() -> impl Strategy<Value = String> {
        let name = prop::sample::select(vec![
            "pass",
            "PASSword",
            "passwd",
            "passphrase",
            "passport",
            "token",
            "secret",
            "api",
            "apikey",
            "api_token",
            "api-key",
            "auth-token",
            "auth",
            "access-key",
            "access-token",
            "secret-key",
            "secret-access-key",
            "secret-access",
            "secret-",
            "password-",
        ]);
        let between = "[ \t]{0,5}|[\"'],?[ \t\n\u{b}]{0,5}|=";
        let value = "[\"'`]?(a|[a-zA-Z0-9+/=_.~!@%^*#-]{4,12}|[ -~]{4,12}|a{70,90}\\)?|a{140,155}|[a-z)(]{3,90}|é{3,6})";
        let behind = "|[ -~]{0,3}|\n[ -~]{0,9}";
        (name, between, value, behind)
            .prop_map(|(name, between, value, behind)| format!("--{name}{between}{value}{behind}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn options_are_read_as_expressions_say(text in parts()) {
            thread_local! {
                static FORMS: [Regex; 2] = [TOKEN, PASSWORD].map(|form| Regex::new(form).expect("it is one"));
            }
            FORMS.with(|[by_token, by_password]| {
                let text = text.as_bytes();
                prop_assert_eq!(token(text), by(by_token, text));
                prop_assert_eq!(password(text), by(by_password, text));
                Ok(())
            })?;
        }
    }
}
