//! Files that are never read, because they hold what must stay secret.

/// Whole names.
const NAMES: &[&str] = &[
    ".dockercfg",
    ".env",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    "_netrc",
    "credentials",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "secrets",
];

/// Endings of keys, key stores and states that hold keys.
const ENDINGS: &[&str] =
    &[".jks", ".kdbx", ".key", ".keystore", ".p12", ".pem", ".pfx", ".ppk", ".tfstate", ".tfvars"];

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

/// Endings of `.env` files that show what one looks like.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist"];

/// Whether the file called `name` (without folders) is taken to be secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    if let Some(rest) = name.strip_prefix(".env.") {
        return !EXAMPLES.contains(&rest);
    }
    NAMES.contains(&name.as_str())
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.ends_with(".env")
        || (STEMS.iter().any(|stem| name.starts_with(stem))
            && DATA_ENDINGS.iter().any(|ending| name.ends_with(ending)))
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
    fn names_of_secrets() {
        for name in [
            ".env",
            ".env.local",
            "prod.env",
            "server.PEM",
            "id_rsa",
            "id_ed25519",
            "credentials",
            "credentials.json",
            "secrets.yaml",
            "service-account-prod.json",
            "a.key",
            ".netrc",
            "terraform.tfstate",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            ".env.example",
            "env.rs",
            "credentials.rs",
            "secrets.py",
            "id_rsa.pub",
            "keys.rs",
            "environment",
            "secretsmanager.go",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
        assert!(is_private_key(b"\n-----BEGIN OPENSSH PRIVATE KEY-----\nabc"));
        assert!(!is_private_key(b"-----BEGIN CERTIFICATE-----\nPRIVATE KEY"));
    }
}
