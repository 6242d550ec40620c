//! The keys under which agents' settings hold provider addresses.

use serde_json::Value;

use super::gateway_address_map::GatewayAddressMap;
use crate::foveal_entry::EditError;
use crate::launch::{opencode, pi};
use crate::user_environment::UserEnvironment;

/// The provider addresses in one settings file of an agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Addresses {
    pub(crate) file: AddressFile,
    /// The providers in use. The file need not name them.
    pub(crate) providers: Vec<String>,
    pub(crate) routes: GatewayAddressMap,
    /// The environment variable with the address of another server than the gateway, if it is set.
    pub(crate) address_variable: Option<&'static str>,
}

/// A settings file with provider addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressFile {
    ClaudeCode,
    Codex,
    Opencode,
    Gemini,
    Qwen,
    Cline,
    Pi,
}

/// The path of a value in a settings file: keys from the outermost inwards, an index for a list.
pub(super) type KeyPath = Vec<String>;

/// The entry of one address.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AddressEntry {
    pub(super) keys: KeyPath,
    /// The address in the file.
    pub(super) current: Option<String>,
    /// The suffix of the gateway's address for an entry without an address; `None` if it stays
    /// without.
    pub(super) default_suffix: Option<&'static str>,
}

/// A changed value; `None` removes it.
pub(super) type AddressChange = (KeyPath, Option<String>);

pub(super) fn key_path(all: &[&str]) -> KeyPath {
    all.iter().map(|key| (*key).to_owned()).collect()
}

fn read_entry(value: &Value, all: &[&str], usual: Option<&'static str>) -> AddressEntry {
    let found = all.iter().try_fold(value, |value, key| match value {
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        value => value.get(key),
    });
    let known = found.and_then(Value::as_str).filter(|text| !text.is_empty());
    AddressEntry { keys: key_path(all), current: known.map(str::to_owned), default_suffix: usual }
}

impl AddressFile {
    /// Returns the environment variable that can also set the agent's address.
    pub(crate) fn address_variable(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("ANTHROPIC_BASE_URL"),
            Self::Codex | Self::Qwen => Some("OPENAI_BASE_URL"),
            Self::Gemini => Some("GOOGLE_GEMINI_BASE_URL"),
            Self::Opencode | Self::Cline | Self::Pi => None,
        }
    }
}

impl Addresses {
    /// Creates the addresses in `file`, whose gateway is that of `routes`.
    pub(crate) fn new(
        file: AddressFile,
        routes: &GatewayAddressMap,
        environment: &UserEnvironment,
    ) -> Self {
        let providers = match file {
            AddressFile::Opencode => opencode::authenticated_providers(environment),
            _ => Vec::new(),
        };
        let is_other = |variable: &&str| {
            let address = environment.agent_variable(variable);
            address.is_some_and(|address| !routes.is_gateway_address(address))
        };
        let address_variable = file.address_variable().filter(is_other);
        Self { file, providers, routes: routes.clone(), address_variable }
    }

    /// Returns the entries that a file has or should have, by its content.
    ///
    /// # Errors
    /// If the file has no address and none can be added.
    pub(super) fn entries(&self, file: &Value) -> Result<Vec<AddressEntry>, EditError> {
        let places = match self.file {
            AddressFile::ClaudeCode => {
                vec![read_entry(file, &["env", "ANTHROPIC_BASE_URL"], Some(""))]
            }
            AddressFile::Gemini => vec![read_entry(file, &["GOOGLE_GEMINI_BASE_URL"], Some(""))],
            AddressFile::Codex => codex_entries(file),
            AddressFile::Opencode => self.opencode_entries(file),
            AddressFile::Qwen => qwen_entries(file),
            AddressFile::Cline => provider_entries(file, &["settings", "baseUrl"]),
            AddressFile::Pi => pi_entries(file),
        };
        let is_one =
            |place: &AddressEntry| place.current.is_some() || place.default_suffix.is_some();
        if places.iter().any(is_one) { Ok(places) } else { Err(EditError::NoAddress) }
    }

    fn opencode_entries(&self, file: &Value) -> Vec<AddressEntry> {
        let names = file["provider"].as_object().into_iter().flat_map(serde_json::Map::keys);
        let models = ["model", "small_model"].into_iter().filter_map(|key| file[key].as_str());
        let of_models = models.filter_map(|model| Some(model.split_once('/')?.0));
        let mut names: Vec<&str> = names
            .map(String::as_str)
            .chain(of_models)
            .chain(self.providers.iter().map(String::as_str))
            .collect();
        names.sort_unstable();
        names.dedup();
        let one = |name: &&str| {
            let usual = opencode::BUILT_IN_PROVIDERS.iter().find(|(known, ..)| known == name);
            read_entry(
                file,
                &["provider", name, "options", "baseURL"],
                usual.map(|(_, behind, _)| *behind),
            )
        };
        names.iter().map(one).collect()
    }
}

/// Returns the entry of each provider's address below these keys.
fn provider_entries(file: &Value, below: &[&str]) -> Vec<AddressEntry> {
    let all = file["providers"].as_object().into_iter().flatten();
    let one = |(name, _): (&String, &Value)| {
        read_entry(file, &[&["providers", name][..], below].concat(), None)
    };
    all.map(one).collect()
}

fn pi_entries(file: &Value) -> Vec<AddressEntry> {
    let mut places = provider_entries(file, &["baseUrl"]);
    for (name, behind) in pi::BUILT_IN_PROVIDERS {
        places.retain(|place| place.keys[1] != name);
        places.push(read_entry(file, &["providers", name, "baseUrl"], Some(behind)));
    }
    places
}

fn codex_entries(file: &Value) -> Vec<AddressEntry> {
    let own = file["model_providers"].as_object().into_iter().flatten();
    let own = own.map(|(name, _)| read_entry(file, &["model_providers", name, "base_url"], None));
    std::iter::once(read_entry(file, &["openai_base_url"], Some("/v1"))).chain(own).collect()
}

/// Returns Qwen Code's entries. A variable in its settings takes precedence over the address of the
/// login.
fn qwen_entries(file: &Value) -> Vec<AddressEntry> {
    let variable = read_entry(file, &["env", "OPENAI_BASE_URL"], None);
    let usual = variable.current.is_none().then_some("/v1");
    let mut places = vec![variable, read_entry(file, &["security", "auth", "baseUrl"], usual)];
    for (kind, all) in file["modelProviders"].as_object().into_iter().flatten() {
        for at in 0..all.as_array().map_or(0, Vec::len) {
            places.push(read_entry(
                file,
                &["modelProviders", kind, &at.to_string(), "baseUrl"],
                None,
            ));
        }
    }
    places
}
