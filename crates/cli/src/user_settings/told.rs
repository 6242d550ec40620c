//! What is told of settings that are not understood.

use super::keys;

/// Why settings are not understood.
#[derive(Debug, thiserror::Error)]
#[error("{shown}")]
pub(crate) struct NotUnderstood {
    /// What is wrong, in a sentence.
    pub(crate) message: String,
    /// The same with the place in the file.
    shown: String,
}

impl NotUnderstood {
    /// Where the reader's own words have a place in another text: the same with this line.
    pub(super) fn at(error: &toml::de::Error, line: usize) -> Self {
        let message = error.message().trim_end().to_owned();
        let shown = format!("line {line}: {message}");
        Self { shown: with_meant(shown, error), message }
    }
}

/// What the reader says, and for a name that is none which one may have been meant.
pub(super) fn told(error: &toml::de::Error) -> anyhow::Error {
    let message = error.message().trim_end().to_owned();
    NotUnderstood { message, shown: with_meant(error.to_string(), error) }.into()
}

/// What is told of an error, and for a name that is none which one may have been meant.
fn with_meant(shown: String, error: &toml::de::Error) -> String {
    // `unknown field `X`, expected one of `A`, `B``: names stand at odd places.
    let words = error.message().split('`').skip(1).step_by(2);
    let mut names = words.filter(|_| error.message().starts_with("unknown field"));
    let meant = names.next().and_then(|name| keys::nearest(name, names));
    match meant {
        Some(meant) => format!("{}\ndid you mean `{meant}`?", shown.trim_end()),
        None => shown,
    }
}

/// The line in which the byte at `at` stands, from 1.
pub(super) fn line_at(text: &[u8], at: usize) -> usize {
    1 + text[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}
