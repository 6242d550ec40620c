//! Files that are never read, because they hold what must stay secret.

use std::path::Path;

use foveal_files::sensitive::sensitivity;

/// Whether the file at `path`, by its name and folders, is taken to hold secrets.
pub fn may_hold_secrets(path: &Path) -> bool {
    sensitivity(path).is_some()
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
    fn private_keys_are_told_by_their_first_line() {
        assert!(is_private_key(b"\n-----BEGIN OPENSSH PRIVATE KEY-----\nabc"));
        assert!(!is_private_key(b"-----BEGIN CERTIFICATE-----\nPRIVATE KEY"));
    }
}
