//! Files that are never read, because they hold what must stay secret.

use std::path::Path;

/// Whole names.
const NAMES: &[&str] = &[
    ".dockercfg",
    ".env",
    ".envrc",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    "_netrc",
    "credentials",
    "secrets",
];

/// Endings of keys, key stores, encrypted files and states that hold keys.
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

/// Beginnings of names that are secret if the file holds data; a program called so is not.
const STEMS: &[&str] = &["client_secret", "credentials", "secrets", "service-account"];

/// Endings of files that hold data.
const DATA_ENDINGS: &[&str] = &[
    ".cfg",
    ".conf",
    ".csv",
    ".ini",
    ".json",
    ".properties",
    ".toml",
    ".txt",
    ".xml",
    ".yaml",
    ".yml",
];

/// Parts of the names of `.env` files that show what one looks like.
const EXAMPLES: &[&str] = &["default", "defaults", "dist", "example", "sample", "template"];

/// Whether the file at `path`, by its name and folders, is taken to hold secrets.
pub fn may_hold_secrets(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let name = name.to_ascii_lowercase();
    if let Some(rest) = name.strip_prefix(".env.")
        && !rest.split('.').any(|part| EXAMPLES.contains(&part))
    {
        return true;
    }
    let in_folder = path.parent().is_some_and(|folders| {
        folders.iter().any(|part| FOLDERS.iter().any(|folder| part == *folder))
    });
    let is_key = KEYS.iter().any(|key| name.starts_with(key)) && !name.ends_with(".pub");
    let is_data = STEMS.iter().any(|stem| name.starts_with(stem))
        && DATA_ENDINGS.iter().any(|ending| name.ends_with(ending));
    in_folder
        || is_key
        || is_data
        || NAMES.contains(&name.as_str())
        || name.ends_with(".env")
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether `bytes` begin as a private key does, whatever its file is called.
pub(crate) fn is_private_key(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.starts_with(b"-----BEGIN ") && line.windows(11).any(|part| part == b"PRIVATE KEY")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_passwords_are_told_by_name() {
        for path in [
            ".env",
            ".env.local",
            "web/.env.production",
            "prod.env",
            "a/prod.env",
            ".envrc",
            "id_rsa",
            "id_ed25519",
            "id_ed25519_work",
            "server.PEM",
            "tls/server.key",
            "a.key",
            ".ssh/config",
            ".npmrc",
            ".netrc",
            "credentials",
            "credentials.json",
            "secrets.yaml",
            "service-account-prod.json",
            "terraform.tfstate",
        ] {
            assert!(may_hold_secrets(Path::new(path)), "{path}");
        }
        for path in [
            ".env.example",
            ".env.local.sample",
            "id_rsa.pub",
            "env.rs",
            "credentials.rs",
            "secrets.py",
            "keys.rs",
            "environment",
            "environment.ts",
            "secretsmanager.go",
        ] {
            assert!(!may_hold_secrets(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn private_keys_are_told_by_their_first_line() {
        assert!(is_private_key(b"\n-----BEGIN OPENSSH PRIVATE KEY-----\nabc"));
        assert!(!is_private_key(b"-----BEGIN CERTIFICATE-----\nPRIVATE KEY"));
    }
}
