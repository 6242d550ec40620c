//! Other settings that take precedence over the file with the gateway's address.

use std::path::Path;

use foveal_gateway::upstream_selection::strip_secrets;

use super::address_entries::AddressFile;
use super::gateway_address_map::GatewayAddressMap;
use crate::agent_settings::{dot_env_path, read_dot_env_variable, read_json_file};
use crate::launch::opencode;
use crate::user_environment::UserEnvironment;

/// Gemini CLI's folder, and the variable with its address.
const GEMINI: (&str, &str) = (".gemini", "GOOGLE_GEMINI_BASE_URL");

/// Returns remarks for the user about files that take precedence in the current folder, one line
/// each.
pub(crate) fn shadowing_remarks(
    file: AddressFile,
    user_file: &Path,
    environment: &UserEnvironment,
    folder: Option<&Path>,
    routes: &GatewayAddressMap,
) -> Vec<String> {
    match file {
        AddressFile::Gemini => gemini_remarks(user_file, environment, folder, routes),
        AddressFile::Opencode => opencode_remarks(user_file, environment, folder, routes),
        _ => Vec::new(),
    }
}

/// Gemini CLI reads only the first of its files of variables that exists.
fn gemini_remarks(
    user_file: &Path,
    environment: &UserEnvironment,
    folder: Option<&Path>,
    routes: &GatewayAddressMap,
) -> Vec<String> {
    let (own, variable) = GEMINI;
    let mut remarks = Vec::new();
    let home = environment.home.as_deref();
    let read_here = folder.and_then(|folder| dot_env_path(folder, home, own));
    let other = read_here.filter(|path| path != user_file);
    if let (Some(other), Some(folder)) = (other, folder) {
        let said = read_dot_env_variable(folder, home, own, variable);
        if !said.is_some_and(|address| routes.is_gateway_address(&address)) {
            remarks.push(format!(
                "in this folder Gemini CLI reads only {}: set {variable} there too",
                other.display()
            ));
        }
    }
    let plain = environment.path_in_home(".env").filter(|path| path != user_file);
    if let Some(plain) = plain.filter(|path| path.is_file()) {
        remarks.push(format!(
            "Gemini CLI reads this file instead of {}: copy what it needs from there to this file",
            plain.display()
        ));
    }
    remarks
}

/// opencode merges its settings files. An address in a project takes precedence over the one in the
/// user's folder.
fn opencode_remarks(
    user_file: &Path,
    environment: &UserEnvironment,
    folder: Option<&Path>,
    routes: &GatewayAddressMap,
) -> Vec<String> {
    let files = opencode::settings_files(folder, environment);
    let stronger = files.into_iter().take_while(|path| path != user_file);
    let mut remarks = Vec::new();
    for path in stronger {
        // opencode cannot read such a file either.
        let settings = read_json_file(&path).unwrap_or_default();
        for (name, provider) in settings["provider"].as_object().into_iter().flatten() {
            let address = provider["options"]["baseURL"].as_str();
            if let Some(address) = address.filter(|address| !routes.is_gateway_address(address)) {
                remarks.push(format!(
                    "{} sends opencode's requests for `{name}` to {address}, bypassing foveal: it \
                     overrides this file",
                    relative_display(&path, folder),
                    address = strip_secrets(address)
                ));
            }
        }
    }
    remarks
}

fn relative_display(path: &Path, folder: Option<&Path>) -> String {
    let below = folder.and_then(|folder| path.strip_prefix(folder).ok());
    below.map_or_else(|| path.display().to_string(), |below| format!("./{}", below.display()))
}
