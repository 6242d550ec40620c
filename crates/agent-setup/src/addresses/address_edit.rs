//! Edits that point an agent at the gateway, and that restore its addresses.

use serde_json::Value;

use super::address_entries::{AddressChange, AddressFile, Addresses, key_path};
use super::{dot_env, json_addresses, toml_addresses};
use crate::foveal_entry::EditError;
use crate::launch::claude_code::ANTHROPIC_FEATURES;
use crate::launch::qwen::{DASHSCOPE_PROXY, is_dashscope};

/// The URL of Anthropic's own API, which supports every feature of Claude Code.
const ANTHROPIC_URL: &str = "https://api.anthropic.com";

/// Returns the text with the gateway's addresses; `None` if it has them already.
pub(crate) fn add_gateway_addresses(
    text: &str,
    addresses: &Addresses,
) -> Result<Option<String>, EditError> {
    let file = parse_settings(text, addresses.file)?;
    let (mut changed, mut dashscope) = (Vec::new(), None);
    let mut asks_gateway = false;
    for place in addresses.entries(&file)? {
        let known = place.current.as_deref();
        let is_ours = known.is_some_and(|known| addresses.routes.is_gateway_address(known));
        let wanted = match (known, place.default_suffix) {
            (Some(known), _) if is_ours => addresses.routes.renew_address(known),
            (Some(known), _) => Some(gateway_address(known, addresses)?),
            // A key for another provider must not be sent to the agent's own vendor from now on.
            (None, Some(usual)) => match addresses.address_variable {
                Some(variable) => return Err(EditError::SetByVariable(variable)),
                None => Some(addresses.routes.gateway_address(usual)),
            },
            (None, None) => continue,
        };
        asks_gateway |= is_ours || wanted.is_some();
        if known
            .and_then(|known| original_address(known, addresses))
            .is_some_and(|it| is_dashscope(&it))
        {
            dashscope = dashscope.or_else(|| wanted.clone().or_else(|| place.current.clone()));
        }
        if wanted.is_some() {
            changed.push((place.keys, wanted));
        }
    }
    if asks_gateway {
        changed.extend(match addresses.file {
            AddressFile::ClaudeCode if uses_vendor_api(text, addresses) => {
                add_anthropic_features(&file)
            }
            AddressFile::Qwen => add_dashscope_proxy(&file, addresses, dashscope),
            _ => Vec::new(),
        });
    }
    set_addresses(text, addresses.file, &changed)
}

/// Returns the address that `known` stands for if it is the gateway's, else `known` itself. Returns
/// `None` for the agent's own default.
fn original_address(known: &str, addresses: &Addresses) -> Option<String> {
    match addresses.routes.to_provider(known) {
        Some(before) => before,
        None => Some(known.to_owned()),
    }
}

/// Sets the features that Claude Code uses at another address only if its settings say so. Values
/// that the user chose stay.
fn add_anthropic_features(file: &Value) -> Vec<AddressChange> {
    let places =
        ANTHROPIC_FEATURES.iter().map(|(name, wanted)| (key_path(&["env", name]), *wanted));
    let absent = places.filter(|(keys, _)| value_at(file, keys).is_none());
    absent.map(|(keys, wanted)| (keys, Some(wanted.to_owned()))).collect()
}

fn remove_anthropic_features(file: &Value) -> Vec<AddressChange> {
    let places =
        ANTHROPIC_FEATURES.iter().map(|(name, wanted)| (key_path(&["env", name]), *wanted));
    let own = places
        .filter(|(keys, wanted)| value_at(file, keys).and_then(Value::as_str) == Some(wanted));
    own.map(|(keys, _)| (keys, None)).collect()
}

/// Sets the address that Qwen Code is to treat as Alibaba's, if `address` stands for one of
/// Alibaba's.
fn add_dashscope_proxy(
    file: &Value,
    addresses: &Addresses,
    address: Option<String>,
) -> Vec<AddressChange> {
    let keys = key_path(&["env", DASHSCOPE_PROXY]);
    let wanted = match value_at(file, &keys) {
        Some(known) => known.as_str().and_then(|known| addresses.routes.renew_address(known)),
        None => address,
    };
    wanted.map(|wanted| (keys, Some(wanted))).into_iter().collect()
}

fn remove_dashscope_proxy(file: &Value, addresses: &Addresses) -> Vec<AddressChange> {
    let keys = key_path(&["env", DASHSCOPE_PROXY]);
    let known = value_at(file, &keys).and_then(Value::as_str);
    let is_ours = known.is_some_and(|known| addresses.routes.is_gateway_address(known));
    is_ours.then_some((keys, None)).into_iter().collect()
}

/// Returns whether an agent with this file uses its vendor's API, through the gateway or not.
pub(crate) fn uses_vendor_api(text: &str, addresses: &Addresses) -> bool {
    let file = parse_settings(text, addresses.file).unwrap_or_default();
    let places = addresses.entries(&file).unwrap_or_default().into_iter();
    let mut known = places.filter_map(|place| original_address(&place.current?, addresses));
    addresses.file != AddressFile::ClaudeCode || known.all(|known| known.starts_with(ANTHROPIC_URL))
}

fn gateway_address(known: &str, addresses: &Addresses) -> Result<String, EditError> {
    let through = addresses.routes.to_gateway(known);
    let names = || addresses.routes.upstreams_place.clone();
    through.ok_or_else(|| EditError::NoUpstream { address: known.to_owned(), names: names() })
}

/// Returns the text with the addresses from before; `None` if none is the gateway's.
pub(crate) fn restore_addresses(
    text: &str,
    addresses: &Addresses,
) -> Result<Option<String>, EditError> {
    let file = parse_settings(text, addresses.file)?;
    let mut changed = Vec::new();
    for place in addresses.entries(&file).unwrap_or_default() {
        let Some(known) = place.current.filter(|known| addresses.routes.is_gateway_address(known))
        else {
            continue;
        };
        // The address that `add_gateway_addresses` writes in place of a default may also be the
        // path of a named upstream.
        let is_usual = place
            .default_suffix
            .is_some_and(|usual| addresses.routes.is_gateway_path(&known, usual));
        let before = match is_usual {
            true => None,
            false => {
                let names = addresses.routes.upstreams_place.clone();
                let gone = || EditError::UnknownOriginal { address: known.clone(), names };
                addresses.routes.to_provider(&known).ok_or_else(gone)?
            }
        };
        changed.push((place.keys, before));
    }
    if !changed.is_empty() {
        changed.extend(match addresses.file {
            AddressFile::ClaudeCode => remove_anthropic_features(&file),
            AddressFile::Qwen => remove_dashscope_proxy(&file, addresses),
            _ => Vec::new(),
        });
    }
    set_addresses(text, addresses.file, &changed)
}

fn value_at<'a>(file: &'a Value, keys: &[String]) -> Option<&'a Value> {
    keys.iter().try_fold(file, |value, key| value.get(key))
}

/// Parses a settings file.
pub(super) fn parse_settings(text: &str, file: AddressFile) -> Result<Value, EditError> {
    match file {
        AddressFile::Codex => toml_addresses::parse_settings(text),
        AddressFile::Gemini => Ok(dot_env::parse_variables(text)),
        _ => json_addresses::parse_settings(text),
    }
}

/// Returns the text with these changes; `None` if none changes it.
fn set_addresses(
    text: &str,
    file: AddressFile,
    changed: &[AddressChange],
) -> Result<Option<String>, EditError> {
    if changed.is_empty() {
        return Ok(None);
    }
    let now = match file {
        AddressFile::Codex => toml_addresses::set_addresses(text, changed)?,
        AddressFile::Gemini => dot_env::set_variables(text, changed),
        _ => json_addresses::set_addresses(text, changed)?,
    };
    Ok((now != text).then_some(now))
}
