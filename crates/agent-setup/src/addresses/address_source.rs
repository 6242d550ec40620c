//! Finds the provider addresses that an agent uses, in its own settings, in a project's, and in
//! environment variables.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::address_edit::parse_settings;
use super::address_entries::{AddressFile, Addresses, KeyPath};
use super::dot_env;
use crate::agent_settings::dot_env_path;
use crate::agent_settings_file::read_settings_file;
use crate::launch::{claude_code, opencode};
use crate::user_environment::UserEnvironment;

/// An address that an agent uses, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AddressSource {
    pub(crate) address: String,
    pub(crate) location: AddressLocation,
}

/// The location of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressLocation {
    /// An environment variable.
    Variable(&'static str),
    /// The file that `foveal init --gateway` edits.
    UserFile(PathBuf),
    /// Another settings file.
    OtherFile(PathBuf),
}

impl fmt::Display for AddressLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "the variable {name}"),
            Self::UserFile(path) | Self::OtherFile(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Returns the addresses in effect for an agent that is started in `folder`. `user` is the agent's
/// own settings file. Of several addresses for one provider only the strongest is returned.
pub(crate) fn find_address_sources(
    addresses: &Addresses,
    user: &Path,
    folder: Option<&Path>,
    environment: &UserEnvironment,
) -> Vec<AddressSource> {
    let mut slots: Vec<KeyPath> = Vec::new();
    let mut found = Vec::new();
    for (place, document) in address_documents(addresses.file, user, folder, environment) {
        for one in addresses.entries(&document).unwrap_or_default() {
            let slot = provider_key(addresses.file, one.keys);
            let Some(address) = one.current.filter(|_| !slots.contains(&slot)) else { continue };
            slots.push(slot);
            found.push(AddressSource { address, location: place.clone() });
        }
    }
    found
}

/// Returns the identity of the provider that `keys` belong to. Qwen Code uses the address of its
/// login only if no variable has one, so both are one provider.
fn provider_key(file: AddressFile, keys: KeyPath) -> KeyPath {
    let is_provider = keys.first().is_some_and(|key| key == "modelProviders");
    if file == AddressFile::Qwen && !is_provider { KeyPath::new() } else { keys }
}

/// Returns the documents that may hold addresses, the strongest first. Unreadable ones are skipped.
/// Codex reads addresses from the user's file alone, not from a project or a variable.
fn address_documents(
    file: AddressFile,
    user: &Path,
    folder: Option<&Path>,
    environment: &UserEnvironment,
) -> Vec<(AddressLocation, Value)> {
    let home = environment.home.as_deref();
    let in_folder = |path: &str| folder.map(|folder| folder.join(path));
    let variables = |own: &str| folder.and_then(|folder| dot_env_path(folder, home, own));
    let paths: Vec<PathBuf> = match file {
        AddressFile::ClaudeCode => {
            let managed = claude_code::MANAGED_SETTINGS.map(PathBuf::from).into_iter();
            let own = [".claude/settings.local.json", ".claude/settings.json"];
            managed.chain(own.into_iter().filter_map(in_folder)).collect()
        }
        AddressFile::Opencode => return opencode_documents(user, folder, environment),
        AddressFile::Gemini => return gemini_documents(user, variables(".gemini"), environment),
        AddressFile::Qwen => in_folder(".qwen/settings.json").into_iter().collect(),
        AddressFile::Codex | AddressFile::Cline | AddressFile::Pi => Vec::new(),
    };
    let own = paths.into_iter().map(|path| file_location(path, user));
    let files = own.chain([AddressLocation::UserFile(user.to_owned())]);
    let mut all: Vec<_> = files.filter_map(|place| read_document(place, file)).collect();
    match file {
        // Claude Code's settings take precedence over variables.
        AddressFile::ClaudeCode => all.extend(variable_document(file, environment)),
        AddressFile::Qwen => {
            let of_file = variables(".qwen").and_then(|path| {
                let stated = dot_env::parse_variables(&read_settings_file(&path).ok().flatten()?);
                Some((AddressLocation::OtherFile(path), json!({ "env": stated })))
            });
            all.splice(0..0, variable_document(file, environment).into_iter().chain(of_file));
        }
        _ => {}
    }
    all
}

/// Returns Gemini CLI's documents. The environment takes precedence over the one file of variables
/// that it reads.
fn gemini_documents(
    user: &Path,
    read_here: Option<PathBuf>,
    environment: &UserEnvironment,
) -> Vec<(AddressLocation, Value)> {
    let path = read_here.unwrap_or_else(|| user.to_owned());
    let of_file = read_document(file_location(path, user), AddressFile::Gemini);
    variable_document(AddressFile::Gemini, environment).into_iter().chain(of_file).collect()
}

fn opencode_documents(
    user: &Path,
    folder: Option<&Path>,
    environment: &UserEnvironment,
) -> Vec<(AddressLocation, Value)> {
    let content = environment.agent_variable(opencode::CONTENT);
    let content = content.and_then(|text| serde_json::from_str(text).ok());
    let content = content.map(|value| (AddressLocation::Variable(opencode::CONTENT), value));
    let files = opencode::settings_files(folder, environment).into_iter();
    let files =
        files.filter_map(|path| read_document(file_location(path, user), AddressFile::Opencode));
    content.into_iter().chain(files).collect()
}

fn file_location(path: PathBuf, user: &Path) -> AddressLocation {
    if path == user { AddressLocation::UserFile(path) } else { AddressLocation::OtherFile(path) }
}

fn read_document(place: AddressLocation, file: AddressFile) -> Option<(AddressLocation, Value)> {
    let (AddressLocation::UserFile(path) | AddressLocation::OtherFile(path)) = &place else {
        return None;
    };
    let text = read_settings_file(path).ok().flatten()?;
    let value = parse_settings(text.trim_start_matches('\u{feff}'), file).ok()?;
    Some((place, value))
}

/// Returns the environment variable with the agent's address, in the form of the agent's file.
fn variable_document(
    file: AddressFile,
    environment: &UserEnvironment,
) -> Option<(AddressLocation, Value)> {
    let name = file.address_variable()?;
    let address = environment.agent_variable(name)?;
    let stated = json!({ name: address });
    let document = if file == AddressFile::Gemini { stated } else { json!({ "env": stated }) };
    Some((AddressLocation::Variable(name), document))
}
