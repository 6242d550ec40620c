//! What else says the address of an agent's model, before the file that foveal writes.

use std::path::Path;

use foveal_gateway::upstream::without_secrets;

use super::launch;
use super::settings::{dot_env, dot_env_place, read_json};
use super::table::{Client, Target};
use crate::environment::Environment;
use crate::gateway::Routes;

/// The folder and the variable of Gemini CLI.
const GEMINI: (&str, &str) = (".gemini", "GOOGLE_GEMINI_BASE_URL");

/// What a person should know of other files, as seen from the current folder: a line each.
pub(crate) fn remarks(
    client: &Client,
    target: &Target,
    environment: &Environment,
    (folder, routes): (Option<&Path>, &Routes),
) -> Vec<String> {
    match client.name {
        "gemini" => gemini(target, environment, (folder, routes)),
        "opencode" => opencode(target, environment, (folder, routes)),
        _ => Vec::new(),
    }
}

/// Of its files of variables Gemini CLI reads the first that there is, and no other.
fn gemini(
    target: &Target,
    environment: &Environment,
    (folder, routes): (Option<&Path>, &Routes),
) -> Vec<String> {
    let (own, variable) = GEMINI;
    let mut remarks = Vec::new();
    let home = environment.home.as_deref();
    let read_here = folder.and_then(|folder| dot_env_place(folder, home, own));
    let other = read_here.filter(|path| *path != target.path);
    if let (Some(other), Some(folder)) = (other, folder) {
        let said = dot_env(folder, home, own, variable);
        if !said.is_some_and(|address| routes.is_ours(&address)) {
            remarks.push(format!(
                "in this folder Gemini CLI reads {} and no other such file: say {variable} there \
                 too",
                other.display()
            ));
        }
    }
    let plain = environment.in_home(".env").filter(|path| *path != target.path);
    if let Some(plain) = plain.filter(|path| path.is_file()) {
        remarks.push(format!(
            "Gemini CLI reads this file and not {}: what it needs of that has to stand here",
            plain.display()
        ));
    }
    remarks
}

/// What other settings say of a provider's address counts before those in the user's folder, or
/// with them.
fn opencode(
    target: &Target,
    environment: &Environment,
    (folder, routes): (Option<&Path>, &Routes),
) -> Vec<String> {
    let files = launch::opencode_files(folder, environment);
    let stronger = files.into_iter().take_while(|path| *path != target.path);
    let mut remarks = Vec::new();
    for path in stronger {
        // What cannot be read opencode cannot read either.
        let settings = read_json(&path).unwrap_or_default();
        for (name, provider) in settings["provider"].as_object().into_iter().flatten() {
            let address = provider["options"]["baseURL"].as_str();
            if let Some(address) = address.filter(|address| !routes.is_ours(address)) {
                remarks.push(format!(
                    "{} has opencode ask `{name}` at {address}, past foveal: that counts before \
                     this file",
                    shown(&path, folder),
                    address = without_secrets(address)
                ));
            }
        }
    }
    remarks
}

fn shown(path: &Path, folder: Option<&Path>) -> String {
    let below = folder.and_then(|folder| path.strip_prefix(folder).ok());
    below.map_or_else(|| path.display().to_string(), |below| format!("./{}", below.display()))
}
