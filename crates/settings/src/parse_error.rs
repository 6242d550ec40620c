//! Errors of parsing settings.

use crate::syntax::Syntax;

/// An error of parsing settings.
#[derive(Debug, thiserror::Error)]
#[error("{shown}")]
pub struct SettingsParseError {
    /// The problem in one sentence.
    pub message: String,
    /// The message with the line.
    shown: String,
}

impl SettingsParseError {
    /// Creates an error at a line.
    pub(crate) fn at_line(line: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { shown: format!("line {line}: {message}"), message }
    }

    /// Creates an error from that of the parser, with advice about an unknown name. For TOML it
    /// shows an excerpt of `text`.
    pub(crate) fn from_parser(
        mut error: toml::de::Error,
        text: &str,
        syntax: Syntax,
        advice: Option<&str>,
    ) -> Self {
        let message = error.message().trim_end().to_owned();
        let mut shown = match syntax {
            Syntax::Toml => {
                error.set_input(Some(text));
                error.to_string()
            }
            Syntax::Json => {
                let offset = error.span().map_or(0, |span| span.start);
                format!("line {}: {message}", line_number(text, offset))
            }
        };
        if let Some(advice) = advice {
            shown = format!("{}\n{advice}", shown.trim_end());
        }
        Self { message, shown }
    }
}

/// Returns the number of the line with the byte at `offset`, from 1.
pub(crate) fn line_number(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}
