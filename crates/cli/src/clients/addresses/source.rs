//! The addresses that an agent asks, wherever they stand: in its own settings, in those of a
//! project, in variables.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::dot_env;
use super::edit::value;
use super::places::{AddressFile, Addresses, Keys};
use crate::clients::file::read;
use crate::clients::launch::{CLAUDE_CODE_MANAGED, OPENCODE_CONTENT, opencode_files};
use crate::clients::settings::dot_env_place;
use crate::environment::Environment;

/// An address that an agent asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AddressSource {
    pub(crate) address: String,
    pub(crate) place: SourcePlace,
}

/// Where an address stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SourcePlace {
    Variable(&'static str),
    /// The file that `foveal init --gateway` edits.
    UserFile(PathBuf),
    OtherFile(PathBuf),
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "the variable {name}"),
            Self::UserFile(path) | Self::OtherFile(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Returns the addresses that count for an agent that is started in `folder`, `user` being the file
/// of its own settings. Of several that stand for the same provider the strongest counts.
pub(in crate::clients) fn sources(
    addresses: &Addresses,
    user: &Path,
    folder: Option<&Path>,
    environment: &Environment,
) -> Vec<AddressSource> {
    let mut slots: Vec<Keys> = Vec::new();
    let mut found = Vec::new();
    for (place, document) in documents(addresses.file, user, folder, environment) {
        for one in addresses.places(&document).unwrap_or_default() {
            let slot = slot(addresses.file, one.keys);
            let Some(address) = one.known.filter(|_| !slots.contains(&slot)) else { continue };
            slots.push(slot);
            found.push(AddressSource { address, place: place.clone() });
        }
    }
    found
}

/// Returns the provider that keys are for. Qwen Code takes the address of its login only where no
/// variable names one.
fn slot(file: AddressFile, keys: Keys) -> Keys {
    let is_provider = keys.first().is_some_and(|key| key == "modelProviders");
    if file == AddressFile::Qwen && !is_provider { Keys::new() } else { keys }
}

/// Returns what states addresses, the strongest first. What cannot be read states none. Codex takes
/// addresses from the user's file alone, neither from a project nor from a variable.
fn documents(
    file: AddressFile,
    user: &Path,
    folder: Option<&Path>,
    environment: &Environment,
) -> Vec<(SourcePlace, Value)> {
    let home = environment.home.as_deref();
    let in_folder = |path: &str| folder.map(|folder| folder.join(path));
    let variables = |own: &str| folder.and_then(|folder| dot_env_place(folder, home, own));
    let paths: Vec<PathBuf> = match file {
        AddressFile::ClaudeCode => {
            let managed = CLAUDE_CODE_MANAGED.map(PathBuf::from).into_iter();
            let own = [".claude/settings.local.json", ".claude/settings.json"];
            managed.chain(own.into_iter().filter_map(in_folder)).collect()
        }
        AddressFile::Opencode => return opencode(user, folder, environment),
        AddressFile::Gemini => return gemini(user, variables(".gemini"), environment),
        AddressFile::Qwen => in_folder(".qwen/settings.json").into_iter().collect(),
        AddressFile::Codex | AddressFile::Cline | AddressFile::Pi => Vec::new(),
    };
    let own = paths.into_iter().map(|path| source_place(path, user));
    let files = own.chain([SourcePlace::UserFile(user.to_owned())]);
    let mut all: Vec<_> = files.filter_map(|place| document(place, file)).collect();
    match file {
        // Its settings count before variables.
        AddressFile::ClaudeCode => all.extend(of_variable(file, environment)),
        AddressFile::Qwen => {
            let of_file = variables(".qwen").and_then(|path| {
                let stated = dot_env::value(&read(&path).ok().flatten()?);
                Some((SourcePlace::OtherFile(path), json!({ "env": stated })))
            });
            all.splice(0..0, of_variable(file, environment).into_iter().chain(of_file));
        }
        _ => {}
    }
    all
}

/// Its variable counts before the one file of variables that it reads.
fn gemini(
    user: &Path,
    read_here: Option<PathBuf>,
    environment: &Environment,
) -> Vec<(SourcePlace, Value)> {
    let path = read_here.unwrap_or_else(|| user.to_owned());
    let of_file = document(source_place(path, user), AddressFile::Gemini);
    of_variable(AddressFile::Gemini, environment).into_iter().chain(of_file).collect()
}

fn opencode(
    user: &Path,
    folder: Option<&Path>,
    environment: &Environment,
) -> Vec<(SourcePlace, Value)> {
    let content = environment.told(OPENCODE_CONTENT);
    let content = content.and_then(|text| serde_json::from_str(text).ok());
    let content = content.map(|value| (SourcePlace::Variable(OPENCODE_CONTENT), value));
    let files = opencode_files(folder, environment).into_iter();
    let files = files.filter_map(|path| document(source_place(path, user), AddressFile::Opencode));
    content.into_iter().chain(files).collect()
}

fn source_place(path: PathBuf, user: &Path) -> SourcePlace {
    if path == user { SourcePlace::UserFile(path) } else { SourcePlace::OtherFile(path) }
}

fn document(place: SourcePlace, file: AddressFile) -> Option<(SourcePlace, Value)> {
    let (SourcePlace::UserFile(path) | SourcePlace::OtherFile(path)) = &place else { return None };
    let text = read(path).ok().flatten()?;
    let value = value(text.trim_start_matches('\u{feff}'), file).ok()?;
    Some((place, value))
}

/// The variable that names the agent's address, as a document of the agent's file.
fn of_variable(file: AddressFile, environment: &Environment) -> Option<(SourcePlace, Value)> {
    let name = file.variable()?;
    let address = environment.told(name)?;
    let stated = json!({ name: address });
    let document = if file == AddressFile::Gemini { stated } else { json!({ "env": stated }) };
    Some((SourcePlace::Variable(name), document))
}
