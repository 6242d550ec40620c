//! What changes in a file so that an agent asks the gateway, and so that it does no longer.

use serde_json::Value;

use super::places::{AddressFile, Addresses, Changed, keys};
use super::{dot_env, json, toml};
use crate::clients::entry::EditError;
use crate::clients::launch::{DASHSCOPE_PROXY, OF_ANTHROPIC, is_dashscope};

/// Where Anthropic's own API stands, which knows all that Claude Code can ask for.
const ANTHROPIC: &str = "https://api.anthropic.com";

/// The text with addresses of the gateway; `None` if they are there.
pub(in crate::clients) fn add(
    text: &str,
    addresses: &Addresses,
) -> Result<Option<String>, EditError> {
    let file = value(text, addresses.file)?;
    let (mut changed, mut dashscope) = (Vec::new(), None);
    let mut asks_gateway = false;
    for place in addresses.places(&file)? {
        let known = place.known.as_deref();
        let is_ours = known.is_some_and(|known| addresses.routes.is_ours(known));
        let wanted = match (known, place.usual) {
            (Some(known), _) if is_ours => addresses.routes.renewed(known),
            (Some(known), _) => Some(through(known, addresses)?),
            // A key that goes elsewhere must not go to the agent's own maker from now on.
            (None, Some(usual)) => match addresses.told {
                Some(variable) => return Err(EditError::Told(variable)),
                None => Some(addresses.routes.own(usual)),
            },
            (None, None) => continue,
        };
        asks_gateway |= is_ours || wanted.is_some();
        if known
            .and_then(|known| maker_address(known, addresses))
            .is_some_and(|it| is_dashscope(&it))
        {
            dashscope = dashscope.or_else(|| wanted.clone().or_else(|| place.known.clone()));
        }
        if wanted.is_some() {
            changed.push((place.keys, wanted));
        }
    }
    if asks_gateway {
        changed.extend(match addresses.file {
            AddressFile::ClaudeCode if asks_maker(text, addresses) => add_of_anthropic(&file),
            AddressFile::Qwen => add_dashscope(&file, addresses, dashscope),
            _ => Vec::new(),
        });
    }
    set(text, addresses.file, &changed)
}

/// Returns what an address is asked for, by the gateway or not; `None` where that is the agent's own
/// default.
fn maker_address(known: &str, addresses: &Addresses) -> Option<String> {
    match addresses.routes.back(known) {
        Some(before) => before,
        None => Some(known.to_owned()),
    }
}

/// What Claude Code does at another address only where it is told to. What the user chose stays.
fn add_of_anthropic(file: &Value) -> Vec<Changed> {
    let places = OF_ANTHROPIC.iter().map(|(name, wanted)| (keys(&["env", name]), *wanted));
    let absent = places.filter(|(keys, _)| at(file, keys).is_none());
    absent.map(|(keys, wanted)| (keys, Some(wanted.to_owned()))).collect()
}

fn remove_of_anthropic(file: &Value) -> Vec<Changed> {
    let places = OF_ANTHROPIC.iter().map(|(name, wanted)| (keys(&["env", name]), *wanted));
    let own =
        places.filter(|(keys, wanted)| at(file, keys).and_then(Value::as_str) == Some(wanted));
    own.map(|(keys, _)| (keys, None)).collect()
}

/// The address that Qwen Code is to take for one of Alibaba's; `address` where one of these stood.
fn add_dashscope(file: &Value, addresses: &Addresses, address: Option<String>) -> Vec<Changed> {
    let keys = keys(&["env", DASHSCOPE_PROXY]);
    let wanted = match at(file, &keys) {
        Some(known) => known.as_str().and_then(|known| addresses.routes.renewed(known)),
        None => address,
    };
    wanted.map(|wanted| (keys, Some(wanted))).into_iter().collect()
}

fn remove_dashscope(file: &Value, addresses: &Addresses) -> Vec<Changed> {
    let keys = keys(&["env", DASHSCOPE_PROXY]);
    let known = at(file, &keys).and_then(Value::as_str);
    let is_ours = known.is_some_and(|known| addresses.routes.is_ours(known));
    is_ours.then_some((keys, None)).into_iter().collect()
}

/// Returns whether an agent whose file says this asks its model's maker, by the gateway or not.
pub(in crate::clients) fn asks_maker(text: &str, addresses: &Addresses) -> bool {
    let file = value(text, addresses.file).unwrap_or_default();
    let places = addresses.places(&file).unwrap_or_default().into_iter();
    let mut known = places.filter_map(|place| maker_address(&place.known?, addresses));
    addresses.file != AddressFile::ClaudeCode || known.all(|known| known.starts_with(ANTHROPIC))
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
        changed.extend(match addresses.file {
            AddressFile::ClaudeCode => remove_of_anthropic(&file),
            AddressFile::Qwen => remove_dashscope(&file, addresses),
            _ => Vec::new(),
        });
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
