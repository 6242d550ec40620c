//! What changes in a file so that an agent asks the gateway, and so that it does no longer.

use serde_json::Value;

use super::places::{AddressFile, Addresses, Changed};
use super::{dot_env, json, toml};
use crate::clients::entry::EditError;

/// Where Anthropic's own API stands, which knows all that Claude Code can ask for.
const ANTHROPIC: &str = "https://api.anthropic.com";

/// The text with addresses of the gateway; `None` if they are there.
pub(in crate::clients) fn add(
    text: &str,
    addresses: &Addresses,
) -> Result<Option<String>, EditError> {
    let file = value(text, addresses.file)?;
    let mut changed = Vec::new();
    let mut is_anthropic = true;
    for place in addresses.places(&file)? {
        let known = place.known.as_deref();
        is_anthropic &= known.is_none_or(|known| known.starts_with(ANTHROPIC));
        let wanted = match (known, place.usual) {
            (Some(known), _) if addresses.routes.is_ours(known) => {
                match addresses.routes.renewed(known) {
                    None => continue,
                    renewed => renewed,
                }
            }
            (Some(known), _) => Some(through(known, addresses)?),
            // A key that goes elsewhere must not go to the agent's own maker from now on.
            (None, Some(usual)) => match addresses.told {
                Some(variable) => return Err(EditError::Told(variable)),
                None => Some(addresses.routes.own(usual)),
            },
            (None, None) => continue,
        };
        changed.push((place.keys, wanted));
    }
    if !changed.is_empty() && is_anthropic {
        for (keys, wanted) in addresses.beside() {
            // What the user chose stays.
            if at(&file, &keys).is_none() {
                changed.push((keys, Some(wanted.to_owned())));
            }
        }
    }
    set(text, addresses.file, &changed)
}

fn through(known: &str, addresses: &Addresses) -> Result<String, EditError> {
    let through = addresses.routes.through(known);
    let names = || addresses.names.clone();
    through.ok_or_else(|| EditError::NoUpstream { address: known.to_owned(), names: names() })
}

/// The text with the addresses that were there before; `None` if none is the gateway's.
pub(in crate::clients) fn remove(
    text: &str,
    addresses: &Addresses,
) -> Result<Option<String>, EditError> {
    let file = value(text, addresses.file)?;
    let mut changed = Vec::new();
    for place in addresses.places(&file).unwrap_or_default() {
        let Some(known) = place.known.filter(|known| addresses.routes.is_ours(known)) else {
            continue;
        };
        // What is written where nothing stood may be the path of an upstream by name too.
        let is_usual = place.usual.is_some_and(|usual| addresses.routes.is_own(&known, usual));
        let before = match is_usual {
            true => None,
            false => {
                let names = addresses.names.clone();
                let gone = || EditError::Gone { address: known.clone(), names };
                addresses.routes.back(&known).ok_or_else(gone)?
            }
        };
        changed.push((place.keys, before));
    }
    if !changed.is_empty() {
        for (keys, wanted) in addresses.beside() {
            if at(&file, &keys).and_then(Value::as_str) == Some(wanted) {
                changed.push((keys, None));
            }
        }
    }
    set(text, addresses.file, &changed)
}

fn at<'a>(file: &'a Value, keys: &[String]) -> Option<&'a Value> {
    keys.iter().try_fold(file, |value, key| value.get(key))
}

/// What a file says.
pub(super) fn value(text: &str, file: AddressFile) -> Result<Value, EditError> {
    match file {
        AddressFile::Codex => toml::value(text),
        AddressFile::Gemini => Ok(dot_env::value(text)),
        _ => json::value(text),
    }
}

/// The text with these values; `None` if nothing changes.
fn set(text: &str, file: AddressFile, changed: &[Changed]) -> Result<Option<String>, EditError> {
    if changed.is_empty() {
        return Ok(None);
    }
    let now = match file {
        AddressFile::Codex => toml::set(text, changed)?,
        AddressFile::Gemini => dot_env::set(text, changed),
        _ => json::set(text, changed)?,
    };
    Ok((now != text).then_some(now))
}
