//! Errors of parsing settings.

/// An error of parsing settings.
#[derive(Debug, thiserror::Error)]
#[error("{shown}")]
pub struct SettingsParseError {
    /// The problem in one sentence.
    pub message: String,
    /// The line of the problem, from 1.
    line: usize,
    /// The advice, if there is one.
    pub advice: Option<String>,
    /// The message with the line.
    shown: String,
}

impl SettingsParseError {
    /// Creates an error at a line.
    pub(crate) fn at_line(line: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { shown: format!("line {line}: {message}"), message, line, advice: None }
    }

    /// Creates an error of a text in TOML, with an excerpt.
    pub(crate) fn with_excerpt(mut error: toml::de::Error, text: &str) -> Self {
        error.set_input(Some(text));
        let line = line_number(text, error.span().map_or(0, |span| span.start));
        let message = error.message().trim_end().to_owned();
        Self { message, line, advice: None, shown: error.to_string() }
    }

    /// Adds advice in a line of its own.
    pub(crate) fn with_advice(self, advice: &str) -> Self {
        let shown = format!("{}\n{advice}", self.shown.trim_end());
        Self { shown, advice: Some(advice.to_owned()), ..self }
    }

    /// Returns the line and the problem in one line, without a list of all known names.
    pub fn summary(&self) -> String {
        let problem = self.message.split(", expected one of").next().unwrap_or_default();
        format!("line {}: {}", self.line, problem.replace('\n', "; "))
    }
}

/// Returns the number of the line with the byte at `offset`, from 1.
pub(crate) fn line_number(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}
