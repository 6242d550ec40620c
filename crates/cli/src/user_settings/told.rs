//! What is told of settings that are not understood.

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
    /// What the reader says, and `advice` about a name that is none.
    pub(super) fn of(error: &toml::de::Error, advice: Option<String>) -> Self {
        let message = error.message().trim_end().to_owned();
        Self { shown: with_advice(error.to_string(), advice), message }
    }

    /// The same where the reader's own words have a place in another text: with this line.
    pub(super) fn at(error: &toml::de::Error, line: usize, advice: Option<String>) -> Self {
        let message = error.message().trim_end().to_owned();
        let shown = format!("line {line}: {message}");
        Self { shown: with_advice(shown, advice), message }
    }
}

fn with_advice(shown: String, advice: Option<String>) -> String {
    match advice {
        Some(advice) => format!("{}\n{advice}", shown.trim_end()),
        None => shown,
    }
}

/// The line in which the byte at `at` stands, from 1.
pub(super) fn line_at(text: &[u8], at: usize) -> usize {
    1 + text[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}
