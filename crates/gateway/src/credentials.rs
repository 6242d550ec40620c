//! The keys of a request, and their owners by the shape of the keys.
//!
//! Many servers speak the protocols of the few large providers. The shape of a key tells the
//! provider that issued it; a key of any other shape belongs to a server that this table does not
//! know.

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName};
use url::form_urlencoded;

/// The beginnings of providers' keys. The first match wins.
const KEY_SHAPES: &[(&str, &str)] = &[
    ("sk-ant-", "anthropic"),
    ("sk-or-", "openrouter"),
    ("sk-proj-", "openai"),
    ("sk-svcacct-", "openai"),
    ("sk-admin-", "openai"),
    ("AIza", "gemini"),
    ("AQ.", "gemini"),
    ("ya29.", "gemini"),
    ("AWS4-", "aws"),
    ("ABSK", "aws"),
    ("bedrock-api-key-", "aws"),
    ("csk-", "cerebras"),
    ("fw_", "fireworks"),
    ("gho_", "github"),
    ("ghp_", "github"),
    ("ghs_", "github"),
    ("ghu_", "github"),
    ("github_pat_", "github"),
    ("gsk_", "groq"),
    ("hf_", "huggingface"),
    ("nvapi-", "nvidia"),
    ("pplx-", "perplexity"),
    ("r8_", "replicate"),
    ("tgp_v1_", "together"),
    ("xai-", "xai"),
];

/// The middle part of each OpenAI key that begins with `sk-` alone (`OpenAI` in base64).
const OPENAI_KEY_INFIX: &str = "T3BlbkFJ";

/// The hosts of providers whose keys are recognised.
const KEY_HOSTS: &[(&str, &str)] = &[
    ("api.anthropic.com", "anthropic"),
    ("api.openai.com", "openai"),
    ("generativelanguage.googleapis.com", "gemini"),
    ("chatgpt.com", "chatgpt"),
    ("openrouter.ai", "openrouter"),
];

/// Headers that hold keys of one provider only.
const KEY_HEADERS: &[(&str, &str)] = &[("x-goog-api-key", "gemini"), ("api-key", "azure")];

/// The endings of header names whose values are always keys.
const KEY_HEADER_SUFFIXES: &[&str] =
    &["authorization", "auth", "api-key", "apikey", "access-key", "token", "secret"];

/// Query parameters whose values are keys.
const KEY_PARAMETERS: &[&str] = &["key", "api_key", "api-key", "apikey", "access_token", "token"];

/// The minimum length of a key in a header or parameter whose name does not mark it as one.
const UNNAMED_KEY_CHARS_MIN: usize = 24;

/// The beginning of a signed login (a JSON web token).
const LOGIN_TOKEN_PREFIX: &str = "eyJ";

/// A key of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Credential {
    /// The provider that keys of this shape belong to.
    owner: Option<&'static str>,
    /// The provider that the header belongs to.
    header_owner: Option<&'static str>,
    is_login: bool,
}

/// All keys of a request, without their text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Credentials(Vec<Credential>);

/// The owner of a request's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyOwner {
    /// The request has no key.
    NoKey,
    /// All keys have the shape of this provider's keys.
    Provider(&'static str),
    /// A key has no known shape, or two keys belong to different providers.
    Unclear,
}

impl Credentials {
    /// Finds the keys in the headers and the query of a request.
    pub(crate) fn from_request(headers: &HeaderMap, query: &str) -> Self {
        let mut found = Vec::new();
        for (name, value) in headers {
            if name.as_str().starts_with("x-foveal") {
                continue;
            }
            let value = String::from_utf8_lossy(value.as_bytes());
            match is_key_header(name) {
                true if value.trim().is_empty() => {}
                true => found.push(parse_header_credential(name, &value)),
                false => found.extend(find_unnamed_credentials(&value)),
            }
        }
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match KEY_PARAMETERS.contains(&&*name.to_ascii_lowercase()) {
                true if value.is_empty() => {}
                true => found.push(parse_credential(&value)),
                false => found.extend(find_unnamed_credentials(&value)),
            }
        }
        Self(found)
    }

    /// Returns the owner of all keys.
    pub(crate) fn owner(&self) -> KeyOwner {
        let mut owners = self.0.iter().map(|key| match (key.owner, key.header_owner) {
            (Some(owner), Some(header_owner)) if owner != header_owner => None,
            (owner, _) => owner,
        });
        let Some(first) = owners.next() else { return KeyOwner::NoKey };
        match first {
            Some(first) if owners.all(|owner| owner == Some(first)) => KeyOwner::Provider(first),
            _ => KeyOwner::Unclear,
        }
    }

    /// Returns whether all keys are signed logins.
    pub(crate) fn are_logins(&self) -> bool {
        self.0.iter().all(|key| key.is_login)
    }

    /// Returns the provider of a key that must not reach this host; `None` if all keys may belong
    /// to the host, or if the table does not contain it.
    pub(crate) fn foreign_owner(&self, host: &str) -> Option<&'static str> {
        let (_, own) = KEY_HOSTS.iter().find(|(known, _)| host.eq_ignore_ascii_case(known))?;
        let mut owners = self.0.iter().flat_map(|key| [key.owner, key.header_owner]).flatten();
        owners.find(|owner| owner != own)
    }
}

fn is_key_header(name: &HeaderName) -> bool {
    KEY_HEADER_SUFFIXES.iter().any(|end| name.as_str().ends_with(end))
}

/// Parses the key in a header for keys: the last word, behind the scheme if there is one.
fn parse_header_credential(name: &HeaderName, value: &str) -> Credential {
    let is_signature = name == AUTHORIZATION && value.starts_with("AWS4-");
    let key = match is_signature {
        true => value,
        false => value.split_ascii_whitespace().next_back().unwrap_or_default(),
    };
    let header_owner = KEY_HEADERS.iter().find(|(known, _)| name == *known);
    Credential { header_owner: header_owner.map(|(_, owner)| *owner), ..parse_credential(key) }
}

fn parse_credential(key: &str) -> Credential {
    let is_login = key.starts_with(LOGIN_TOKEN_PREFIX);
    Credential { owner: owner_by_shape(key), header_owner: None, is_login }
}

/// Finds words with the shape of a key in a value whose name does not mark it as one.
fn find_unnamed_credentials(value: &str) -> impl Iterator<Item = Credential> {
    let words = value.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
    let keys = words.flat_map(|word| {
        // Browsers send a key in this form: `openai-insecure-api-key.KEY`.
        [Some(word), word.split_once('.').map(|(_, behind)| behind)].into_iter().flatten()
    });
    let long = keys.filter(|word| word.len() >= UNNAMED_KEY_CHARS_MIN);
    long.map(parse_credential).filter(|key| key.owner.is_some())
}

fn owner_by_shape(key: &str) -> Option<&'static str> {
    let by_start = KEY_SHAPES.iter().find(|(start, _)| key.starts_with(start));
    let by_start = by_start.map(|(_, owner)| *owner);
    by_start
        .or_else(|| (key.starts_with("sk-") && key.contains(OPENAI_KEY_INFIX)).then_some("openai"))
}

#[cfg(test)]
mod tests;
