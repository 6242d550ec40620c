//! Files that hold keys and passwords, told by their names; their content is never read.

use std::path::Path;

/// Whole names.
const NAMES: &[&str] = &[
    ".dockercfg",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    "_netrc",
    "credentials",
    "credentials.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
];

/// Endings.
const ENDINGS: &[&str] = &[
    ".asc",
    ".gpg",
    ".jks",
    ".kdbx",
    ".key",
    ".keystore",
    ".p12",
    ".pem",
    ".pfx",
    ".pkcs12",
    ".ppk",
    ".tfstate",
    ".tfvars",
];

/// Names of private keys, of which there may be copies.
const KEYS: &[&str] = &["id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];

/// Folders of keys.
const FOLDERS: &[&str] = &[".aws", ".gnupg", ".ssh"];

/// Examples of `.env` files, which hold no secrets.
const EXAMPLES: &[&str] = &["default", "defaults", "dist", "example", "sample", "template"];

/// Whether the name of a file says that it may hold secrets.
pub(super) fn may_hold_secrets(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let name = name.to_ascii_lowercase();
    let is_environment = name == ".env"
        || name == ".envrc"
        || name
            .strip_prefix(".env.")
            .is_some_and(|rest| !rest.split('.').any(|part| EXAMPLES.contains(&part)))
        || name.ends_with(".env");
    let in_folder = path.parent().is_some_and(|folders| {
        folders.iter().any(|part| FOLDERS.iter().any(|folder| part == *folder))
    });
    let is_key = KEYS.iter().any(|key| name.starts_with(key)) && !name.ends_with(".pub");
    is_environment
        || in_folder
        || is_key
        || NAMES.contains(&name.as_str())
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_passwords_are_told_by_name() {
        for path in [
            ".env",
            "web/.env.production",
            "a/prod.env",
            ".envrc",
            "id_rsa",
            "id_ed25519_work",
            "server.PEM",
            "tls/server.key",
            ".ssh/config",
            ".npmrc",
            "secrets.yaml",
        ] {
            assert!(may_hold_secrets(Path::new(path)), "{path}");
        }
        for path in [
            ".env.example",
            ".env.local.sample",
            "id_rsa.pub",
            "env.rs",
            "keys.rs",
            "environment.ts",
        ] {
            assert!(!may_hold_secrets(Path::new(path)), "{path}");
        }
    }
}
