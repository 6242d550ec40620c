//! Values that are told by what they are assigned to.

use std::ops::Range;

use crate::assigned::{Assigned, How, assigned};
use crate::chance::{bits, is_chosen, is_identifier, is_mixed, is_name, is_template, looks_random};
use crate::names::{Sound, sound};

/// Words of names that are looked at.
pub(crate) const WORDS: &[&str] = &[
    "pass",
    "pwd",
    "_pw",
    "psk",
    "secret",
    "token",
    "credential",
    "apikey",
    "api_key",
    "api-key",
    "api.key",
    "access_key",
    "access-key",
    "accesskey",
    "private_key",
    "private-key",
    "privatekey",
    "privkey",
    "encryption_key",
    "encryption-key",
    "encryptionkey",
    "encrypt_key",
    "signing_key",
    "signing-key",
    "signingkey",
    "master_key",
    "master-key",
    "masterkey",
    "auth_key",
    "auth-key",
    "authkey",
    "shared_key",
    "sharedkey",
    "preshared",
    "app_key",
    "appkey",
    "account_key",
    "service_key",
    "storage_key",
    "storagekey",
    "session_key",
    "sessionkey",
    "webhook_key",
    "license_key",
    "licensekey",
    "subscription-key",
    "subscriptionkey",
    "subscription_key",
    "_key=",
    "_key:",
    "_key\"",
    "_key'",
    "_key =",
];

/// Longest name that is looked at, on either side of its word.
const NAME_BYTES_MAX: usize = 64;

/// Shortest token, password, and password between `;`.
const TOKEN_BYTES_MIN: usize = 8;
const PASSWORD_BYTES_MIN: usize = 6;
const CONNECTION_BYTES_MIN: usize = 4;

/// Shortest value of a name that only says that it is a key.
const KEY_BYTES_MIN: usize = 16;

/// Words of a password.
const PHRASE_WORDS_MAX: usize = 24;

/// Bits of chance that each sign of such a value has.
const KEY_BITS_MIN: f32 = 3.2;

/// Names of what is asked for a secret, compared with one or made of one.
const QUESTIONS: [&[u8]; 12] = [
    b"get",
    b"prompt",
    b"read",
    b"ask",
    b"hash",
    b"check",
    b"verify",
    b"validate",
    b"compare",
    b"find",
    b"has",
    b"is",
];

/// What came of looking at a name.
pub(crate) struct Tried {
    /// Where the name stands.
    pub(crate) name: Range<usize>,
    /// The secret that is assigned to it.
    pub(crate) secret: Option<Range<usize>>,
}

/// Looks at the name around the word at `hit`.
pub(crate) fn tried(text: &[u8], hit: &Range<usize>) -> Tried {
    let name = name_around(text, hit);
    let secret = || {
        // Most names are assigned nothing, which is told faster.
        let value = assigned(text, &name)?;
        let sound = sound(&text[name.clone()])?;
        let value = without_scheme(text, value);
        is_secret(text, &name, sound, &value).then_some(value.range)
    };
    Tried { secret: secret(), name }
}

fn name_around(text: &[u8], hit: &Range<usize>) -> Range<usize> {
    let is_sign = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    // A word may have the sign behind it that assigns.
    let end = hit.start + text[hit.clone()].iter().take_while(|byte| is_sign(byte)).count();
    let before = text[..hit.start].iter().rev().take(NAME_BYTES_MAX).take_while(is_sign).count();
    let behind = text[end..].iter().take(NAME_BYTES_MAX).take_while(is_sign).count();
    let mut name = hit.start - before..end + behind;
    while name.end > end && !is_name(&text[name.end - 1]) {
        name.end -= 1;
    }
    name
}

/// The value without what says how it is to be used.
fn without_scheme(text: &[u8], mut value: Assigned) -> Assigned {
    for scheme in [&b"Bearer "[..], b"bearer ", b"Basic ", b"Token ", b"token ", b"base64:"] {
        if text[value.range.clone()].starts_with(scheme) {
            value.range.start += scheme.len();
        }
    }
    value
}

/// Whether what is assigned to `name` is a secret, by what the name says and how it looks.
pub(crate) fn is_secret(
    text: &[u8],
    name: &Range<usize>,
    sound: Sound,
    assigned: &Assigned,
) -> bool {
    let (name_text, value) = (&text[name.clone()], &text[assigned.range.clone()]);
    let is_question = |word: &[u8]| {
        name_text.len() > word.len()
            && name_text[..word.len()].eq_ignore_ascii_case(word)
            && !name_text[word.len()].is_ascii_lowercase()
    };
    // `required|string|min:8`: what a value has to be.
    let is_rule = value.contains(&b'|')
        && value.split(|byte| *byte == b'|').all(|part| {
            part.first().is_some_and(u8::is_ascii_lowercase)
                && part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_:,".contains(byte))
        });
    if is_rule || is_template(value) || QUESTIONS.into_iter().any(is_question) {
        return false;
    }
    // Letters of other scripts, as some write them in code.
    if value.windows(2).any(|pair| pair == b"\\u") {
        return false;
    }
    if value.iter().any(u8::is_ascii_whitespace) {
        return sound == Sound::Password && assigned.is_quoted && is_phrase(value);
    }
    let is_code = !assigned.is_quoted && !is_shouted(name_text) && is_identifier(value);
    let is_random = value.len() >= TOKEN_BYTES_MIN && looks_random(value) && !is_code;
    match sound {
        Sound::Token => is_random,
        Sound::Key => is_random && value.len() >= KEY_BYTES_MIN && bits(value) >= KEY_BITS_MIN,
        Sound::Password => is_random || is_password(text, name, assigned),
    }
}

/// Whether several words are a password, and not what is said of one: most of them are words with
/// numbers in them.
fn is_phrase(value: &[u8]) -> bool {
    let words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (mut all, mut mixed) = (0, 0);
    for word in words {
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        let is_one = word.len() >= PASSWORD_BYTES_MIN
            && (1..word.len()).contains(&digits)
            && is_chosen(word)
            && is_mixed(word)
            && !names_secret(word);
        (all, mixed) = (all + 1, mixed + usize::from(is_one));
    }
    all <= PHRASE_WORDS_MAX && mixed > 0 && 2 * mixed >= all
}

/// Whether a person chose the value of a name of passwords.
fn is_password(text: &[u8], name: &Range<usize>, assigned: &Assigned) -> bool {
    let (name_text, value) = (&text[name.clone()], &text[assigned.range.clone()]);
    let before = text[..name.start].trim_ascii_end().last();
    let is_connection = before == Some(&b';') && assigned.how == How::Tight;
    let least = if is_connection { CONNECTION_BYTES_MIN } else { PASSWORD_BYTES_MIN };
    if value.len() < least || !is_chosen(value) || names_secret(value) {
        return false;
    }
    let spelled = String::from_utf8_lossy(value);
    let is_path = value.starts_with(b"/") || value.starts_with(b"./") || value.starts_with(b"~/");
    let is_constant =
        value.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'.'));
    let is_word = is_path || is_constant;
    if is_connection {
        return !is_word;
    }
    let is_number = value.iter().all(u8::is_ascii_digit);
    match assigned.how {
        How::Tight if is_shouted(name_text) && !assigned.is_quoted => {
            let has_parts = name_text.contains(&b'_') && value.len() >= TOKEN_BYTES_MIN;
            !is_word && (is_mixed(value) || is_number || has_parts)
        }
        _ if assigned.is_quoted => {
            let is_spelled = is_name(&spelled) && spelled.contains(['_', '-', '.', '/', ':']);
            let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
            let is_code = digits < 2 && (is_spelled || is_camel(value));
            (is_mixed(value) && !is_code && !is_word) || is_number
        }
        _ => is_mixed(value) && !is_word && !(is_identifier(value) && is_camel(value)),
    }
}

/// Whether a value is spelled with the words of names for secrets: it stands for one.
fn names_secret(value: &[u8]) -> bool {
    const WORDS: [&[u8]; 7] =
        [b"password", b"passwd", b"pwd", b"secret", b"token", b"key", b"pass"];
    let is_separator = |byte: &u8| matches!(byte, b'_' | b'-' | b'.' | b':' | b'/');
    let is_one = |part: &[u8]| WORDS.iter().any(|word| part.eq_ignore_ascii_case(word));
    value.iter().any(is_separator) && value.split(is_separator).any(is_one)
}

/// Whether a value has a capital inside of a word, or parts, as names of code have.
fn is_camel(value: &[u8]) -> bool {
    let is_inner = |pair: &[u8]| pair[0].is_ascii_alphanumeric() && pair[1].is_ascii_uppercase();
    let has_small = value.iter().any(u8::is_ascii_lowercase);
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let has_parts = value.contains(&b'.') || value.contains(&b'_') && digits < 2;
    is_identifier(value) && (has_small && value.windows(2).any(is_inner) || has_parts)
}

/// Whether a name is spelled as variables of commands are.
fn is_shouted(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase)
}
