//! What the name that a value is assigned to says of the value.

use std::sync::LazyLock;

use crate::dictionary::Dictionary;

/// How much a name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sound {
    /// A password: people choose words.
    Password,
    /// A key or a token, which programs make by chance.
    Token,
    /// A key of some sort, which may be one of a table.
    Key,
}

/// Longest name that is looked at, in parts.
const PARTS_MAX: usize = 12;

/// Longest name: that of a word with as much on either side as is looked at.
pub(crate) const NAME_BYTES_MAX: usize = 192;

/// Ends of names of passwords.
const PASSWORDS: [&str; 9] =
    ["password", "passwd", "passphrase", "passwort", "passcode", "pwd", "psk", "pw", "pass"];

/// Words that end like names of passwords and are none.
const NO_PASSWORDS: [&str; 9] = [
    "bypass",
    "compass",
    "surpass",
    "overpass",
    "underpass",
    "trespass",
    "encompass",
    "pypass",
    "subpass",
];

/// Parts of names of keys, with nothing between their words.
const KEYS: [&str; 25] = [
    "accesskey",
    "accountkey",
    "apikey",
    "appkey",
    "applicationkey",
    "authkey",
    "credential",
    "encryptionkey",
    "encryptkey",
    "hmackey",
    "licensekey",
    "masterkey",
    "presharedkey",
    "privatekey",
    "privkey",
    "secret",
    "servicekey",
    "sessionkey",
    "sharedkey",
    "signaturekey",
    "signingkey",
    "storagekey",
    "subscriptionkey",
    "webhookkey",
    "keypass",
];

/// Ends of names of what is beside a secret: its place, its form, how many there are.
const ABOUT: [&str; 50] = [
    "address",
    "alg",
    "algorithm",
    "arn",
    "attempts",
    "class",
    "column",
    "count",
    "enabled",
    "endpoint",
    "error",
    "expires",
    "expiry",
    "field",
    "file",
    "filename",
    "format",
    "handler",
    "hint",
    "host",
    "input",
    "kind",
    "label",
    "len",
    "length",
    "limit",
    "link",
    "max",
    "message",
    "min",
    "mode",
    "name",
    "path",
    "pattern",
    "placeholder",
    "policy",
    "prefix",
    "prompt",
    "ref",
    "regex",
    "required",
    "rule",
    "size",
    "suffix",
    "text",
    "title",
    "ttl",
    "type",
    "uri",
    "url",
];

/// Ends of names that say in which place the secret is used.
const PLACES: [&str; 20] = [
    "b64",
    "base64",
    "confirm",
    "confirmation",
    "current",
    "default",
    "dev",
    "development",
    "env",
    "local",
    "new",
    "old",
    "plain",
    "plaintext",
    "prod",
    "production",
    "raw",
    "stage",
    "staging",
    "value",
];

/// Words before `key` in names of keys that are no secret.
const OPEN_KEYS: [&str; 34] = [
    "arrow",
    "bucket",
    "cache",
    "column",
    "composite",
    "config",
    "context",
    "dict",
    "duplicate",
    "enter",
    "field",
    "foreign",
    "group",
    "hash",
    "hot",
    "i18n",
    "index",
    "item",
    "lookup",
    "map",
    "message",
    "object",
    "order",
    "partition",
    "primary",
    "pub",
    "public",
    "query",
    "row",
    "site",
    "sort",
    "storage",
    "translation",
    "unique",
];

/// What `name` says of what it names; `None` if it says nothing.
pub(crate) fn sound(name: &[u8]) -> Option<Sound> {
    let name = &name[..name.len().min(NAME_BYTES_MAX)];
    let mut letters = [0; NAME_BYTES_MAX];
    let mut places = [(0, 0); PARTS_MAX];
    let parts = parts(name, &mut letters, &mut places);
    let mut words = [&[][..]; PARTS_MAX];
    let words = &mut words[..parts.len()];
    for (word, (from, to)) in words.iter_mut().zip(parts) {
        *word = &letters[*from..*to];
    }
    let mut words = &*words;
    while let [rest @ .., last] = words
        && !rest.is_empty()
        && is_place(last)
    {
        words = rest;
    }
    let last = *words.last()?;
    let is = |list: &[&str], word: &[u8]| list.iter().any(|known| known.as_bytes() == word);
    let ends = |word: &[u8], end: &str| word.ends_with(end.as_bytes());
    if is(&ABOUT, last) {
        return None;
    }
    let is_password = PASSWORDS.iter().any(|end| match end.len() {
        0..=3 => last == end.as_bytes(),
        _ => ends(last, end),
    });
    if is_password && !is(&NO_PASSWORDS, last) {
        return Some(Sound::Password);
    }
    let joined = &letters[..parts.get(words.len() - 1)?.1];
    let is_public = words.iter().any(|word| matches!(*word, b"public" | b"pub" | b"publishable"));
    let is_token = words.iter().any(|word| ends(word, "token") || is(&PASSWORDS, word));
    if KEY_WORDS.is_in(joined) {
        return (!is_public).then_some(Sound::Token);
    }
    if is_token {
        return Some(Sound::Token);
    }
    let before = words.len().checked_sub(2).map(|at| words[at]);
    let is_key = last == b"key" && !is_public && before.is_some_and(|word| !is(&OPEN_KEYS, word));
    is_key.then_some(Sound::Key)
}

/// The words of names of keys, made ready.
static KEY_WORDS: LazyLock<Dictionary<()>> =
    LazyLock::new(|| Dictionary::of(&[&KEYS[..], &["password", "passwd", "passphrase"]].concat()));

fn is_place(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_digit) || PLACES.iter().any(|place| place.as_bytes() == word)
}

/// Puts the letters of the parts of a name, in small ones and with nothing between them, into
/// `letters`, and where each part stands there into `places`. Parts end at separators and where
/// capitals begin.
fn parts<'p>(
    name: &[u8],
    letters: &mut [u8; NAME_BYTES_MAX],
    places: &'p mut [(usize, usize); PARTS_MAX],
) -> &'p [(usize, usize)] {
    let (mut count, mut written, mut start) = (0, 0, 0);
    for at in 0..=name.len() {
        let sign = name.get(at).copied();
        let before = at.checked_sub(1).map(|at| name[at]);
        let next = name.get(at + 1).copied();
        let is_separator = sign.is_none_or(|sign| !sign.is_ascii_alphanumeric());
        let is_capital = |sign: Option<u8>| sign.is_some_and(|sign| sign.is_ascii_uppercase());
        let is_small = |sign: Option<u8>| sign.is_some_and(|sign| sign.is_ascii_lowercase());
        let begins =
            is_capital(sign) && (is_small(before) || (is_capital(before) && is_small(next)));
        if is_separator || begins {
            if start < at && count < PARTS_MAX {
                let end = written + at - start;
                letters[written..end].copy_from_slice(&name[start..at]);
                letters[written..end].make_ascii_lowercase();
                places[count] = (written, end);
                (count, written) = (count + 1, end);
            }
            start = at + usize::from(is_separator);
        }
    }
    &places[..count]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_they_name() {
        for (names, expected) in [
            (
                "password DB_PASS dbPassword mysql.rootpass wifi.psk PASSWORD_2 password_prod pwd",
                "p",
            ),
            ("api_key clientSecret AUTH_TOKEN token X-Api-Key awsSecretAccessKey passwordKey", "t"),
            ("STRIPE_KEY mailgunKey", "k"),
            ("token_count passwordField compass max_tokens tokenizer primary_key bypass", "-"),
            ("secretName password_file tokenType public_key author passed keyboard", "-"),
        ] {
            for name in names.split(' ') {
                let told = match sound(name.as_bytes()) {
                    Some(Sound::Password) => "p",
                    Some(Sound::Token) => "t",
                    Some(Sound::Key) => "k",
                    None => "-",
                };
                assert_eq!(told, expected, "{name}");
            }
        }
    }
}
