//! The keys that a request shows, and whose they are by their shape.
//!
//! Many servers speak the protocols of the few large providers. The shape of a key says which
//! provider made it; a key of any other shape belongs to a server that this table does not know.

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName};
use url::form_urlencoded;

/// How a provider's keys begin. The first line that matches counts.
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

/// What stands in the middle of each key of OpenAI that begins with `sk-` alone (`OpenAI` in
/// base64).
const OPENAI_MARK: &str = "T3BlbkFJ";

/// The hosts that keys of these providers are for.
const KEY_HOSTS: &[(&str, &str)] = &[
    ("api.anthropic.com", "anthropic"),
    ("api.openai.com", "openai"),
    ("generativelanguage.googleapis.com", "gemini"),
    ("chatgpt.com", "chatgpt"),
    ("openrouter.ai", "openrouter"),
];

/// Headers that hold keys of one provider alone.
const KEY_HEADERS: &[(&str, &str)] = &[("x-goog-api-key", "gemini"), ("api-key", "azure")];

/// How the names of headers end whose values are keys, whatever they look like.
const KEY_HEADER_ENDS: &[&str] =
    &["authorization", "auth", "api-key", "apikey", "access-key", "token", "secret"];

/// Parameters of a query whose values are keys.
const KEY_PARAMETERS: &[&str] = &["key", "api_key", "api-key", "apikey", "access_token", "token"];

/// The fewest characters of a key in a header or a parameter whose name does not say that it is
/// one.
const UNNAMED_KEY_CHARS_MIN: usize = 24;

/// How a signed login (a JSON web token) begins.
const LOGIN_START: &str = "eyJ";

/// A key of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Credential {
    /// The provider that its shape belongs to.
    owner: Option<&'static str>,
    /// The provider that its header belongs to.
    header_owner: Option<&'static str>,
    is_login: bool,
}

/// All keys of a request. None of their text is held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Credentials(Vec<Credential>);

/// Whose the keys of a request are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyOwner {
    /// The request shows no key.
    NoKey,
    /// All keys have the shape of this provider's.
    Provider(&'static str),
    /// A key has no known shape, or two keys belong to two providers.
    Unclear,
}

impl Credentials {
    /// Finds the keys in the headers and the query of a request.
    pub(crate) fn find(headers: &HeaderMap, query: &str) -> Self {
        let mut found = Vec::new();
        for (name, value) in headers {
            if name.as_str().starts_with("x-foveal") {
                continue;
            }
            let value = String::from_utf8_lossy(value.as_bytes());
            match is_key_header(name) {
                true if value.trim().is_empty() => {}
                true => found.push(credential_of_header(name, &value)),
                false => found.extend(unnamed_credentials(&value)),
            }
        }
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match KEY_PARAMETERS.contains(&&*name.to_ascii_lowercase()) {
                true if value.is_empty() => {}
                true => found.push(credential(&value)),
                false => found.extend(unnamed_credentials(&value)),
            }
        }
        Self(found)
    }

    /// Returns whose all these keys are.
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

    /// Whether all of them are signed logins.
    pub(crate) fn are_logins(&self) -> bool {
        self.0.iter().all(|key| key.is_login)
    }

    /// Returns the provider whose key this host must not get: `None` where all keys may be ones
    /// of the host's own, or where it is no host of a provider in the table.
    pub(crate) fn foreign_to(&self, host: &str) -> Option<&'static str> {
        let (_, own) = KEY_HOSTS.iter().find(|(known, _)| host.eq_ignore_ascii_case(known))?;
        let mut owners = self.0.iter().flat_map(|key| [key.owner, key.header_owner]).flatten();
        owners.find(|owner| owner != own)
    }
}

fn is_key_header(name: &HeaderName) -> bool {
    KEY_HEADER_ENDS.iter().any(|end| name.as_str().ends_with(end))
}

/// The key in a header that is for keys: behind the scheme where there is one.
fn credential_of_header(name: &HeaderName, value: &str) -> Credential {
    let is_signature = name == AUTHORIZATION && value.starts_with("AWS4-");
    let key = match is_signature {
        true => value,
        false => value.split_ascii_whitespace().next_back().unwrap_or_default(),
    };
    let header_owner = KEY_HEADERS.iter().find(|(known, _)| name == *known);
    Credential { header_owner: header_owner.map(|(_, owner)| *owner), ..credential(key) }
}

fn credential(key: &str) -> Credential {
    let is_login = key.starts_with(LOGIN_START);
    Credential { owner: owner_by_shape(key), header_owner: None, is_login }
}

/// The keys in a value of which nothing says that it is one: words with a known shape.
fn unnamed_credentials(value: &str) -> impl Iterator<Item = Credential> {
    let words = value.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
    let keys = words.flat_map(|word| {
        // The browsers' way to hand over a key: `openai-insecure-api-key.KEY`.
        [Some(word), word.split_once('.').map(|(_, behind)| behind)].into_iter().flatten()
    });
    let long = keys.filter(|word| word.len() >= UNNAMED_KEY_CHARS_MIN);
    long.map(credential).filter(|key| key.owner.is_some())
}

fn owner_by_shape(key: &str) -> Option<&'static str> {
    let by_start = KEY_SHAPES.iter().find(|(start, _)| key.starts_with(start));
    let by_start = by_start.map(|(_, owner)| *owner);
    by_start.or_else(|| (key.starts_with("sk-") && key.contains(OPENAI_MARK)).then_some("openai"))
}

#[cfg(test)]
mod tests;
