//! Errors of parsing settings.

/// An error of parsing settings.
#[derive(Debug, thiserror::Error)]
#[error("{shown}")]
pub(crate) struct SettingsParseError {
    /// The problem in one sentence.
    pub(crate) message: String,
    /// The message with the line and its text.
    shown: String,
}

impl SettingsParseError {
    /// Creates an error from that of the TOML parser, with advice about an unknown name.
    pub(super) fn new(error: &toml::de::Error, advice: Option<String>) -> Self {
        let message = error.message().trim_end().to_owned();
        Self { shown: append_advice(error.to_string(), advice), message }
    }

    /// Creates an error for text that was converted from JSON, with only the line: the parser's
    /// excerpt would show the converted text.
    pub(super) fn from_converted_text(
        error: &toml::de::Error,
        line: usize,
        advice: Option<String>,
    ) -> Self {
        let message = error.message().trim_end().to_owned();
        let shown = format!("line {line}: {message}");
        Self { shown: append_advice(shown, advice), message }
    }
}

fn append_advice(shown: String, advice: Option<String>) -> String {
    match advice {
        Some(advice) => format!("{}\n{advice}", shown.trim_end()),
        None => shown,
    }
}

/// Returns the number of the line with the byte at offset `at`, from 1.
pub(super) fn line_number(text: &[u8], at: usize) -> usize {
    1 + text[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}
