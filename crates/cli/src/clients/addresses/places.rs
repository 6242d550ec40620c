//! Where in an agent's settings addresses stand.

use serde_json::Value;

use crate::clients::entry::EditError;
use crate::clients::launch::{OPENCODE_BUILT_IN, PI_BUILT_IN};
use crate::gateway::Routes;

/// The addresses in one file of an agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Addresses {
    pub(crate) file: AddressFile,
    /// Providers that are in use though the file need not name them.
    pub(crate) providers: Vec<String>,
    pub(crate) routes: Routes,
    /// The variable that tells the agent an address, if one does.
    pub(crate) told: Option<&'static str>,
    /// Where the user gives upstreams names, in words.
    pub(crate) names: String,
}

/// A file with addresses.
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

/// A place in a file: keys from the outside in, a number for one of a list.
pub(super) type Keys = Vec<String>;

/// One address.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    pub(super) keys: Keys,
    /// What stands there.
    pub(super) known: Option<String>,
    /// What follows the gateway's address where nothing stands there; `None`: it is left so.
    pub(super) usual: Option<&'static str>,
}

/// A value that changes: `None`: it goes.
pub(super) type Changed = (Keys, Option<String>);

pub(super) fn keys(all: &[&str]) -> Keys {
    all.iter().map(|key| (*key).to_owned()).collect()
}

fn place(value: &Value, all: &[&str], usual: Option<&'static str>) -> Place {
    let found = all.iter().try_fold(value, |value, key| match value {
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        value => value.get(key),
    });
    let known = found.and_then(Value::as_str).filter(|text| !text.is_empty());
    Place { keys: keys(all), known: known.map(str::to_owned), usual }
}

impl AddressFile {
    /// The variable by which the agent can be told its address too.
    pub(crate) fn variable(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("ANTHROPIC_BASE_URL"),
            Self::Codex | Self::Qwen => Some("OPENAI_BASE_URL"),
            Self::Gemini => Some("GOOGLE_GEMINI_BASE_URL"),
            Self::Opencode | Self::Cline | Self::Pi => None,
        }
    }
}

impl Addresses {
    /// The addresses that a file holds or should, by what it says.
    ///
    /// # Errors
    /// If there is none, and none can be made.
    pub(super) fn places(&self, file: &Value) -> Result<Vec<Place>, EditError> {
        let places = match self.file {
            AddressFile::ClaudeCode => vec![place(file, &["env", "ANTHROPIC_BASE_URL"], Some(""))],
            AddressFile::Gemini => vec![place(file, &["GOOGLE_GEMINI_BASE_URL"], Some(""))],
            AddressFile::Codex => codex(file),
            AddressFile::Opencode => self.opencode(file),
            AddressFile::Qwen => qwen(file),
            AddressFile::Cline => providers(file, &["settings", "baseUrl"]),
            AddressFile::Pi => pi(file),
        };
        let is_one = |place: &Place| place.known.is_some() || place.usual.is_some();
        if places.iter().any(is_one) { Ok(places) } else { Err(EditError::NoAddress) }
    }

    fn opencode(&self, file: &Value) -> Vec<Place> {
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
            let usual = OPENCODE_BUILT_IN.iter().find(|(known, ..)| known == name);
            place(
                file,
                &["provider", name, "options", "baseURL"],
                usual.map(|(_, behind, _)| *behind),
            )
        };
        names.iter().map(one).collect()
    }
}

/// Every provider's address below these keys, as far as there is one.
fn providers(file: &Value, below: &[&str]) -> Vec<Place> {
    let all = file["providers"].as_object().into_iter().flatten();
    let one = |(name, _): (&String, &Value)| {
        place(file, &[&["providers", name][..], below].concat(), None)
    };
    all.map(one).collect()
}

fn pi(file: &Value) -> Vec<Place> {
    let mut places = providers(file, &["baseUrl"]);
    for (name, behind) in PI_BUILT_IN {
        places.retain(|place| place.keys[1] != name);
        places.push(place(file, &["providers", name, "baseUrl"], Some(behind)));
    }
    places
}

fn codex(file: &Value) -> Vec<Place> {
    let own = file["model_providers"].as_object().into_iter().flatten();
    let own = own.map(|(name, _)| place(file, &["model_providers", name, "base_url"], None));
    std::iter::once(place(file, &["openai_base_url"], Some("/v1"))).chain(own).collect()
}

/// What variables say in its settings counts before what is said of the login.
fn qwen(file: &Value) -> Vec<Place> {
    let variable = place(file, &["env", "OPENAI_BASE_URL"], None);
    let usual = variable.known.is_none().then_some("/v1");
    let mut places = vec![variable, place(file, &["security", "auth", "baseUrl"], usual)];
    for (kind, all) in file["modelProviders"].as_object().into_iter().flatten() {
        for at in 0..all.as_array().map_or(0, Vec::len) {
            places.push(place(file, &["modelProviders", kind, &at.to_string(), "baseUrl"], None));
        }
    }
    places
}
