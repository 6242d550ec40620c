//! Files that are never indexed because they hold secrets.

use std::path::Path;

use foveal_workspace::sensitive_files::sensitivity;

/// Returns whether the path of the file indicates secrets.
pub fn may_hold_secrets(path: &Path) -> bool {
    sensitivity(path).is_some()
}

/// Returns whether `bytes` begin like a private key.
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
